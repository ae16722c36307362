// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/requests.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "regression/loss_terms.hpp"

namespace ramify {
namespace {

/// Calls use(row, slot) for the rows of a block whose node has a slot.
template <class Use>
void each_counted(const Block& block, std::span<const std::int32_t> node_of_row,
                  std::span<const std::int32_t> slot_of_node, Use use) {
  for (std::size_t row = 0; row < block.n_rows; ++row) {
    const std::int32_t node = node_of_row[row];
    const std::int32_t slot = node < 0 ? -1 : slot_of_node[node];
    if (slot >= 0) use(row, static_cast<std::size_t>(slot));
  }
}

/// Calls use(term) with what a row adds to the distances or to the losses of an output.
template <class Use>
void with_term(const RegressionRequest& request, double y, double at, Use use) {
  if (request.kind == RegressionRequest::Kind::far ||
      request.kind == RegressionRequest::Kind::distance)
    return use(y - at);
  with_loss_term(request.loss, request.parameter, at, [&](auto term_of) { use(term_of(y)); });
}

}  // namespace

std::size_t RegressionRequest::width() const {
  switch (kind) {
    case Kind::weight:
      return 2;
    case Kind::far:
    case Kind::largest_loss:
      return n_outputs;
    default:
      return 2 * n_outputs + 1;
  }
}

void respond(const Block& block, const RegressionRequest& request,
             std::span<const std::int32_t> node_of_row, std::span<const std::int32_t> slot_of_node,
             std::span<double> largest) {
  const std::size_t n = request.n_outputs, width = request.width();
  const bool is_range = request.kind == RegressionRequest::Kind::range;
  each_counted(block, node_of_row, slot_of_node, [&](std::size_t row, std::size_t slot) {
    const double* y = block.values + row * n;
    double* own = largest.data() + slot * width;
    const double times = block.times(row);
    if (is_range) own[2 * n] = std::max(own[2 * n], times);
    for (std::size_t o = 0; o < n; ++o) {
      if (is_range) {
        own[2 * o] = std::max(own[2 * o], -y[o]);
        own[2 * o + 1] = std::max(own[2 * o + 1], y[o]);
        continue;
      }
      const bool repeats = request.steps[slot * n + o].repeats;
      with_term(request, y[o], request.at[slot * n + o], [&](double term) {
        own[o] = std::max(own[o], std::abs(repeats ? term : term * times));
      });
    }
  });
}

void respond(const Block& block, const RegressionRequest& request,
             std::span<const std::int32_t> node_of_row, std::span<const std::int32_t> slot_of_node,
             std::span<std::int64_t> sums) {
  const std::size_t n = request.n_outputs, width = request.width();
  const bool is_weight = request.kind == RegressionRequest::Kind::weight;
  each_counted(block, node_of_row, slot_of_node, [&](std::size_t row, std::size_t slot) {
    std::int64_t* own = sums.data() + slot * width;
    const double times = block.times(row);
    if (is_weight) {
      own[0] += 1;
      own[1] += static_cast<std::int64_t>(times);
      return;
    }
    for (std::size_t o = 0; o < n; ++o) {
      const std::size_t place = slot * n + o;
      if (request.steps[place].up == 0) continue;  // all target values are equal
      with_term(request, block.values[row * n + o], request.at[place], [&](double term) {
        request.steps[place].part(term, times, [&](double coarse, double fine) {
          own[2 * o] += static_cast<std::int64_t>(coarse);
          own[2 * o + 1] += static_cast<std::int64_t>(fine);
        });
      });
    }
    own[2 * n] += 1;
  });
}

// --- the requesting side ------------------------------------------------------------------------

RegressionLearner::RegressionLearner(const Plan& plan, std::size_t n_outputs)
    : loss_(plan.criterion.loss()), parameter_(plan.criterion.values[0]), n_outputs_(n_outputs) {}

void RegressionLearner::start(std::vector<Subject> subjects) {
  subjects_ = std::move(subjects);
  const auto is_weighed = [](const Subject& each) { return each.weight > 0; };
  kind_ = std::ranges::all_of(subjects_, is_weighed) ? Kind::range : Kind::weight;
}

/// How the terms of an output are rounded, as far as that is known.
TermSteps RegressionLearner::steps_of(const Subject& subject, std::size_t output) const {
  return {subject.weight, subject.n_rows, subject.largest[output]};
}

RegressionRequest RegressionLearner::request() const {
  RegressionRequest request{kind_, loss_, parameter_, subjects_.size(), n_outputs_, {}, {}};
  if (kind_ == Kind::weight || kind_ == Kind::range) return request;
  const bool is_of_loss = kind_ == Kind::largest_loss || kind_ == Kind::loss;
  for (const Subject& each : subjects_)
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      const RegressionStatistics::Output& output = each.regression.outputs[o];
      request.at.push_back(is_of_loss ? output.value : output.fixed_point.centre);
      request.steps.push_back(output.is_varied ? steps_of(each, o) : TermSteps());
    }
  return request;
}

/// For repeats, and for squares, the largest distance is that of the minimum or the maximum.
bool RegressionLearner::is_needed(Kind kind) const {
  if (kind != Kind::far && kind != Kind::largest_loss) return true;
  if (kind == Kind::largest_loss && loss_ != RegressionLoss::squared) return true;
  return std::ranges::any_of(subjects_,
                             [](const Subject& each) { return each.weight >= max_repeats; });
}

std::vector<RegressionLearner::Subject> RegressionLearner::next(Kind kind) {
  kind_ = kind;
  const auto is_varied = [](const Subject& each) {
    return std::ranges::any_of(each.regression.outputs, &RegressionStatistics::Output::is_varied);
  };
  if (kind != Kind::range && std::ranges::none_of(subjects_, is_varied)) return finish();
  if (is_needed(kind)) return {};
  for (Subject& each : subjects_)
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      const RegressionStatistics::Output& output = each.regression.outputs[o];
      const double at = kind == Kind::far ? output.fixed_point.centre : output.value;
      const double far = std::max(std::abs(each.low[o] - at), std::abs(each.high[o] - at));
      each.largest[o] = kind == Kind::far ? far : far * far;
    }
  return next(kind == Kind::far ? Kind::distance : Kind::loss);
}

void RegressionLearner::take_range(std::span<const double> supplied) {
  const std::size_t width = 2 * n_outputs_ + 1;
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    Subject& each = subjects_[i];
    const std::span own = supplied.subspan(i * width, width);
    each.regression.outputs.assign(n_outputs_, {});
    each.low.resize(n_outputs_);
    each.high.resize(n_outputs_);
    each.largest.assign(n_outputs_, 0);
    each.heaviest = own[2 * n_outputs_];
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      const double low = each.low[o] = 0 - own[2 * o], high = each.high[o] = own[2 * o + 1];
      if (!(low <= high)) throw std::invalid_argument("a node has no rows: a partition was lost");
      RegressionStatistics::Output& output = each.regression.outputs[o];
      output.value = output.fixed_point.centre = low;
      output.is_varied = low < high;
      if (output.is_varied) output.fixed_point = fixed_point_of(low, high);
    }
  }
}

std::vector<RegressionLearner::Subject> RegressionLearner::respond(
    std::span<const double> supplied) {
  if (kind_ == Kind::range) {
    take_range(supplied);
    return next(Kind::far);
  }
  for (std::size_t i = 0; i < subjects_.size(); ++i)
    std::ranges::copy(supplied.subspan(i * n_outputs_, n_outputs_), subjects_[i].largest.begin());
  return next(kind_ == Kind::far ? Kind::distance : Kind::loss);
}

void RegressionLearner::take_sums(std::span<const std::int64_t> supplied) {
  const std::size_t width = 2 * n_outputs_ + 1;
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    Subject& each = subjects_[i];
    const std::span own = supplied.subspan(i * width, width);
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      RegressionStatistics::Output& output = each.regression.outputs[o];
      if (!output.is_varied) continue;
      const double sum = each.largest[o] == 0
                             ? 0
                             : steps_of(each, o).sum(static_cast<double>(own[2 * o]),
                                                     static_cast<double>(own[2 * o + 1]));
      if (kind_ == Kind::distance)
        output.value =
            std::clamp(output.fixed_point.centre + sum / each.weight, each.low[o], each.high[o]);
      else
        each.regression.impurity += sum / each.weight;
    }
  }
}

std::vector<RegressionLearner::Subject> RegressionLearner::respond(
    std::span<const std::int64_t> supplied) {
  const bool is_weight = kind_ == Kind::weight;
  const std::size_t width = is_weight ? 2 : 2 * n_outputs_ + 1;
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    const auto n_rows = static_cast<double>(supplied[i * width + (is_weight ? 0 : width - 1)]);
    if (n_rows != subjects_[i].n_rows)
      throw std::invalid_argument(
          "the target statistics of node " + std::to_string(subjects_[i].node) + " cover " +
          std::to_string(static_cast<std::int64_t>(n_rows)) +
          " rows, but the node has another number: a partition was lost or counted twice");
    if (is_weight) subjects_[i].weight = static_cast<double>(supplied[i * width + 1]);
  }
  if (is_weight) return next(Kind::range);
  take_sums(supplied);
  return kind_ == Kind::distance ? next(Kind::largest_loss) : finish();
}

std::vector<RegressionLearner::Subject> RegressionLearner::finish() {
  for (Subject& each : subjects_) each.regression.impurity /= static_cast<double>(n_outputs_);
  return std::exchange(subjects_, {});
}

}  // namespace ramify

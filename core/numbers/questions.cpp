// SPDX-License-Identifier: BSD-3-Clause
#include "numbers/questions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "numbers/loss_terms.hpp"

namespace ramify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Calls use(row, slot) for the rows of a block whose node has a slot.
template <class Use>
void each_counted(const Block& block, std::span<const std::int32_t> node_of_row,
                  std::span<const std::int32_t> slot_of_node, Use use) {
  for (std::size_t row = 0; row < block.n_rows; ++row) {
    const std::int32_t node = node_of_row[row];
    const std::int32_t slot = node < 0 ? -1 : slot_of_node[static_cast<std::size_t>(node)];
    if (slot >= 0) use(row, static_cast<std::size_t>(slot));
  }
}

/// Calls use(term) with what a row adds to the distances or to the losses of an output.
template <class Use>
void with_term(const NumberQuestion& question, double number, double at, Use use) {
  if (question.kind == NumberQuestion::Kind::far || question.kind == NumberQuestion::Kind::distance)
    return use(number - at);
  with_loss_term(question.loss, question.parameter, at,
                 [&](auto term_of) { use(term_of(number)); });
}

}  // namespace

std::size_t NumberQuestion::width() const {
  switch (kind) {
    case Kind::weight:
      return 2;
    case Kind::far:
    case Kind::dear:
      return n_outputs;
    default:
      return 2 * n_outputs + 1;
  }
}

void answer(const Block& block, const NumberQuestion& question,
            std::span<const std::int32_t> node_of_row, std::span<const std::int32_t> slot_of_node,
            std::span<double> largest) {
  const std::size_t n = question.n_outputs, width = question.width();
  const bool is_range = question.kind == NumberQuestion::Kind::range;
  each_counted(block, node_of_row, slot_of_node, [&](std::size_t row, std::size_t slot) {
    const double* number = block.numbers + row * n;
    double* own = largest.data() + slot * width;
    const double times = block.times(row);
    if (is_range) own[2 * n] = std::max(own[2 * n], times);
    for (std::size_t o = 0; o < n; ++o) {
      if (is_range) {
        own[2 * o] = std::max(own[2 * o], -number[o]);
        own[2 * o + 1] = std::max(own[2 * o + 1], number[o]);
        continue;
      }
      const bool repeats = question.steps[slot * n + o].repeats;
      with_term(question, number[o], question.at[slot * n + o], [&](double term) {
        own[o] = std::max(own[o], std::abs(repeats ? term : term * times));
      });
    }
  });
}

void answer(const Block& block, const NumberQuestion& question,
            std::span<const std::int32_t> node_of_row, std::span<const std::int32_t> slot_of_node,
            std::span<std::int64_t> sums) {
  const std::size_t n = question.n_outputs, width = question.width();
  const bool is_weight = question.kind == NumberQuestion::Kind::weight;
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
      if (question.steps[place].up == 0) continue;  // all numbers are the same
      with_term(question, block.numbers[row * n + o], question.at[place], [&](double term) {
        question.steps[place].part(term, times, [&](double coarse, double fine) {
          own[2 * o] += static_cast<std::int64_t>(coarse);
          own[2 * o + 1] += static_cast<std::int64_t>(fine);
        });
      });
    }
    own[2 * n] += 1;
  });
}

// --- the one who asks ---------------------------------------------------------------------------

NumberLearner::NumberLearner(const Plan& plan, std::size_t n_outputs)
    : loss_(plan.criterion.loss()), parameter_(plan.criterion.values[0]), n_outputs_(n_outputs) {}

void NumberLearner::start(std::vector<Subject> subjects) {
  subjects_ = std::move(subjects);
  const auto is_weighed = [](const Subject& each) { return each.weight > 0; };
  kind_ = std::ranges::all_of(subjects_, is_weighed) ? Kind::range : Kind::weight;
}

/// How the terms of an output are rounded, as far as that is known.
TermSteps NumberLearner::steps_of(const Subject& subject, std::size_t output) const {
  return {subject.weight, subject.n_rows, subject.largest[output]};
}

NumberQuestion NumberLearner::question() const {
  NumberQuestion question{kind_, loss_, parameter_, subjects_.size(), n_outputs_, {}, {}};
  if (kind_ == Kind::weight || kind_ == Kind::range) return question;
  const bool is_of_loss = kind_ == Kind::dear || kind_ == Kind::loss;
  for (const Subject& each : subjects_)
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      const NodeNumbers::Output& output = each.numbers.outputs[o];
      question.at.push_back(is_of_loss ? output.value : output.ruler.centre);
      question.steps.push_back(output.is_varied ? steps_of(each, o) : TermSteps());
    }
  return question;
}

/// Of repeats, and of squares, the largest distance is that of an end.
bool NumberLearner::is_needed(Kind kind) const {
  if (kind != Kind::far && kind != Kind::dear) return true;
  if (kind == Kind::dear && loss_ != NumberLoss::squared) return true;
  return std::ranges::any_of(subjects_,
                             [](const Subject& each) { return each.weight >= most_repeats; });
}

std::vector<NumberLearner::Subject> NumberLearner::next(Kind kind) {
  kind_ = kind;
  const auto is_varied = [](const Subject& each) {
    return std::ranges::any_of(each.numbers.outputs, &NodeNumbers::Output::is_varied);
  };
  if (kind != Kind::range && std::ranges::none_of(subjects_, is_varied)) return finish();
  if (is_needed(kind)) return {};
  for (Subject& each : subjects_)
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      const NodeNumbers::Output& output = each.numbers.outputs[o];
      const double at = kind == Kind::far ? output.ruler.centre : output.value;
      const double far = std::max(std::abs(each.low[o] - at), std::abs(each.high[o] - at));
      each.largest[o] = kind == Kind::far ? far : far * far;
    }
  return next(kind == Kind::far ? Kind::distance : Kind::loss);
}

void NumberLearner::take_range(std::span<const double> told) {
  const std::size_t width = 2 * n_outputs_ + 1;
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    Subject& each = subjects_[i];
    const std::span own = told.subspan(i * width, width);
    each.numbers.outputs.assign(n_outputs_, {});
    each.low.resize(n_outputs_);
    each.high.resize(n_outputs_);
    each.largest.assign(n_outputs_, 0);
    each.heaviest = own[2 * n_outputs_];
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      const double low = each.low[o] = 0 - own[2 * o], high = each.high[o] = own[2 * o + 1];
      if (!(low <= high)) throw std::invalid_argument("a node has no row: a part was lost");
      NodeNumbers::Output& output = each.numbers.outputs[o];
      output.value = output.ruler.centre = low;
      output.is_varied = low < high;
      if (output.is_varied) output.ruler = ruler_of(low, high);
    }
  }
}

std::vector<NumberLearner::Subject> NumberLearner::tell(std::span<const double> told) {
  if (kind_ == Kind::range) {
    take_range(told);
    return next(Kind::far);
  }
  for (std::size_t i = 0; i < subjects_.size(); ++i)
    std::ranges::copy(told.subspan(i * n_outputs_, n_outputs_), subjects_[i].largest.begin());
  return next(kind_ == Kind::far ? Kind::distance : Kind::loss);
}

void NumberLearner::take_sums(std::span<const std::int64_t> told) {
  const std::size_t width = 2 * n_outputs_ + 1;
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    Subject& each = subjects_[i];
    const std::span own = told.subspan(i * width, width);
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      NodeNumbers::Output& output = each.numbers.outputs[o];
      if (!output.is_varied) continue;
      const double sum = each.largest[o] == 0
                             ? 0
                             : steps_of(each, o).sum(static_cast<double>(own[2 * o]),
                                                     static_cast<double>(own[2 * o + 1]));
      if (kind_ == Kind::distance)
        output.value =
            std::clamp(output.ruler.centre + sum / each.weight, each.low[o], each.high[o]);
      else
        each.numbers.impurity += sum / each.weight;
    }
  }
}

std::vector<NumberLearner::Subject> NumberLearner::tell(std::span<const std::int64_t> told) {
  const bool is_weight = kind_ == Kind::weight;
  const std::size_t width = is_weight ? 2 : 2 * n_outputs_ + 1;
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    const auto n_rows = static_cast<double>(told[i * width + (is_weight ? 0 : width - 1)]);
    if (n_rows != subjects_[i].n_rows)
      throw std::invalid_argument("the numbers of node " + std::to_string(subjects_[i].node) +
                                  " are of " + std::to_string(static_cast<std::int64_t>(n_rows)) +
                                  " rows, and the node has others: a part was lost or counted "
                                  "twice");
    if (is_weight) subjects_[i].weight = static_cast<double>(told[i * width + 1]);
  }
  if (is_weight) return next(Kind::range);
  take_sums(told);
  return kind_ == Kind::distance ? next(Kind::dear) : finish();
}

std::vector<NumberLearner::Subject> NumberLearner::finish() {
  for (Subject& each : subjects_) each.numbers.impurity /= static_cast<double>(n_outputs_);
  return std::exchange(subjects_, {});
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "regression/target.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "util/exact_sum.hpp"

namespace ramify {

RegressionTarget::RegressionTarget(const Target& target, const Plan& plan)
    : target_(target),
      loss_(plan.criterion.loss()),
      criterion_(plan.criterion),
      is_ordered_(plan.criterion.is_ordered()),
      n_stats_(plan.criterion.numeric ? 2 : 3) {
  const bool is_counted = n_channels() == 2 && target.weight.empty();
  n_quantised_ = is_counted ? 1 : n_channels();
  quantised_.resize(std::size_t{target.n_rows} * static_cast<std::size_t>(n_quantised_));
  if (is_ordered_) sort();
}

/// Sorts the rows by target value, for each output.
void RegressionTarget::sort() {
  const auto n_outputs = static_cast<std::size_t>(target_.n_outputs());
  is_left_.resize(target_.n_rows);
  place_.resize(target_.values.size());
  ascending_.resize(target_.values.size());
  by_number_.resize(target_.values.size());
  for (std::size_t o = 0; o < n_outputs; ++o) {
    const std::span rows = std::span(by_number_).subspan(o * target_.n_rows, target_.n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    // Equal values are sorted by weight, so that the order of rows does not matter.
    std::ranges::sort(rows, {}, [&](std::uint32_t row) {
      return std::pair(target_.values[row * n_outputs + o], target_.weight_of(row));
    });
  }
}

void RegressionTarget::partition(const Node& node, const Node&, const Node& right,
                                 const RegressionBuffers& buffers) {
  if (!is_ordered_) return;
  for (const std::uint32_t row : buffers.left) is_left_[row] = 1;
  for (const std::uint32_t row : buffers.right) is_left_[row] = 0;
  std::vector<std::uint32_t> aside;
  aside.reserve(right.n_rows());
  for (int o = 0; o < target_.n_outputs(); ++o) {
    std::uint32_t* rows = by_number_.data() + first_of(node, o);
    std::uint32_t to = 0;
    aside.clear();
    for (std::uint32_t i = 0; i < node.n_rows(); ++i) {
      const std::uint32_t row = rows[i];
      if (is_left_[row])
        rows[to++] = row;
      else
        aside.push_back(row);
    }
    std::ranges::copy(aside, rows + to);
  }
}

namespace {

/// Calls use(i, quantised) with what each row adds to a sum; returns the sum.
template <class Use>
double each_quantised(const RegressionBuffers& buffers, double weight,
                      const FixedPoint& fixed_point, Use use) {
  const std::vector<double>&y = buffers.y, &times = buffers.weight;
  const double heaviest = weight < max_repeats ? 1 : *std::ranges::max_element(times);
  const QuantisedSteps steps(weight, static_cast<double>(y.size()), heaviest);
  const double per_unit = 1 / fixed_point.scale;
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double z = (y[i] - fixed_point.centre) * per_unit;
    const double quantise = steps.steps(z, times.empty() ? 1 : times[i]) * steps.down;
    use(i, quantise);
    sum += quantise;
  }
  return sum;
}

}  // namespace

double RegressionTarget::quantise_one(const RegressionBuffers& buffers, double weight,
                                      const FixedPoint& fixed_point,
                                      std::span<const std::uint32_t> rows) {
  if (n_quantised_ == 1)
    return each_quantised(buffers, weight, fixed_point,
                          [&](std::size_t i, double quantise) { quantised_[rows[i]] = quantise; });
  return each_quantised(buffers, weight, fixed_point, [&](std::size_t i, double quantise) {
    double* own = quantised_.data() + 2 * std::size_t{rows[i]};
    own[0] = buffers.weight[i];
    own[1] = quantise;
  });
}

void RegressionTarget::quantise(Node& node, std::span<const std::uint32_t> rows,
                                RegressionBuffers& buffers) {
  const auto n_outputs = static_cast<std::size_t>(target_.n_outputs());
  const auto n_stats = static_cast<std::size_t>(n_stats_),
             n_quantised = static_cast<std::size_t>(n_quantised_);
  const std::size_t n = rows.size();
  const std::vector<double>& weight = buffers.weight;
  const double total = node.sums[0];
  const double heaviest = total < max_repeats ? 1 : *std::ranges::max_element(weight);
  const QuantisedSteps steps(total, static_cast<double>(n), heaviest);
  const bool repeats = steps.repeats;
  const auto rounded = [&](double x, double times) { return steps.steps(x, times) * steps.down; };
  for (std::size_t o = 0; o < n_outputs; ++o) {
    const auto [centre, scale] = node.regression.outputs[o].fixed_point;
    const double per_unit = 1 / scale;
    if (n_outputs > 1)
      for (std::size_t i = 0; i < n; ++i) buffers.y[i] = target_.values[rows[i] * n_outputs + o];
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double z = (buffers.y[i] - centre) * per_unit;
      if (n_quantised == 1) {
        sum += quantised_[rows[i]] = rounded(z, 1);
        continue;
      }
      const double times = weight.empty() ? 1 : weight[i];
      double* own = quantised_.data() + rows[i] * n_quantised + o * n_stats;
      own[0] = times;
      sum += own[1] = rounded(z, times);
      if (n_stats > 2) squares += own[2] = rounded(z * z, times);
    }
    node.sums[o * n_stats + 1] = sum;
    if (n_stats > 2) node.sums[o * n_stats + 2] = squares;
    if (!is_ordered_) continue;
    const auto ascending = rows_ascending(node, static_cast<int>(o));
    for (std::uint32_t place = 0; place < n; ++place) {
      const std::uint32_t row = ascending[place];
      place_[row * n_outputs + o] = place;
      const double y = target_.values[row * n_outputs + o];
      const double z = (y - centre) * per_unit;
      ascending_[first_of(node, static_cast<int>(o)) + place] = repeats ? rounded(z, 1) : z;
    }
  }
}

void RegressionTarget::add_row(std::uint32_t row, std::span<double> sums) const {
  if (n_quantised_ == 1) {
    sums[0] += 1;
    sums[1] += quantised_[row];
    return;
  }
  const double* own = quantised_.data() + std::size_t{row} * static_cast<std::size_t>(n_quantised_);
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += own[k];
}

}  // namespace ramify

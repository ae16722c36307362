// SPDX-License-Identifier: BSD-3-Clause
#include "regression/target.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

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

/// What a node of this weight counts in.
QuantisedSteps steps_of(const RegressionBuffers& buffers, double weight) {
  const double heaviest = weight < max_repeats ? 1 : *std::ranges::max_element(buffers.weight);
  return {weight, static_cast<double>(buffers.y.size()), heaviest};
}

}  // namespace

RegressionTarget::QuantisedSums RegressionTarget::quantise_output(
    const RegressionBuffers& buffers, const QuantisedSteps& steps, const FixedPoint& fixed_point,
    std::size_t output, std::span<const std::uint32_t> rows) {
  const std::vector<double>& weight = buffers.weight;
  const double per_unit = 1 / fixed_point.scale;
  const auto rounded = [&](double x, double times) { return steps.steps(x, times) * steps.down; };
  const auto n_stats = static_cast<std::size_t>(n_stats_),
             n_quantised = static_cast<std::size_t>(n_quantised_);
  QuantisedSums sums;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double z = (buffers.y[i] - fixed_point.centre) * per_unit;
    if (n_quantised == 1) {
      sums.sum += quantised_[rows[i]] = rounded(z, 1);
      continue;
    }
    const double times = weight.empty() ? 1 : weight[i];
    double* own = quantised_.data() + rows[i] * n_quantised + output * n_stats;
    own[0] = times;
    sums.sum += own[1] = rounded(z, times);
    if (n_stats > 2) sums.squares += own[2] = rounded(z * z, times);
  }
  return sums;
}

double RegressionTarget::quantise_one(const RegressionBuffers& buffers, double weight,
                                      const FixedPoint& fixed_point,
                                      std::span<const std::uint32_t> rows) {
  return quantise_output(buffers, steps_of(buffers, weight), fixed_point, 0, rows).sum;
}

void RegressionTarget::quantise(Node& node, std::span<const std::uint32_t> rows,
                                RegressionBuffers& buffers) {
  const auto n_outputs = static_cast<std::size_t>(target_.n_outputs());
  const auto n_stats = static_cast<std::size_t>(n_stats_);
  const std::size_t n = rows.size();
  const QuantisedSteps steps = steps_of(buffers, node.sums[0]);
  for (std::size_t o = 0; o < n_outputs; ++o) {
    const FixedPoint& fixed_point = node.regression.outputs[o].fixed_point;
    if (n_outputs > 1)
      for (std::size_t i = 0; i < n; ++i) buffers.y[i] = target_.values[rows[i] * n_outputs + o];
    const auto [sum, squares] = quantise_output(buffers, steps, fixed_point, o, rows);
    node.sums[o * n_stats + 1] = sum;
    if (n_stats > 2) node.sums[o * n_stats + 2] = squares;
    if (!is_ordered_) continue;
    const auto ascending = rows_ascending(node, static_cast<int>(o));
    for (std::uint32_t place = 0; place < n; ++place) {
      const std::uint32_t row = ascending[place];
      place_[row * n_outputs + o] = place;
      const double y = target_.values[row * n_outputs + o];
      const double z = (y - fixed_point.centre) * (1 / fixed_point.scale);
      ascending_[first_of(node, static_cast<int>(o)) + place] =
          steps.repeats ? steps.steps(z, 1) * steps.down : z;
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

// SPDX-License-Identifier: BSD-3-Clause
// What a leaf would predict, and its loss.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "regression/loss_terms.hpp"
#include "regression/pair_sums.hpp"
#include "regression/target.hpp"
#include "simd/pack.hpp"
#include "util/exact_sum.hpp"

namespace ramify {
namespace {

/// Its inverse, times a sum of weights, is finite. Smaller exact sums are 0.
constexpr double smallest_loss = 0x1p-950;

/// The sum of weight times term_of(y), where no term is above `largest`: the same as exact_sum,
/// with four terms at a time. `total` is the sum of the weights, which are repeats.
template <class TermOf>
double sum_of_terms(std::span<const double> y, std::span<const double> weight, double total,
                    double largest, TermOf term_of) {
  using RAMIFY_KERNELS::load, RAMIFY_KERNELS::Pack, RAMIFY_KERNELS::spread;
  if (largest == 0) return 0;
  const std::size_t n = y.size();
  const TermSteps steps(total, static_cast<double>(n), largest);
  constexpr auto width = static_cast<std::size_t>(RAMIFY_KERNELS::pack_width);
  double sums[2] = {};
  std::size_t i = 0;
  const auto add_rest = [&] {
    for (; i < n; ++i)
      steps.part(term_of(y[i]), weight.empty() ? 1 : weight[i], [&](double whole, double rest) {
        sums[0] += whole;
        sums[1] += rest;
      });
  };
  if (n < 2 * width) {  // adding up lanes would cost more
    add_rest();
    return steps.sum(sums[0], sums[1]);
  }
  Pack coarse = spread<Pack>(0), fine = coarse;
  for (; i + width <= n; i += width) {
    const Pack x = term_of(load<Pack>(y.data() + i)) * steps.up;
    const Pack whole = (x + rounding_shift) - rounding_shift;
    const Pack rest = ((x - whole) * steps.finer + rounding_shift) - rounding_shift;
    const Pack times = weight.empty() ? spread<Pack>(1) : load<Pack>(weight.data() + i);
    coarse = coarse + whole * times;
    fine = fine + rest * times;
  }
  add_rest();
  for (std::size_t lane = 0; lane < width; ++lane) {
    sums[0] += coarse[static_cast<int>(lane)];
    sums[1] += fine[static_cast<int>(lane)];
  }
  return steps.sum(sums[0], sums[1]);
}

}  // namespace

double RegressionTarget::mean_of(const RegressionBuffers& buffers, std::vector<double>& term,
                                 double weight, double centre) const {
  for (std::size_t i = 0; i < term.size(); ++i) term[i] = buffers.y[i] - centre;
  return centre + exact_sum(term, buffers.weight) / weight;
}

/// The loss of predicting a value, whatever the order of rows.
double RegressionTarget::loss_of(const RegressionBuffers& buffers, std::vector<double>& term,
                                 double value) const {
  const std::vector<double>& y = buffers.y;
  if (is_ordered_) {  // absolute errors and quantiles; pairs have no sum, see pairs_of
    const double level = criterion_.level();
    const double above = loss_ == RegressionLoss::absolute ? 1 : level,
                 below = loss_ == RegressionLoss::absolute ? -1 : level - 1;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double error = y[i] - value;
      term[i] = error < 0 ? below * error : above * error;
    }
  } else {
    with_loss_term(loss_, criterion_.values[0], value, [&](auto term_of) {
      for (std::size_t i = 0; i < y.size(); ++i) term[i] = term_of(y[i]);
    });
  }
  return exact_sum(term, buffers.weight);
}

/// Half the mean distance between two target values of a node; 0 if it is too small.
double RegressionTarget::pairs_of(const Node& node, int output, double weight,
                                  double centre) const {
  const auto n_outputs = static_cast<std::size_t>(target_.n_outputs());
  double pairs = 0, up_to = 0, sum = 0;
  for (const std::uint32_t row : rows_ascending(node, output)) {
    const double own = target_.weight_of(row),
                 y = target_.values[row * n_outputs + static_cast<std::size_t>(output)] - centre;
    pairs += own * (y * up_to - sum);
    up_to += own;
    sum += own * y;
  }
  const double factor = criterion_.values[0] != 0 ? unbiased_factor(weight * target_.unit) : 1;
  const double loss = pairs / weight / weight * factor;
  return loss < smallest_loss ? 0 : loss;
}

double RegressionTarget::quantile_of(const Node& node, int output, double weight) const {
  const auto rows = rows_ascending(node, output);
  const auto n_outputs = static_cast<std::size_t>(target_.n_outputs());
  const auto y = [&](std::size_t i) {
    return target_.values[rows[i] * n_outputs + static_cast<std::size_t>(output)];
  };
  const double level = criterion_.level();
  const double below = weight_below(level, weight);
  double up_to = 0;
  std::size_t i = 0;
  for (; i + 1 < rows.size(); ++i) {
    up_to += target_.weight_of(rows[i]);
    if (up_to > below) break;
  }
  const bool has_gap = i + 1 < rows.size() && is_at_gap(level, weight, up_to);
  return has_gap ? std::midpoint(y(i), y(i + 1)) : y(i);
}

void RegressionTarget::learn(Node& node, std::span<const std::uint32_t> rows,
                             RegressionBuffers& buffers) const {
  const auto n_outputs = static_cast<std::size_t>(target_.n_outputs());
  const std::size_t n = rows.size();
  RegressionStatistics& known = node.regression;
  known.outputs.assign(n_outputs, {});
  known.impurity = 0;
  node.sums.assign(static_cast<std::size_t>(n_channels()), 0);
  if (n == 1) {  // half of all nodes of a full tree
    for (std::size_t o = 0; o < n_outputs; ++o) {
      node.sums[o * static_cast<std::size_t>(n_stats_)] = target_.weight_of(rows[0]);
      known.outputs[o].value = known.outputs[o].fixed_point.centre =
          target_.values[rows[0] * n_outputs + o];
    }
    return;
  }
  buffers.y.resize(n);
  buffers.weight.resize(target_.weight.empty() ? 0 : n);
  for (std::size_t i = 0; i < buffers.weight.size(); ++i)
    buffers.weight[i] = target_.weight[rows[i]];
  const double weight = buffers.weight.empty()
                            ? static_cast<double>(n)
                            : std::accumulate(buffers.weight.begin(), buffers.weight.end(), 0.0);
  for (std::size_t o = 0; o < n_outputs; ++o) {
    node.sums[o * static_cast<std::size_t>(n_stats_)] = weight;
    for (std::size_t i = 0; i < n; ++i) buffers.y[i] = target_.values[rows[i] * n_outputs + o];
    RegressionStatistics::Output& output = known.outputs[o];
    known.impurity += is_ordered_
                          ? learn_ordered(node, static_cast<int>(o), buffers, weight, output)
                          : learn_one(buffers, weight, output);
  }
  known.impurity /= static_cast<double>(n_outputs);
}

namespace {

/// Sets the fixed-point scale of target values; returns their minimum and maximum.
std::pair<double, double> find_fixed_point(std::span<const double> y,
                                           RegressionStatistics::Output& output) {
  double low = y[0], high = low;
  for (const double x : y) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  set_fixed_point(low, high, output);
  return {low, high};
}

}  // namespace

double RegressionTarget::learn_one(RegressionBuffers& buffers, double weight,
                                   RegressionStatistics::Output& output) const {
  const auto [low, high] = find_fixed_point(buffers.y, output);
  if (!output.is_varied) return 0;
  if (loss_ == RegressionLoss::squared && weight < max_repeats)
    return measure_squares(weight, low, high, output,
                           [&](double from, bool is_squared, double max) {
                             const auto sum = [&](auto term_of) {
                               return sum_of_terms(buffers.y, buffers.weight, weight, max, term_of);
                             };
                             if (!is_squared) return sum([from](auto y) { return y - from; });
                             return sum([from](auto y) {
                               const auto away = y - from;
                               return away * away;
                             });
                           }) /
           weight;
  buffers.term.resize(buffers.y.size());
  output.value =
      std::clamp(mean_of(buffers, buffers.term, weight, output.fixed_point.centre), low, high);
  return loss_of(buffers, buffers.term, output.value) / weight;
}

double RegressionTarget::learn_ordered(const Node& node, int y, RegressionBuffers& buffers,
                                       double weight, RegressionStatistics::Output& output) const {
  const auto [low, high] = find_fixed_point(buffers.y, output);
  if (!output.is_varied) return 0;
  buffers.term.resize(buffers.y.size());
  const double centre = output.fixed_point.centre;
  if (loss_ == RegressionLoss::crps) {
    output.value = std::clamp(mean_of(buffers, buffers.term, weight, centre), low, high);
    return pairs_of(node, y, weight, centre);
  }
  output.value = quantile_of(node, y, weight);
  return loss_of(buffers, buffers.term, output.value) / weight;
}

}  // namespace ramify

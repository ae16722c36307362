// SPDX-License-Identifier: BSD-3-Clause
// What a leaf would predict, and how much it would miss by that.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "numbers/loss_terms.hpp"
#include "numbers/numbers.hpp"
#include "numbers/pair_sums.hpp"
#include "util/exact_sum.hpp"
#include "util/pack.hpp"

namespace ramify {
namespace {

/// Its inverse, times a sum of weights, is finite. Exact sums of less are 0, too.
constexpr double smallest_loss = 0x1p-950;

/// The sum of weight times term_of(number), of which none is above `largest`: what exact_sum finds,
/// four terms side by side. `total` is the sum of the weights, which are repeats.
template <class TermOf>
double sum_of_terms(std::span<const double> number, std::span<const double> weight, double total,
                    double largest, TermOf term_of) {
  using RAMIFY_KERNELS::load, RAMIFY_KERNELS::Pack, RAMIFY_KERNELS::spread;
  if (largest == 0) return 0;
  const std::size_t n = number.size();
  const TermSteps steps(total, static_cast<double>(n), largest);
  constexpr auto width = static_cast<std::size_t>(RAMIFY_KERNELS::pack_width);
  double sums[2] = {};
  std::size_t i = 0;
  const auto add_rest = [&] {
    for (; i < n; ++i)
      steps.part(term_of(number[i]), weight.empty() ? 1 : weight[i],
                 [&](double whole, double rest) {
                   sums[0] += whole;
                   sums[1] += rest;
                 });
  };
  if (n < 2 * width) {  // to add up lanes costs more
    add_rest();
    return steps.sum(sums[0], sums[1]);
  }
  Pack coarse = spread<Pack>(0), fine = coarse;
  for (; i + width <= n; i += width) {
    const Pack x = term_of(load<Pack>(number.data() + i)) * steps.up;
    const Pack whole = (x + to_whole) - to_whole;
    const Pack rest = ((x - whole) * steps.finer + to_whole) - to_whole;
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

double Numbers::mean_of(const NumberBuffers& buffers, std::vector<double>& term, double weight,
                        double centre) const {
  for (std::size_t i = 0; i < term.size(); ++i) term[i] = buffers.number[i] - centre;
  return centre + exact_sum(term, buffers.weight) / weight;
}

/// The sum of the losses of a value, whatever the order of rows.
double Numbers::loss_of(const NumberBuffers& buffers, std::vector<double>& term,
                        double value) const {
  const std::vector<double>& number = buffers.number;
  if (is_ordered_) {  // absolute errors and quantiles; of pairs there is no sum, see pairs_of
    const double level = criterion_.level();
    const double above = loss_ == NumberLoss::absolute ? 1 : level,
                 below = loss_ == NumberLoss::absolute ? -1 : level - 1;
    for (std::size_t i = 0; i < number.size(); ++i) {
      const double error = number[i] - value;
      term[i] = error < 0 ? below * error : above * error;
    }
  } else {
    with_loss_term(loss_, criterion_.values[0], value, [&](auto term_of) {
      for (std::size_t i = 0; i < number.size(); ++i) term[i] = term_of(number[i]);
    });
  }
  return exact_sum(term, buffers.weight);
}

/// Half the mean distance of two numbers of a node; 0 where no share of it can be found.
double Numbers::pairs_of(const Node& node, int output, double weight, double centre) const {
  const auto n_outputs = static_cast<std::size_t>(target_.n_outputs());
  double pairs = 0, up_to = 0, sum = 0;
  for (const std::uint32_t row : rows_ascending(node, output)) {
    const double own = target_.weight_of(row),
                 number =
                     target_.numbers[row * n_outputs + static_cast<std::size_t>(output)] - centre;
    pairs += own * (number * up_to - sum);
    up_to += own;
    sum += own * number;
  }
  const double factor = criterion_.values[0] != 0 ? unbiased_factor(weight * target_.unit) : 1;
  const double loss = pairs / weight / weight * factor;
  return loss < smallest_loss ? 0 : loss;
}

double Numbers::quantile_of(const Node& node, int output, double weight) const {
  const auto rows = rows_ascending(node, output);
  const auto n_outputs = static_cast<std::size_t>(target_.n_outputs());
  const auto number = [&](std::size_t i) {
    return target_.numbers[rows[i] * n_outputs + static_cast<std::size_t>(output)];
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
  return has_gap ? std::midpoint(number(i), number(i + 1)) : number(i);
}

void Numbers::learn(Node& node, std::span<const std::uint32_t> rows, NumberBuffers& buffers) const {
  const auto n_outputs = static_cast<std::size_t>(target_.n_outputs());
  const std::size_t n = rows.size();
  NodeNumbers& known = node.numbers;
  known.outputs.assign(n_outputs, {});
  known.impurity = 0;
  node.sums.assign(static_cast<std::size_t>(n_channels()), 0);
  if (n == 1) {  // half of all nodes of a full tree
    for (std::size_t o = 0; o < n_outputs; ++o) {
      node.sums[o * static_cast<std::size_t>(n_stats_)] = target_.weight_of(rows[0]);
      known.outputs[o].value = known.outputs[o].ruler.centre =
          target_.numbers[rows[0] * n_outputs + o];
    }
    return;
  }
  buffers.number.resize(n);
  buffers.weight.resize(target_.weight.empty() ? 0 : n);
  for (std::size_t i = 0; i < buffers.weight.size(); ++i)
    buffers.weight[i] = target_.weight[rows[i]];
  const double weight = buffers.weight.empty()
                            ? static_cast<double>(n)
                            : std::accumulate(buffers.weight.begin(), buffers.weight.end(), 0.0);
  for (std::size_t o = 0; o < n_outputs; ++o) {
    node.sums[o * static_cast<std::size_t>(n_stats_)] = weight;
    for (std::size_t i = 0; i < n; ++i)
      buffers.number[i] = target_.numbers[rows[i] * n_outputs + o];
    NodeNumbers::Output& output = known.outputs[o];
    known.impurity += is_ordered_
                          ? learn_ordered(node, static_cast<int>(o), buffers, weight, output)
                          : learn_one(buffers, weight, output);
  }
  known.impurity /= static_cast<double>(n_outputs);
}

namespace {

/// Sets the ruler of numbers; gives their ends.
std::pair<double, double> find_ruler(std::span<const double> number, NodeNumbers::Output& output) {
  double low = number[0], high = low;
  for (const double x : number) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  set_ruler(low, high, output);
  return {low, high};
}

}  // namespace

double Numbers::learn_one(NumberBuffers& buffers, double weight,
                          NodeNumbers::Output& output) const {
  const auto [low, high] = find_ruler(buffers.number, output);
  if (!output.is_varied) return 0;
  if (loss_ == NumberLoss::squared && weight < most_repeats)
    return measure_squares(weight, low, high, output,
                           [&](double from, bool is_squared, double most) {
                             const auto sum = [&](auto term_of) {
                               return sum_of_terms(buffers.number, buffers.weight, weight, most,
                                                   term_of);
                             };
                             if (!is_squared)
                               return sum([from](auto number) { return number - from; });
                             return sum([from](auto number) {
                               const auto away = number - from;
                               return away * away;
                             });
                           }) /
           weight;
  buffers.term.resize(buffers.number.size());
  output.value = std::clamp(mean_of(buffers, buffers.term, weight, output.ruler.centre), low, high);
  return loss_of(buffers, buffers.term, output.value) / weight;
}

double Numbers::learn_ordered(const Node& node, int number, NumberBuffers& buffers, double weight,
                              NodeNumbers::Output& output) const {
  const auto [low, high] = find_ruler(buffers.number, output);
  if (!output.is_varied) return 0;
  buffers.term.resize(buffers.number.size());
  const double centre = output.ruler.centre;
  if (loss_ == NumberLoss::crps) {
    output.value = std::clamp(mean_of(buffers, buffers.term, weight, centre), low, high);
    return pairs_of(node, number, weight, centre);
  }
  output.value = quantile_of(node, number, weight);
  return loss_of(buffers, buffers.term, output.value) / weight;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "survival/sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "select/split.hpp"
#include "util/exact_sum.hpp"

namespace ramify {
namespace {

bool is_standardised(SurvivalCriterion c) {
  return c == SurvivalCriterion::logrank_score || c == SurvivalCriterion::maxstat ||
         c == SurvivalCriterion::ctree || c == SurvivalCriterion::gehan_score;
}

/// O ln(O / E); 0 ln 0 is 0.
double log_term(double observed, double expected) {
  return observed > 0 ? observed * std::log(observed / expected) : 0;
}

double signed_double(Wide x) { return x < 0 ? -to_double(Wide{0} - x) : to_double(x); }

}  // namespace

void SumsNode::set(const TimeOrder& order, const NodeTimes& node,
                   std::span<const std::uint32_t> rows, const RootScores& root,
                   const SurvivalRules& rules) {
  unit = order.unit;
  n_units = 0;
  for (const std::uint32_t row : rows) n_units += order.weight[row];
  if (is_observed_expected(rules.criterion))
    set_expected(order, rows, expected_of_rows(order, node, rows, root, rules.criterion));
  else
    set_scores(order, rows, row_scores(order, node, rows, root, rules), rules);
}

void SumsNode::quantise(const TimeOrder& order, std::span<const std::uint32_t> rows,
                        std::span<const double> values) {
  if (steps.size() < order.n_rows() * n_sums) steps.resize(order.n_rows() * n_sums);
  total.assign(n_sums, 0);
  step.assign(n_sums, 1.0);
  for (std::size_t j = 0; j < n_sums; ++j) {
    double largest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      largest = std::max(largest, std::abs(values[i * n_sums + j]));
    const int exponent = largest > 0 ? std::ilogb(largest) + 1 : 0;
    const int bits = 61 - static_cast<int>(std::bit_width(n_units)) - exponent;
    step[j] = std::ldexp(unit, -bits);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double whole = std::nearbyint(std::ldexp(values[i * n_sums + j], bits));
      const std::int64_t own = static_cast<std::int64_t>(whole) * order.weight[rows[i]];
      steps[rows[i] * n_sums + j] = own;
      total[j] += own;
    }
  }
}

void SumsNode::set_scores(const TimeOrder& order, std::span<const std::uint32_t> rows,
                          const RowScores& scores, const SurvivalRules& rules) {
  n_sums = scores.n_outputs;
  pairs = scores.pairs;
  quantise(order, rows, scores.values);
  factor.assign(n_sums, 1.0);
  is_constant = true;
  const double n = static_cast<double>(n_units) * unit;
  std::vector<double> terms(rows.size()), weights(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) weights[i] = order.weight[rows[i]];
  for (std::size_t j = 0; j < n_sums; ++j) {
    const double mean = static_cast<double>(total[j]) * step[j] / n;
    double largest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double own = scores.values[i * n_sums + j];
      largest = std::max(largest, std::abs(own));
      is_constant = is_constant && own == scores.values[j];
      terms[i] = (own - mean) * (own - mean);
    }
    if (!is_standardised(rules.criterion)) continue;
    const double variance = exact_sum(terms, weights) * unit / (n - 1);
    factor[j] = variance > 0 ? 1 / variance : 0;
  }
}

void SumsNode::set_expected(const TimeOrder& order, std::span<const std::uint32_t> rows,
                            std::span<const double> expected) {
  n_sums = 2;
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    values.push_back(order.event[rows[i]]);
    values.push_back(expected[i]);
  }
  quantise(order, rows, values);
  is_constant = total[0] == 0 || total[1] == 0;
}

double SumsNode::score(SurvivalCriterion criterion, std::uint64_t left,
                       std::span<const std::int64_t> sums) const {
  if (is_observed_expected(criterion)) return of_expected(criterion, sums);
  if (criterion == SurvivalCriterion::harrell_c)
    return pairs > 0 ? std::abs(static_cast<double>(sums[0]) * step[0]) / (2 * pairs)
                     : minus_infinity;
  return squares(left, sums);
}

double SumsNode::squares(std::uint64_t left, std::span<const std::int64_t> sums) const {
  double score = 0;
  const auto n = static_cast<double>(n_units), n_left = static_cast<double>(left),
             n_right = static_cast<double>(n_units - left);
  for (std::size_t j = 0; j < n_sums; ++j) {
    const double moved = signed_double(static_cast<Wide>(sums[j]) * static_cast<Wide>(n_units) -
                                       static_cast<Wide>(total[j]) * static_cast<Wide>(left)) /
                         n * step[j];
    score += moved * moved / (n_left * n_right / n * unit) * factor[j];
  }
  return score;
}

double SumsNode::of_expected(SurvivalCriterion criterion,
                             std::span<const std::int64_t> sums) const {
  const double o = static_cast<double>(total[0]) * step[0],
               e = static_cast<double>(total[1]) * step[1],
               o_left = static_cast<double>(sums[0]) * step[0],
               e_left = static_cast<double>(sums[1]) * step[1],
               o_right = static_cast<double>(total[0] - sums[0]) * step[0],
               e_right = static_cast<double>(total[1] - sums[1]) * step[1];
  if (!(e_left > 0) || !(e_right > 0)) return minus_infinity;
  if (criterion == SurvivalCriterion::approximate_logrank) {
    const double moved = (o_left * e_right - o_right * e_left) / e;  // O_L - E_L, if O = E
    return o * moved * moved / (e_left * e_right);
  }
  return log_term(o_left, e_left) + log_term(o_right, e_right) - log_term(o, e);
}

}  // namespace ramify

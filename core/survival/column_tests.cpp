// SPDX-License-Identifier: BSD-3-Clause
#include "survival/column_tests.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "util/distributions.hpp"
#include "util/exact_sum.hpp"

namespace ramify {
namespace {

double density(double b) { return std::exp(-b * b / 2) / std::sqrt(2 * std::numbers::pi); }
double tail(double b) { return std::erfc(b / std::numbers::sqrt2) / 2; }

/// Lausen, Schumacher (1992), for cuts between two shares of the rows.
double lausen_1992(double b, double minprop) {
  if (b < 1) return 1;
  const double most = 1 - minprop;
  const double odds = most * (1 - minprop) / ((1 - most) * minprop);
  return 4 * density(b) / b + density(b) * (b - 1 / b) * std::log(odds);
}

/// Lausen et al. (1994), from the rows on the left of each cut.
double lausen_1994(double b, double n, std::span<const double> left) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < left.size(); ++i) {
    const double one = left[i], other = left[i + 1];
    const double t = std::sqrt(std::max(0.0, 1 - one * (n - other) / ((n - one) * other)));
    sum += std::exp(-b * b / 2) / std::numbers::pi * (t - (b * b / 4 - 1) * (t * t * t) / 6);
  }
  return 2 * tail(b) + sum;
}

}  // namespace

double ColumnTests::log_p_of_cuts(std::uint32_t column, double best, const SearchRoom&) const {
  WalkedList list = search_.lists_.column(node_.rows, column);
  std::vector<double> cuts;
  double left = 0;
  const double n = sums_.times.total;
  walk_list(
      list, [&](std::uint32_t row) { left += search_.order_.weight[row] * search_.order_.unit; },
      [&](std::uint32_t) {
        if (left >= std::floor(n * search_.rules_.minprop) &&
            left <= std::floor(n * (1 - search_.rules_.minprop)))
          cuts.push_back(left);
      });
  const double b = std::sqrt(best);
  const double p = std::min(lausen_1992(b, search_.rules_.minprop), lausen_1994(b, n, cuts));
  return std::log(std::clamp(p, 1e-300, 1.0));
}

Split ColumnTests::choose_by_p(std::span<const Split> found) const {
  std::vector<double> p;
  const Split* first = nullptr;
  for (const Split& split : found) {
    if (!split.exists()) continue;
    p.push_back(std::exp(split.tie_break));
    if (!first || split.tie_break < first->tie_break - 1e-12 * std::abs(first->tie_break))
      first = &split;
  }
  if (!first) return {};
  std::ranges::sort(p);
  double adjusted = 1;
  for (std::size_t i = 0; i < p.size(); ++i)
    adjusted =
        std::min(adjusted, p[i] * static_cast<double>(p.size()) / static_cast<double>(i + 1));
  return adjusted <= search_.rules_.alpha ? *first : Split{};
}

/// (n - 1) r^2 of scores and values is chi-square with one degree of freedom; of categories, with
/// one less than there are.
double ColumnTests::log_p_of_column(std::uint32_t column) const {
  const WalkedList list = search_.lists_.column(node_.rows, column);
  const Column& info = search_.table_.columns[column];
  // Whole numbers by code, so that neither threads nor the order of rows play a part.
  struct ByCode {
    double x;
    std::uint64_t weight = 0;
    std::int64_t score = 0;
  };
  std::vector<ByCode> codes;
  std::vector<double> squares, weights;
  for (std::uint32_t i = 0; i < list.n_valued; ++i) {
    const std::uint32_t row = search_.lists_.row(list.items[i]);
    if (i == 0 || (list.items[i] & FlagLayout::flag)) {
      const std::uint32_t code = search_.lists_.code(column, row);
      codes.push_back({info.is_categorical ? 0 : info.lower(code)});
    }
    const std::uint32_t weight = search_.order_.weight[row];
    codes.back().weight += weight;
    codes.back().score += sums_.sums.of_row(row)[0];
  }
  const double step = sums_.sums.step[0] / search_.order_.unit, unit = search_.order_.unit;
  double n = 0, total = 0, x_sum = 0;
  for (const ByCode& c : codes) {
    n += static_cast<double>(c.weight);
    total += static_cast<double>(c.score) * step;
    x_sum += static_cast<double>(c.weight) * c.x;
  }
  const double mean = total / n, x_mean = x_sum / n;
  std::vector<double> terms, own;
  for (std::uint32_t i = 0; i < list.n_valued; ++i) {
    const std::uint32_t row = search_.lists_.row(list.items[i]);
    const double weight = search_.order_.weight[row];
    const double score = static_cast<double>(sums_.sums.of_row(row)[0]) * step / weight;
    terms.push_back((score - mean) * (score - mean));
    own.push_back(weight);
  }
  const double spread = exact_sum(terms, own);
  if (!(spread > 0) || codes.size() < 2) return 0;
  double between = 0, product = 0, x_spread = 0;
  for (const ByCode& c : codes) {
    const double weight = static_cast<double>(c.weight);
    const double moved = static_cast<double>(c.score) * step - weight * mean;
    between += moved * moved / weight;
    product += moved * (c.x - x_mean);
    x_spread += weight * (c.x - x_mean) * (c.x - x_mean);
  }
  const double free = n * unit - 1;
  if (info.is_categorical)
    return log_chi2_tail(free * between / spread, static_cast<double>(codes.size() - 1));
  return log_chi2_tail(free * product * product / (x_spread * spread), 1);
}

Split ColumnTests::choose_by_statistic(std::span<const Split> found, SearchRoom&) const {
  struct Tested {
    const Split* split;
    double log_p;
  };
  std::vector<Tested> tested;
  std::size_t n_columns = 0;
  for (const Split& split : found) {
    if (split.is_constant) continue;
    ++n_columns;
    if (split.exists())
      tested.push_back({&split, log_p_of_column(static_cast<std::uint32_t>(split.column))});
  }
  std::ranges::stable_sort(tested, [](const Tested& a, const Tested& b) {
    return a.log_p < b.log_p - 1e-12 * std::abs(a.log_p);
  });
  if (tested.empty()) return {};
  // 1 - (1 - p)^m <= alpha
  const double adjusted =
      -std::expm1(static_cast<double>(n_columns) * std::log1p(-std::exp(tested[0].log_p)));
  return adjusted <= search_.rules_.alpha ? *tested[0].split : Split{};
}

}  // namespace ramify

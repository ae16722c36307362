// SPDX-License-Identifier: BSD-3-Clause
#include "model_trees/ridge_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linear_algebra/cholesky.hpp"

namespace ramify {
namespace {

/// The sums of a node over its rows: of columns that were standardised, and of y about its mean.
struct Moments {
  struct Standard {
    std::uint32_t column;
    double mean, deviation, low, high;
  };
  std::vector<Standard> columns{};
  std::vector<double> products{};  // lower triangle, rows `columns.size()` apart
  std::vector<double> with_y{};
  double weight = 0, mean = 0, squares = 0;

  Moments(const LineSample& sample, std::span<const std::uint32_t> rows,
          std::span<const std::uint32_t> given);
};

Moments::Moments(const LineSample& sample, std::span<const std::uint32_t> rows,
                 std::span<const std::uint32_t> given) {
  for (const std::uint32_t row : rows) {
    weight += sample.weight[row];
    mean += sample.weight[row] * sample.y[row];
  }
  mean /= weight;
  for (const std::uint32_t row : rows) {
    const double part = sample.y[row] - mean;
    squares += sample.weight[row] * part * part;
  }
  for (const std::uint32_t column : given) {
    const std::vector<double>& x = sample.x[column];
    double known = 0, low = std::numeric_limits<double>::infinity(), high = -low;
    for (const std::uint32_t row : rows) {
      if (x[row] != x[row]) continue;
      known += sample.weight[row];
      low = std::min(low, x[row]);
      high = std::max(high, x[row]);
    }
    if (!(low < high)) continue;  // constant here
    // About the middle and in units of the reach: neither large nor distant values cost digits.
    const double middle = low / 2 + high / 2, reach = high / 2 - low / 2;
    double sum = 0, spread = 0;
    for (const std::uint32_t row : rows)
      if (x[row] == x[row]) sum += sample.weight[row] * ((x[row] - middle) / reach);
    const double centre = sum / known;
    for (const std::uint32_t row : rows) {
      if (x[row] != x[row]) continue;
      const double part = (x[row] - middle) / reach - centre;
      spread += sample.weight[row] * part * part;
    }
    const double deviation = std::sqrt(spread / weight) * reach;
    if (!(deviation > 0) || !std::isfinite(1 / deviation)) continue;
    columns.push_back({column, middle + centre * reach, deviation, low, high});
  }
  const std::size_t p = columns.size();
  products.assign(p * p, 0);
  with_y.assign(p, 0);
  std::vector<double> z(p);
  for (const std::uint32_t row : rows) {
    for (std::size_t j = 0; j < p; ++j) {
      const double value = sample.x[columns[j].column][row];
      z[j] = value == value ? (value - columns[j].mean) / columns[j].deviation : 0;
    }
    const double w = sample.weight[row], wy = w * (sample.y[row] - mean);
    for (std::size_t j = 0; j < p; ++j) {
      const double weighted = w * z[j];
      with_y[j] += wy * z[j];
      for (std::size_t k = 0; k <= j; ++k) products[j * p + k] += weighted * z[k];
    }
  }
}

/// Standardised slopes of some of the columns, and the sum of squares that they leave.
struct Slopes {
  std::vector<std::size_t> of{};
  std::vector<double> slope{};
  double rss = 0;
};

Slopes solve(const Moments& moments, std::vector<std::size_t> of, double penalty) {
  const std::size_t p = moments.columns.size(), n = of.size();
  std::vector<double> matrix(n * n), slope(n);
  // Columns that say the same have no solution without a penalty: it rises until there is one.
  for (double own = penalty;; own = std::max(2 * own, 1e-10 * moments.weight)) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix[i * n + j] = moments.products[of[i] * p + of[j]];
      matrix[i * n + i] += own;
      slope[i] = moments.with_y[of[i]];
    }
    if (factor_cholesky(matrix.data(), n, n)) break;
  }
  solve_cholesky(matrix.data(), n, n, slope.data());
  double rss = moments.squares;
  for (std::size_t i = 0; i < n; ++i) {
    double by_all = 0;
    for (std::size_t j = 0; j < n; ++j)
      by_all += slope[j] * moments.products[std::max(of[i], of[j]) * p + std::min(of[i], of[j])];
    rss += slope[i] * (by_all - 2 * moments.with_y[of[i]]);
  }
  return {std::move(of), std::move(slope), std::max(rss, 0.0)};
}

double error_of(const Slopes& slopes, const Moments& moments, double factor) {
  return adjusted_error(std::sqrt(slopes.rss / moments.weight), moments.weight,
                        static_cast<double>(slopes.of.size()) + 1, factor);
}

/// The place of the smallest slope; of equals the last, so that the lower column stays.
std::size_t smallest(const std::vector<double>& slope) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < slope.size(); ++i)
    if (std::abs(slope[i]) <= std::abs(slope[found]) * (1 + 1e-12)) found = i;
  return found;
}

}  // namespace

double adjusted_error(double rms, double n, double n_parameters, double factor) {
  return n <= n_parameters ? 10 * rms : rms * (n + factor * n_parameters) / (n - n_parameters);
}

NodeLine ridge_line(const LineSample& sample, std::span<const std::uint32_t> rows,
                    std::span<const std::uint32_t> columns, const ModelTreeRules& rules,
                    bool drops) {
  const Moments moments(sample, rows, columns);
  std::vector<std::size_t> all(moments.columns.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  Slopes best = solve(moments, all, rules.penalty);
  while (drops && !best.of.empty()) {
    if (rules.pause) rules.pause();
    std::vector<std::size_t> fewer = best.of;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(smallest(best.slope)));
    Slopes without = solve(moments, std::move(fewer), rules.penalty);
    if (!(error_of(without, moments, rules.factor) <= error_of(best, moments, rules.factor))) break;
    best = std::move(without);
  }
  NodeLine line{.intercept = moments.mean};
  double total = 0;
  for (const double slope : best.slope) total += std::abs(slope);
  const double taken = (moments.squares - best.rss) / moments.weight;
  for (std::size_t i = 0; i < best.of.size(); ++i) {
    const Moments::Standard& own = moments.columns[best.of[i]];
    const double slope = best.slope[i] / own.deviation;
    line.intercept -= slope * own.mean;
    line.terms.push_back({.column = own.column,
                          .slope = slope,
                          .low = own.low,
                          .high = own.high,
                          .fill = std::clamp(own.mean, own.low, own.high),
                          .gain = total > 0 ? taken * std::abs(best.slope[i]) / total : 0});
  }
  return line;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "oblique/mixed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "linear_algebra/direction.hpp"

namespace ramify {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Calls visit(i, code) for some rows of a column.
template <class Visit>
void each_code(const Column& column, std::span<const std::uint32_t> rows, Visit visit) {
  std::visit(
      [&](const auto& codes) {
        for (std::size_t i = 0; i < rows.size(); ++i)
          visit(i, static_cast<std::uint32_t>(codes[rows[i]]));
      },
      column.codes);
}

/// Calls visit(i, f(value)) for some rows of a column: of its numbers, or of the scores of its
/// categories; NaN where there is none. Where codes are fewer than rows, f is called once per code.
template <class F, class Visit>
void each_value(const Column& column, std::span<const double> score,
                std::span<const std::uint32_t> rows, F f, Visit visit) {
  const std::uint32_t n_codes = column.n_codes();
  const auto of_code = [&](std::uint32_t code) {
    return f(code >= n_codes ? nan : column.is_categorical ? score[code] : column.lower(code));
  };
  if (n_codes < rows.size()) {
    std::vector<double> table(n_codes + std::size_t{1});
    for (std::uint32_t code = 0; code <= n_codes; ++code) table[code] = of_code(code);
    each_code(column, rows,
              [&](std::size_t i, std::uint32_t code) { visit(i, table[std::min(code, n_codes)]); });
  } else {
    each_code(column, rows, [&](std::size_t i, std::uint32_t code) { visit(i, of_code(code)); });
  }
}

/// The mean number of each category.
std::vector<double> category_means(const Column& column, const MixedRows& rows) {
  const std::uint32_t n_codes = column.n_codes();
  std::vector<double> sum(n_codes), total(n_codes);
  each_code(column, rows.row, [&](std::size_t i, std::uint32_t code) {
    if (code >= n_codes) return;
    sum[code] += rows.number[i];
    total[code] += rows.weight_of(i);
  });
  for (std::uint32_t code = 0; code < n_codes; ++code)
    sum[code] = total[code] > 0 ? sum[code] / total[code] : nan;
  return sum;
}

/// One number per category: the share of the second of two classes; of more, the shares along the
/// direction in which they differ most.
std::vector<double> category_scores(const Column& column, const MixedRows& rows) {
  const auto n_codes = static_cast<std::size_t>(column.n_codes()),
             n_classes = static_cast<std::size_t>(rows.n_classes);
  constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> place(n_codes, absent);  // among those that occur
  std::vector<double> sums, total, whole(n_classes);
  each_code(column, rows.row, [&](std::size_t i, std::uint32_t code) {
    if (code >= n_codes) return;
    if (place[code] == absent) {
      place[code] = total.size();
      total.push_back(0);
      sums.resize(sums.size() + n_classes);
    }
    const double weight = rows.weight_of(i);
    sums[place[code] * n_classes + rows.label[i]] += weight;
    total[place[code]] += weight;
    whole[rows.label[i]] += weight;
  });
  double all = 0;
  for (const double weight : whole) all += weight;
  std::vector<double> direction(n_classes);
  if (n_classes == 2) {
    direction[1] = 1;
  } else {
    std::vector<double> covariance(n_classes * n_classes), away(n_classes);
    for (std::size_t v = 0; v < total.size(); ++v) {
      for (std::size_t k = 0; k < n_classes; ++k)
        away[k] = sums[v * n_classes + k] / total[v] - whole[k] / all;
      for (std::size_t k = 0; k < n_classes; ++k)
        for (std::size_t l = 0; l < n_classes; ++l)
          covariance[k * n_classes + l] += total[v] / all * away[k] * away[l];
    }
    direction = main_direction(covariance, n_classes, 100, 1e-12);
  }
  std::vector<double> score(n_codes, nan);
  for (std::size_t code = 0; code < n_codes; ++code) {
    if (place[code] == absent) continue;
    score[code] = 0;
    for (std::size_t k = 0; k < n_classes; ++k)
      score[code] += direction[k] * sums[place[code] * n_classes + k] / total[place[code]];
  }
  return score;
}

}  // namespace

ValueRange range_of(const Column& column, std::span<const double> score,
                    std::span<const std::uint32_t> rows) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  ValueRange range{infinity, -infinity};
  if (!column.is_categorical) {  // codes are in the order of their numbers
    const std::uint32_t n_codes = column.n_codes();
    std::uint32_t lowest = n_codes, highest = 0;
    each_code(column, rows, [&](std::size_t, std::uint32_t code) {
      lowest = std::min(lowest, code);
      highest = std::max(highest, code < n_codes ? code : 0);
    });
    if (lowest < n_codes) range = {column.lower(lowest), column.lower(highest)};
    return range;
  }
  each_code(column, rows, [&](std::size_t, std::uint32_t code) {
    const double x = code < column.n_codes() ? score[code] : nan;
    range.low = x < range.low ? x : range.low;
    range.high = x > range.high ? x : range.high;
  });
  return range;
}

std::optional<MixedColumn> mixed_column(const Table& table, const MixedRows& rows,
                                        std::uint32_t column, Oblique::Scale scale,
                                        const ValueRange& global) {
  const Column& info = table.columns[column];
  MixedColumn mixed;
  mixed.column = column;
  mixed.is_categorical = info.is_categorical;
  if (info.is_categorical)
    mixed.score = rows.number.empty() ? category_scores(info, rows) : category_means(info, rows);
  const ValueRange here = range_of(info, mixed.score, rows.row);
  if (!(here.low < here.high) || !(here.half() > 0)) return {};
  // The mean in units of the range, which cannot overflow.
  double sum = 0, known = 0;
  const double middle = here.middle(), half = here.half();
  each_value(
      info, mixed.score, rows.row, [&](double x) { return (x - middle) / half; },
      [&](std::size_t i, double x) {
        const double weight = x == x ? rows.weight_of(i) : 0;
        sum += weight * (x == x ? x : 0);
        known += weight;
      });
  mixed.mean = std::clamp(middle + half * (sum / known), here.low, here.high);
  if (scale != Oblique::Scale::none) {
    const bool is_global = scale == Oblique::Scale::global && !info.is_categorical;
    mixed.origin = is_global ? global.middle() : middle;
    mixed.factor = 1 / (is_global ? global.half() : half);
  }
  mixed.spread = 2 * (half * mixed.factor);
  if (!std::isfinite(mixed.factor) || !(mixed.spread > 0) || !std::isfinite(mixed.spread))
    return {};
  return mixed;
}

std::vector<double> mixed_matrix(const Table& table, const MixedRows& rows,
                                 std::span<const MixedColumn> columns, bool by_column, Pool* pool) {
  const std::size_t n = rows.size(), d = columns.size();
  std::vector<double> matrix(n * d);
  // A stretch of rows at a time: they stay in the cache while column after column is written.
  constexpr std::size_t stretch = 512;
  const auto fill = [&](int part, int) {
    const std::size_t begin = static_cast<std::size_t>(part) * stretch;
    const auto here = std::span(rows.row).subspan(begin, std::min(stretch, n - begin));
    for (std::size_t j = 0; j < d; ++j) {
      const MixedColumn& mixed = columns[j];
      each_value(
          table.columns[mixed.column], mixed.score, here, [&](double x) { return mixed.scaled(x); },
          [&](std::size_t i, double x) {
            matrix[by_column ? j * n + begin + i : (begin + i) * d + j] = x;
          });
    }
  };
  const int n_parts = static_cast<int>((n + stretch - 1) / stretch);
  if (pool)
    pool->run(n_parts, fill);
  else
    for (int part = 0; part < n_parts; ++part) fill(part, 0);
  return matrix;
}

RawHyperplane in_raw_units(std::span<const MixedColumn> columns, const Direction& direction) {
  RawHyperplane plane;
  plane.threshold = -direction.bias;
  double all = 0, largest = 0;
  for (std::size_t j = 0; j < columns.size(); ++j)
    all += std::abs(direction.weight[j]) * columns[j].spread;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const MixedColumn& mixed = columns[j];
    const double weight = direction.weight[j] * mixed.factor;
    if (weight == 0) continue;
    const double share = std::abs(direction.weight[j]) * mixed.spread / all;
    if (share > largest) {
      largest = share;
      plane.column = static_cast<int>(mixed.column);
    }
    const auto column = static_cast<std::int64_t>(mixed.column);
    if (!mixed.is_categorical) {
      plane.terms.push_back({column, Term::number, weight, mixed.mean, share});
      plane.threshold += weight * mixed.origin;
      continue;
    }
    // Relative to the mean, so that a category that is not listed, or none, gives nothing.
    plane.threshold += weight * (mixed.origin - mixed.mean);
    double sum = 0;
    for (const double score : mixed.score)
      if (score == score) sum += std::abs(score - mixed.mean);
    for (std::size_t code = 0; code < mixed.score.size(); ++code) {
      const double away = mixed.score[code] - mixed.mean;
      if (away != away || away == 0) continue;
      plane.terms.push_back({column, static_cast<std::int64_t>(code), weight * away, 0,
                             share * (std::abs(away) / sum)});
    }
  }
  // The length of the weights is free: let it be 1. First by the largest, lest squares overflow.
  double widest = 0, squares = 0;
  for (const Term& term : plane.terms) widest = std::max(widest, std::abs(term.weight));
  for (const Term& term : plane.terms) squares += term.weight / widest * (term.weight / widest);
  const double length = std::sqrt(squares);
  bool is_finite = true;
  const auto shorten = [&](double& x) {
    x = x / widest / length;
    is_finite = is_finite && std::isfinite(x);
  };
  shorten(plane.threshold);
  for (Term& term : plane.terms) shorten(term.weight);
  if (!is_finite || plane.column < 0) return {};
  return plane;
}

void add_term(const Column& column, const Term& term, std::span<const std::uint32_t> rows,
              double* sums) {
  if (term.category == Term::number)
    each_value(
        column, {}, rows, [&](double x) { return term.value(x); },
        [&](std::size_t i, double value) { sums[i] += value; });
  else
    each_code(column, rows, [&](std::size_t i, std::uint32_t code) {
      sums[i] += term.value(code < column.n_codes() ? static_cast<double>(code) : nan);
    });
}

}  // namespace ramify

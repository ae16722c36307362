// SPDX-License-Identifier: BSD-3-Clause
#include "methods/ctree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "select/ties.hpp"
#include "util/contingency.hpp"

namespace ramify {
namespace {

/// Maximum score, for p-values that underflow, so that scores stay finite.
constexpr double surest = 1e6;

double score_of_log(double log_p) { return std::min(surest, -log_p / std::log(10.0)); }

/// A number of rows, and the dispersion between and within groups of them.
struct Spread {
  double n = 0, between = 0, within = 0;
  /// Hothorn's quadratic form: the between-group share of the total, times n - 1.
  double statistic() const {
    return n > 1 && between > 0 ? (n - 1) * between / (between + within) : 0;
  }
};

/// Weight, sum and squared deviations of points that are added one by one.
struct Heap {
  double n = 0, mean = 0, squares = 0;
  void add(double weight, double x) {
    if (weight <= 0) return;
    n += weight;
    const double away = x - mean;
    mean += weight / n * away;
    squares += weight * away * (x - mean);
  }
};

/// Dispersion between the means of some groups and within them. Rounding leaves a residue where all
/// points coincide.
Spread spread_of(std::span<const Heap> heaps, double factor) {
  Spread spread;
  double mean = 0;
  for (const Heap& heap : heaps) {
    spread.n += heap.n;
    mean += heap.n * heap.mean;
    spread.within += heap.squares;
  }
  mean /= spread.n;
  for (const Heap& heap : heaps) spread.between += heap.n * (heap.mean - mean) * (heap.mean - mean);
  const double trace = 1e-24 * spread.n * mean * mean;
  if (spread.between <= trace) spread.between = 0;
  spread.n *= factor;
  return spread;
}

/// Whether a linear statistic varies too little to be tested. Its variance is n / (n - 1) times
/// that of the target, times the sum of squared deviations of the column.
bool varies_too_little(double variance, double n, double squares, double tol) {
  return n > 1 && variance * n / (n - 1) * squares < tol;
}

/// The highest variance p (1 - p) of the indicators of some groups.
double highest_variance(std::span<const Heap> heaps, double n) {
  double highest = 0;
  for (const Heap& heap : heaps) highest = std::max(highest, heap.n / n * (1 - heap.n / n));
  return highest;
}

/// ln p of a numeric column: the means of the classes differ. None if it hardly varies.
std::optional<double> log_p_of_numeric(const Column& info, const CategorySums& categories,
                                       double factor, double tol) {
  const auto n_classes = static_cast<std::size_t>(categories.n_channels);
  std::vector<Heap> heaps(n_classes);
  // Relative to the middle, so that no precision is lost far from zero.
  const double first = info.lower(categories.code[0]);
  for (std::size_t i = 0; i < categories.size(); ++i) {
    const std::uint32_t code = categories.code[i];
    for (std::size_t k = 0; k < n_classes; ++k)
      heaps[k].add(categories.of(i)[k], std::midpoint(info.lower(code), info.upper(code)) - first);
  }
  const auto n_present = std::ranges::count_if(heaps, [](const Heap& heap) { return heap.n > 0; });
  if (n_present < 2) return 0;
  const Spread spread = spread_of(heaps, factor);
  if (varies_too_little(highest_variance(heaps, spread.n / factor), spread.n,
                        factor * (spread.between + spread.within), tol))
    return {};
  return log_chi2_tail(spread.statistic(), static_cast<double>(n_present - 1));
}

/// ln p of a categorical column: Pearson's statistic times (n - 1) / n, which permutations yield.
double log_p_of_categories(const CategorySums& categories, double factor) {
  const ChiSquareTest test =
      chi_square(categories.size(), static_cast<std::size_t>(categories.n_channels), factor,
                 [&](std::size_t i) { return categories.of(i); });
  const double n = factor * std::accumulate(categories.sums.begin(), categories.sums.end(), 0.0);
  return test.degrees > 0 && n > 1 ? log_chi2_tail((n - 1) / n * test.statistic, test.degrees) : 0;
}

/// Calls visit(weight, code, y) for the rows of a node with a value.
template <class Visit>
void each_number(const Training& training, const NodeColumn& column, Visit visit) {
  const Target& target = training.target;
  const std::uint32_t n_codes = training.column(column.number).n_codes();
  each_code(training, column.node, column.number, [&](std::uint32_t row, std::uint32_t code) {
    if (code < n_codes) visit(target.weight_of(row), code, target.values[row]);
  });
}

/// ln p in regression: the correlation of the target with a numeric column, or the distance between
/// the means of categories. 1 if the column is constant, none if it hardly varies.
std::optional<double> log_p_of_target(const Training& training, const NodeColumn& column,
                                      bool are_counts) {
  const Column& info = training.column(column.number);
  std::vector<Heap> heaps(info.is_categorical ? info.n_codes() : 0);
  Heap x, y;
  std::uint32_t n_rows = 0, lowest = info.n_codes(), highest = 0;
  const auto place = [&](std::uint32_t code) {
    return std::midpoint(info.lower(code), info.upper(code));
  };
  each_number(training, column, [&](double weight, std::uint32_t code, double number) {
    ++n_rows;
    lowest = std::min(lowest, code);
    highest = std::max(highest, code);
    y.add(weight, number);
    info.is_categorical ? heaps[code].add(weight, number) : x.add(weight, place(code));
  });
  if (n_rows == 0 || lowest == highest) return 1;
  const double factor = are_counts ? training.target.unit : n_rows / y.n;
  const double n = factor * y.n, tol = training.plan.ctree.tol;
  if (info.is_categorical) {
    std::erase_if(heaps, [](const Heap& heap) { return heap.n <= 0; });
    if (varies_too_little(y.squares / y.n, n, n * highest_variance(heaps, y.n), tol)) return {};
    if (!(y.squares > 0)) return 0;
    return log_chi2_tail(spread_of(heaps, factor).statistic(),
                         static_cast<double>(heaps.size() - 1));
  }
  double products = 0;
  each_number(training, column, [&](double weight, std::uint32_t code, double number) {
    products += weight * (place(code) - x.mean) * (number - y.mean);
  });
  if (varies_too_little(y.squares / y.n, n, factor * x.squares, tol)) return {};
  if (!(x.squares > 0) || !(y.squares > 0)) return 0;
  const double r = products / std::sqrt(x.squares) / std::sqrt(y.squares);
  return n > 1 ? log_chi2_tail((n - 1) * std::min(1.0, r * r), 1) : 0;
}

}  // namespace

bool weights_are_counts(const Target& target) {
  return std::ranges::all_of(target.weight, [&](double weight) {
    return weight * target.unit == std::trunc(weight * target.unit);
  });
}

Split test_by_ctree(const Training& training, const NodeColumn& column, bool are_counts,
                    CategorySums& categories) {
  const Column& info = training.column(column.number);
  Split split;
  split.column = column.number;
  std::optional<double> log_p;
  collect_categories(training, column, categories);
  if (training.target.is_numeric()) {
    log_p = log_p_of_target(training, column, are_counts);
    if (log_p && *log_p > 0) return Split::constant();
  } else {
    if (categories.size() > 0 && categories.code.back() == info.n_codes()) categories.pop();
    if (categories.size() < 2) return Split::constant();
    const double weight = std::accumulate(categories.sums.begin(), categories.sums.end(), 0.0);
    const double n_rows = std::accumulate(categories.rows.begin(), categories.rows.end(), 0.0);
    const double factor = are_counts ? training.target.unit : n_rows / weight;
    log_p = info.is_categorical
                ? log_p_of_categories(categories, factor)
                : log_p_of_numeric(info, categories, factor, training.plan.ctree.tol);
  }
  if (log_p) split.score = split.best = score_of_log(*log_p);
  return split;
}

std::vector<Split> rank_by_ctree(const Plan& plan, std::span<const Split> found) {
  std::vector<Split> ranked;
  std::ranges::copy_if(found, std::back_inserter(ranked),
                       [](const Split& split) { return split.exists(); });
  const auto n_tests = static_cast<double>(ranked.size());
  for (Split& split : ranked) {
    // 1 - (1 - p)^M; the smallest p-values exist only as logarithms.
    const double log_p = -split.score * std::log(10.0);
    const double p = std::exp(log_p);
    const double log_adjusted =
        p < 1e-12 ? log_p + std::log(n_tests) : std::log(-std::expm1(n_tests * std::log1p(-p)));
    split.tie_break = score_of_log(std::min(0.0, log_adjusted));
  }
  std::erase_if(ranked, [&](const Split& split) {
    return split.tie_break < -std::log10(plan.ctree.alpha) - 1e-12;
  });
  // The lowest of the tied columns, then the next.
  for (auto at = ranked.begin(); at != ranked.end(); ++at) {
    auto best = at;
    for (auto other = at; other != ranked.end(); ++other)
      if (beats(other->score, best->score)) best = other;
    std::rotate(at, best, best + 1);
  }
  ranked.resize(std::min<std::size_t>(ranked.size(), plan.ctree.n_tries));
  for (Split& split : ranked)
    split.score = split.best = std::exchange(split.tie_break, minus_infinity);
  return ranked;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "methods/quest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linear_algebra/direction.hpp"
#include "select/admissible.hpp"
#include "select/ties.hpp"
#include "util/contingency.hpp"

namespace ramify {
namespace {

/// Maximum score, for p-values that underflow, so that scores stay finite.
constexpr double highest_exponent = 1e6;

double score_of(double log_p) { return std::min(highest_exponent, -log_p / std::log(10.0)); }

/// Weighted points of each class on a line.
struct Points {
  const CategorySums& categories;
  std::vector<double> place;  // of each category
  double factor;              // turns weights into numbers of rows

  int n_classes() const { return categories.n_channels; }
  double total() const {
    return std::accumulate(categories.sums.begin(), categories.sums.end(), 0.0);
  }
  double n_rows() const {
    return std::accumulate(categories.rows.begin(), categories.rows.end(), 0.0);
  }
  double weight(std::size_t i, int k) const {
    return categories.of(i)[static_cast<std::size_t>(k)] * factor;
  }
};

/// Count, mean and sum of squared deviations of some points.
struct LineMoments {
  double n = 0, mean = 0, squares = 0;
  /// Rounding leaves a residue of variance where all points coincide.
  double variance() const {
    return n > 1 && squares > 1e-24 * n * mean * mean ? squares / (n - 1) : 0;
  }
};

/// The moments of the points of some classes; `place(i, k)` is the position of those of class k.
template <class Place, class Wanted>
LineMoments moments_of(const Points& points, Place place, Wanted is_wanted) {
  LineMoments moments;
  const auto each = [&](auto visit) {
    for (std::size_t i = 0; i < points.categories.size(); ++i)
      for (int k = 0; k < points.n_classes(); ++k)
        if (is_wanted(k)) visit(points.weight(i, k), place(i, k));
  };
  each([&](double weight, double x) {
    moments.n += weight;
    moments.mean += weight * x;
  });
  if (moments.n <= 0) return moments;
  moments.mean /= moments.n;
  each([&](double weight, double x) {
    moments.squares += weight * (x - moments.mean) * (x - moments.mean);
  });
  return moments;
}

/// ln p of the analysis of variance between the classes.
template <class Place>
double log_p_of_variance(const Points& points, Place place) {
  double within = 0, between = 0;
  int n_present = 0;
  const LineMoments all = moments_of(points, place, [](int) { return true; });
  for (int k = 0; k < points.n_classes(); ++k) {
    const LineMoments own = moments_of(points, place, [=](int other) { return other == k; });
    if (own.n <= 0) continue;
    ++n_present;
    within += own.squares;
    between += own.n * (own.mean - all.mean) * (own.mean - all.mean);
  }
  const double degrees = all.n - n_present;
  // Rounding leaves a residue where there is no difference at all.
  if (n_present < 2 || degrees <= 0 ||
      between <= 1e-14 * (all.squares + all.mean * all.mean * 1e-14))
    return 0;
  if (within <= 1e-14 * all.squares) return -std::numeric_limits<double>::infinity();
  return log_f_tail(between / (n_present - 1) / (within / degrees), n_present - 1, degrees);
}

/// Levene's test: whether the classes differ in spread.
double log_p_of_spread(const Points& points) {
  const auto place = [&](std::size_t i, int) { return points.place[i]; };
  std::vector<double> mean;
  for (int k = 0; k < points.n_classes(); ++k)
    mean.push_back(moments_of(points, place, [=](int other) { return other == k; }).mean);
  return log_p_of_variance(points, [&](std::size_t i, int k) {
    return std::abs(points.place[i] - mean[static_cast<std::size_t>(k)]);
  });
}

/// Divides the classes into two groups by 2-means of the class means, started at the extremes. True
/// for the classes of the group with the lower mean.
std::vector<std::uint8_t> superclasses(std::span<const LineMoments> classes) {
  std::vector<std::uint8_t> is_low(classes.size());
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::size_t largest = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (classes[k].n <= 0) continue;
    low = std::min(low, classes[k].mean);
    high = std::max(high, classes[k].mean);
    if (classes[k].n > classes[largest].n) largest = k;
  }
  if (!(low < high)) {  // all means are equal: the largest class against the rest
    is_low[largest] = 1;
    return is_low;
  }
  for (int step = 0; step < 100; ++step) {
    double sum[2] = {0, 0};
    int n[2] = {0, 0};
    const std::vector<std::uint8_t> before = is_low;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      if (classes[k].n <= 0) continue;
      is_low[k] = std::abs(classes[k].mean - low) <= std::abs(classes[k].mean - high);
      sum[is_low[k]] += classes[k].mean;
      ++n[is_low[k]];
    }
    low = sum[1] / n[1];
    high = sum[0] / n[0];
    if (is_low == before) break;
  }
  return is_low;
}

/// Where the densities of two normal distributions, times their shares, are equal: the root closer
/// to the lower mean that leaves points on both sides.
double discriminant_cut(const LineMoments& a, const LineMoments& b, double lowest, double highest) {
  const auto parts = [&](double x) { return x >= lowest && x < highest; };
  const double middle = (a.mean + b.mean) / 2;
  const double va = a.variance(), vb = b.variance();
  if (!(va > 0) || !(vb > 0)) return middle;
  const double log_ratio = std::log(a.n * std::sqrt(vb) / (b.n * std::sqrt(va)));
  const double c2 = va - vb, c1 = 2 * (a.mean * vb - b.mean * va);
  const double c0 = b.mean * b.mean * va - a.mean * a.mean * vb + 2 * va * vb * log_ratio;
  std::vector<double> roots;
  if (std::abs(c2) <= 1e-12 * std::max(va, vb)) {
    if (c1 != 0) roots.push_back(-c0 / c1);
  } else if (const double inside = c1 * c1 - 4 * c2 * c0; inside >= 0) {
    const double q = -(c1 + std::copysign(std::sqrt(inside), c1)) / 2;
    roots.push_back(q / c2);
    if (q != 0) roots.push_back(c0 / q);
  }
  std::ranges::sort(roots);
  std::ranges::stable_sort(roots, std::less{}, [&](double x) { return std::abs(x - a.mean); });
  for (const double root : roots)
    if (parts(root)) return root;
  return middle;
}

/// The first discriminant coordinate of each category: the first axis of the correspondence
/// analysis of categories and classes. The first non-zero coordinate is made negative.
std::vector<double> discriminant_coordinates(const CategorySums& categories) {
  const auto n_classes = static_cast<std::size_t>(categories.n_channels);
  std::vector<double> row_sum(categories.size()), column_sum(n_classes);
  for (std::size_t i = 0; i < categories.size(); ++i)
    for (std::size_t k = 0; k < n_classes; ++k) {
      row_sum[i] += categories.of(i)[k];
      column_sum[k] += categories.of(i)[k];
    }
  const double total = std::accumulate(row_sum.begin(), row_sum.end(), 0.0);
  const auto cell = [&](std::size_t i, std::size_t k) {
    if (column_sum[k] <= 0) return 0.0;
    const double expected = row_sum[i] * column_sum[k] / total;
    return (categories.of(i)[k] - expected) / std::sqrt(row_sum[i] * column_sum[k]);
  };
  std::vector<double> square(n_classes * n_classes);
  for (std::size_t i = 0; i < categories.size(); ++i)
    for (std::size_t j = 0; j < n_classes; ++j)
      for (std::size_t k = 0; k < n_classes; ++k)
        square[j * n_classes + k] += cell(i, j) * cell(i, k);
  const auto direction = main_direction(square, n_classes, 1000, 1e-14);
  std::vector<double> coordinate(categories.size());
  double sign = 0;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    for (std::size_t k = 0; k < n_classes; ++k) coordinate[i] += cell(i, k) * direction[k];
    coordinate[i] /= std::sqrt(row_sum[i]);
    if (sign == 0 && coordinate[i] != 0) sign = coordinate[i] < 0 ? 1 : -1;
  }
  for (double& x : coordinate) x *= sign;
  return coordinate;
}

/// The distinct values or categories of a column, missing ones left out, and the position of each
/// on a line. No points if the column is constant in the node.
Points points_of(const Training& training, const NodeColumn& column, CategorySums& categories) {
  const Column& info = training.column(column.number);
  collect_categories(training, column, categories);
  if (categories.size() > 0 && categories.code.back() == info.n_codes()) categories.pop();
  Points points{categories, {}, 1};
  if (categories.size() < 2) return points;
  points.factor = points.n_rows() / points.total();
  if (info.is_categorical) {
    points.place = discriminant_coordinates(categories);
    return points;
  }
  for (const std::uint32_t code : categories.code)
    points.place.push_back(std::midpoint(info.lower(code), info.upper(code)));
  return points;
}

/// The cut between the superclasses of some points.
double cut_of(const Points& points) {
  const auto at = [&](std::size_t i, int) { return points.place[i]; };
  std::vector<LineMoments> classes;
  for (int k = 0; k < points.n_classes(); ++k)
    classes.push_back(moments_of(points, at, [=](int other) { return other == k; }));
  const auto is_low = superclasses(classes);
  LineMoments a =
      moments_of(points, at, [&](int k) { return is_low[static_cast<std::size_t>(k)] != 0; });
  LineMoments b =
      moments_of(points, at, [&](int k) { return is_low[static_cast<std::size_t>(k)] == 0; });
  if (a.mean > b.mean) std::swap(a, b);
  const auto [lowest, highest] = std::ranges::minmax(points.place);
  return discriminant_cut(a, b, lowest, highest);
}

}  // namespace

Split test_by_quest(const Training& training, const NodeColumn& column, CategorySums& categories) {
  const Points points = points_of(training, column, categories);
  if (points.place.empty()) return Split::constant();
  Split split;
  split.column = column.number;
  split.is_optimal = false;
  if (training.column(column.number).is_categorical) {
    split.kind = SplitKind::categories;
    const auto test = chi_square(categories.size(), static_cast<std::size_t>(categories.n_channels),
                                 points.factor, [&](std::size_t i) { return categories.of(i); });
    split.score = split.best = score_of(test.log_p);
    return split;
  }
  split.score = split.best =
      score_of(log_p_of_variance(points, [&](std::size_t i, int) { return points.place[i]; }));
  split.tie_break = score_of(log_p_of_spread(points));
  return split;
}

Split cut_by_quest(const Training& training, const NodeColumn& column, Split split,
                   CategorySums& categories) {
  const Column& info = training.column(column.number);
  const Plan& plan = training.plan;
  const Points points = points_of(training, column, categories);
  const double cut = cut_of(points), total = points.total();
  std::vector<std::uint8_t> is_left(categories.size());
  for (std::size_t i = 0; i < categories.size(); ++i) is_left[i] = points.place[i] <= cut;
  if (info.is_categorical && !is_left[0])  // the lowest category is on the left
    for (std::uint8_t& side : is_left) side = !side;
  double weight_left = 0;
  std::uint64_t rows_left = 0;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    if (!is_left[i]) continue;
    const auto own = categories.of(i);
    weight_left += std::accumulate(own.begin(), own.end(), 0.0);
    rows_left += categories.rows[i];
    split.code = categories.code[i];
  }
  split.missing_left = is_left_heavier(plan.missing, weight_left, total - weight_left);
  split.rows_left = rows_left;
  const auto all_rows = static_cast<std::uint64_t>(points.n_rows());
  if (rows_left == 0 || rows_left == all_rows ||
      !tried_limits(plan).allow(rows_left, all_rows, weight_left, total)) {
    return {};
  }
  split.saw_missing = all_rows < column.node.n_rows();
  if (!info.is_categorical) {
    // Within a bin the cut would separate rows that are together here.
    const auto right = std::ranges::find(is_left, 0) - is_left.begin();
    split.next_code = categories.code[static_cast<std::size_t>(right)];
    if (info.upper(split.code) <= cut && cut < info.lower(split.next_code)) split.threshold = cut;
    return split;
  }
  split.codes = categories.code;
  for (const std::uint8_t side : is_left) split.branches.push_back(side ? 0 : 1);
  return split;
}

Split choose_by_quest(const Table& table, const Plan& plan, std::span<const Split> found) {
  int n_columns = 0, n_numeric = 0;
  const Split *best = nullptr, *widest = nullptr;
  for (const Split& split : found) {
    if (!split.exists()) continue;
    ++n_columns;
    if (!best || beats(split.score, best->score)) best = &split;
    if (table.columns[split.column].is_categorical) continue;
    ++n_numeric;
    if (!widest || beats(split.tie_break, widest->tie_break)) widest = &split;
  }
  if (!best) return {};
  const auto is_significant = [&](double score, int n_tests) {
    return score > -std::log10(plan.quest_alpha / n_tests);
  };
  if (!is_significant(best->score, n_columns) && widest &&
      is_significant(widest->tie_break, n_columns + n_numeric)) {
    Split split = *widest;
    split.score = split.best = split.tie_break;
    return split;
  }
  return *best;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Exhaustive search (Laack 2025): every hyperplane through r rows that mixes r columns, r = 1, 2 or
// 3. Rows on it go left. If there are too many, those through a sample of sets of rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

constexpr std::size_t max_points = 3;
using PointSet = std::array<std::uint32_t, max_points>;  // the first r are used

double n_sets(std::size_t n, std::size_t r) {
  double ways = 1;
  for (std::size_t i = 0; i < r; ++i)
    ways *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return n < r ? 0 : std::round(ways);
}

/// All subsets of size r out of n, in order.
std::vector<PointSet> all_sets(std::size_t n, std::size_t r) {
  std::vector<PointSet> sets;
  PointSet set{};
  const auto extend = [&](auto& self, std::size_t place, std::uint32_t from) -> void {
    if (place == r) return sets.push_back(set);
    for (std::uint32_t i = from; i + (r - place) <= n; ++i) {
      set[place] = i;
      self(self, place + 1, i + 1);
    }
  };
  extend(extend, 0, 0);
  return sets;
}

/// A random subset of size r out of n, sorted.
PointSet sampled_set(std::size_t n, std::size_t r, Rng& rng) {
  PointSet set{};
  for (std::size_t i = 0; i < r; ++i) {
    const auto last = static_cast<std::uint32_t>(n - r + i);
    const std::uint32_t sampled = rng.below(last + 1);
    const bool is_new = std::find(set.begin(), set.begin() + i, sampled) == set.begin() + i;
    set[i] = is_new ? sampled : last;
  }
  std::sort(set.begin(), set.begin() + r);
  return set;
}

struct Plane {
  std::array<double, max_points> weight{};
  double bias = 0;
};

class CartElc {
 public:
  CartElc(const ObliqueProblem& problem, const CartElcRules& rules)
      : problem_(problem),
        r_(std::min(static_cast<std::size_t>(rules.n_points), problem.n_columns)) {
    sort_rows();
    list_planes(static_cast<double>(rules.max_planes));
  }

  Proposal search() {
    if (row_sets_.empty() || !std::isfinite(slack_)) return {};
    // A task judges the planes of some sets of rows.
    const std::size_t n_tasks = (n_planes_ + planes_per_task - 1) / planes_per_task;
    std::vector<std::size_t> best_plane(n_tasks);
    const auto best = first_best(problem_, n_tasks, [&](int task, int worker) {
      const std::size_t begin = static_cast<std::size_t>(task) * planes_per_task;
      return best_of_range(begin, std::min(begin + planes_per_task, n_planes_),
                           *problem_.judges[static_cast<std::size_t>(worker)],
                           best_plane[static_cast<std::size_t>(task)]);
    });
    if (!best) return {};
    const auto [rows, columns] = sets_of(best_plane[*best]);
    const Plane plane = plane_through(rows, columns);
    Direction direction{std::vector<double>(problem_.n_columns), plane.bias - slack_, true};
    for (std::size_t i = 0; i < r_; ++i) direction.weight[columns[i]] = plane.weight[i];
    return direction;
  }

 private:
  static constexpr std::size_t planes_per_task = 4 * SideJudge::capacity;

  double value(std::size_t row, std::size_t column) const {
    return problem_.by_column ? problem_.values[column * problem_.n_rows + row]
                              : problem_.values[row * problem_.n_columns + column];
  }
  const double* column(std::size_t j) const { return columns_.data() + j * problem_.n_rows; }

  /// Sorts the rows by class, then by content, so that their order in the table does not matter;
  /// points_ are the distinct ones among them.
  void sort_rows() {
    const std::size_t n = problem_.n_rows, d = problem_.n_columns;
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      for (std::size_t j = 0; j < d; ++j)
        if (value(a, j) != value(b, j)) return value(a, j) < value(b, j);
      return false;
    };
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, before);
    std::vector<std::uint32_t> distinct = order;
    const auto repeated = std::ranges::unique(
        distinct, [&](std::uint32_t a, std::uint32_t b) { return !before(a, b) && !before(b, a); });
    distinct.erase(repeated.begin(), repeated.end());
    std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return problem_.label[row]; });
    columns_.resize(n * d);
    double largest = 1;
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t i = 0; i < n; ++i) {
        columns_[j * n + i] = value(order[i], j);
        largest = std::max(largest, std::abs(columns_[j * n + i]));
      }
    slack_ = 1e-9 * largest;
    std::vector<std::uint32_t> place(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      place[order[i]] = i;
      weight_.push_back(problem_.weight_of(order[i]));
    }
    for (const std::uint32_t row : distinct) points_.push_back(place[row]);
    class_end_.resize(problem_.class_weight.size());
    for (const std::uint32_t label : problem_.label) ++class_end_[label];
    std::partial_sum(class_end_.begin(), class_end_.end(), class_end_.begin());
  }

  void list_planes(double max) {
    const std::size_t n = points_.size(), d = problem_.n_columns;
    if (n < r_) return;
    const double by_columns = n_sets(d, r_);
    Rng rng(mix(problem_.key ^ 0x656c63));
    if (by_columns <= max) column_sets_ = all_sets(d, r_);
    if (n_sets(n, r_) * by_columns <= max) {
      row_sets_ = all_sets(n, r_);
    } else {
      const auto wanted = static_cast<std::size_t>(std::max(1.0, max / by_columns));
      const std::size_t n_sampled = column_sets_.empty() ? static_cast<std::size_t>(max) : wanted;
      for (std::size_t i = 0; i < n_sampled; ++i) row_sets_.push_back(sampled_set(n, r_, rng));
      if (column_sets_.empty())  // too many even for one set of rows: one for each
        for (std::size_t i = 0; i < n_sampled; ++i) own_columns_.push_back(sampled_set(d, r_, rng));
    }
    n_planes_ = row_sets_.size() * std::max<std::size_t>(1, column_sets_.size());
  }

  struct Sets {
    const PointSet &rows, &columns;
  };
  Sets sets_of(std::size_t plane) const {
    if (column_sets_.empty()) return {row_sets_[plane], own_columns_[plane]};
    return {row_sets_[plane / column_sets_.size()], column_sets_[plane % column_sets_.size()]};
  }

  /// The normal is the direction in which r points of r columns do not differ; its first non-zero
  /// weight is positive. Where there are several, the one that mixes the fewest columns.
  Plane plane_through(const PointSet& rows, const PointSet& columns) const {
    Plane plane;
    const auto at = [&](std::size_t point, std::size_t j) {
      return column(columns[j])[points_[rows[point]]];
    };
    auto& w = plane.weight;
    if (r_ == 1) {
      w[0] = 1;
    } else if (r_ == 2) {
      w = {at(1, 1) - at(0, 1), at(0, 0) - at(1, 0), 0};
      if (w[0] == 0 && w[1] == 0) w[1] = 1;
    } else {
      w = normal_of_three(at);
    }
    double squares = 0, sign = 0;
    for (const double each : w) {
      squares += each * each;
      if (sign == 0 && each != 0) sign = each > 0 ? 1 : -1;
    }
    for (std::size_t j = 0; j < r_; ++j) {
      w[j] *= sign / std::sqrt(squares);
      double mean = 0;
      for (std::size_t point = 0; point < r_; ++point) mean += at(point, j);
      plane.bias -= w[j] * mean / static_cast<double>(r_);
    }
    return plane;
  }

  template <class At>
  static std::array<double, 3> normal_of_three(At at) {
    std::array<double, 3> a{}, b{};
    double size_a = 0, size_b = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      a[j] = at(1, j) - at(0, j);
      b[j] = at(2, j) - at(0, j);
      size_a += a[j] * a[j];
      size_b += b[j] * b[j];
    }
    const auto cross = [](const auto& x, const auto& y) {
      return std::array{x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                        x[0] * y[1] - x[1] * y[0]};
    };
    const auto w = cross(a, b);
    const double size = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    if (size > 1e-24 * size_a * size_b) return w;
    const auto& line = size_a > 0 ? a : b;  // the points are on a line, or coincide
    if (size_a + size_b == 0) return {0, 0, 1};
    for (std::size_t j = 3; j-- > 0;)
      if (line[j] == 0) return {j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0};
    return {line[1], -line[0], 0};
  }

  /// The best of some planes, the first of equally good ones.
  double best_of_range(std::size_t begin, std::size_t end, SideJudge& judge,
                       std::size_t& best_plane) const {
    constexpr std::size_t stride = SideJudge::stride;
    std::vector<double> left(class_end_.size() * stride), scores(stride);
    std::vector<std::size_t> planes;
    double best = no_score;
    const auto judge_block = [&] {
      if (planes.empty()) return;
      judge.score(left.data(), static_cast<int>(planes.size()), scores.data());
      for (std::size_t i = 0; i < planes.size(); ++i)
        if (beats(scores[i], best)) {
          best = scores[i];
          best_plane = planes[i];
        }
      planes.clear();
    };
    for (std::size_t plane = begin; plane < end; ++plane) {
      const auto [rows, columns] = sets_of(plane);
      if (!part(plane_through(rows, columns), columns, left.data() + planes.size())) continue;
      planes.push_back(plane);
      if (planes.size() == SideJudge::capacity) judge_block();
    }
    judge_block();
    return best;
  }

  /// Sums the weights of each class on the left. Returns false if a side is too small.
  bool part(const Plane& plane, const PointSet& columns, double* left) const {
    const double *a = column(columns[0]), *b = column(columns[r_ > 1 ? 1 : 0]),
                 *c = column(columns[r_ > 2 ? 2 : 0]);
    const auto& w = plane.weight;
    const double max = slack_ - plane.bias;
    std::size_t rows_left = 0, begin = 0;
    double weight_left = 0;
    for (std::size_t k = 0; k < class_end_.size(); ++k) {
      double sum = 0;
      std::size_t count = 0;
      for (std::size_t i = begin; i < class_end_[k]; ++i) {
        const bool is_left = w[0] * a[i] + w[1] * b[i] + w[2] * c[i] <= max;
        sum += is_left ? weight_[i] : 0;
        count += is_left;
      }
      begin = class_end_[k];
      left[k * SideJudge::stride] = sum;
      rows_left += count;
      weight_left += sum;
    }
    return is_admissible(problem_, rows_left, weight_left);
  }

  const ObliqueProblem& problem_;
  std::size_t r_, n_planes_ = 0;
  double slack_ = 0;             // rows this close to a plane are on it
  std::vector<double> columns_;  // [column][row], rows by class
  std::vector<double> weight_;
  std::vector<std::size_t> class_end_;
  std::vector<std::uint32_t> points_;  // distinct rows
  std::vector<PointSet> row_sets_, column_sets_, own_columns_;
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const CartElcRules& rules) {
  return CartElc(problem, rules).search();
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "structure/enemies.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ramify {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// The squared distance of two points, or any value that is not below the limit.
double squared_distance(const double* a, const double* b, std::size_t n, double limit) {
  constexpr std::size_t at_once = 8;
  double sum = 0;
  for (std::size_t j = 0; j < n && sum < limit;) {
    const std::size_t end = std::min(j + at_once, n);
    for (; j < end; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  }
  return sum;
}

/// Scales the columns that vary to [0, 1].
void fill_points(std::span<const double> values, std::size_t d, std::span<const std::uint32_t> rows,
                 Enemies& enemies) {
  std::vector<double> low(d, unbounded), high(d, -unbounded);
  for (const std::uint32_t row : rows)
    for (std::size_t j = 0; j < d; ++j) {
      low[j] = std::min(low[j], values[row * d + j]);
      high[j] = std::max(high[j], values[row * d + j]);
    }
  std::vector<std::size_t> varies;
  for (std::size_t j = 0; j < d; ++j)
    if (high[j] > low[j]) varies.push_back(j);
  enemies.n_columns = varies.size();
  enemies.point.reserve(rows.size() * varies.size());
  for (const std::uint32_t row : rows)
    for (const std::size_t j : varies)
      enemies.point.push_back((values[row * d + j] - low[j]) * (1 / (high[j] - low[j])));
}

std::size_t widest_column(const Enemies& enemies) {
  const std::size_t d = enemies.n_columns, n = enemies.label.size();
  std::size_t widest = 0;
  double largest = -1;
  for (std::size_t j = 0; j < d; ++j) {
    double sum = 0, squares = 0;
    for (std::size_t row = 0; row < n; ++row) {
      const double x = enemies.at(row)[j];
      sum += x;
      squares += x * x;
    }
    const double spread = squares - sum * sum / static_cast<double>(n);
    if (spread > largest) largest = spread, widest = j;
  }
  return widest;
}

/// The closest pairs between the classes of rows that are added one after the other, by their
/// position along a column.
class ClosestPairs {
 public:
  explicit ClosestPairs(const Enemies& enemies)
      : enemies_(enemies), closest_(enemies.n_classes, unbounded), is_here_(enemies.n_classes) {
    added_.reserve(enemies.label.size());
  }

  void add(std::uint32_t row, double place) {
    const std::uint32_t own = enemies_.label[row];
    is_here_[own] = 1;
    double farthest = farthest_pair();
    if (enemies_.nearest[row] < farthest) {
      for (std::size_t i = added_.size(); i-- > 0;) {
        const auto& [other, other_place] = added_[i];
        const double gap = place - other_place;
        if (gap * gap >= farthest) break;
        if (pair_up(row, own, other)) farthest = farthest_pair();
      }
    }
    added_.push_back({row, place});
  }

  /// The mean over the closest pairs of all classes; 0 if there is one class.
  double mean() const {
    double sum = 0;
    int n = 0;
    for (std::size_t k = 0; k < closest_.size(); ++k) {
      if (!is_here_[k]) continue;
      sum += closest_[k];
      ++n;
    }
    return n < 2 ? 0 : sum / n;
  }

 private:
  struct Added {
    std::uint32_t row;
    double place;
  };

  /// The largest distance over all classes present: a pair farther apart changes nothing.
  double farthest_pair() const {
    double farthest = 0;
    for (std::size_t k = 0; k < closest_.size(); ++k)
      if (is_here_[k]) farthest = std::max(farthest, closest_[k]);
    return farthest;
  }

  bool pair_up(std::uint32_t row, std::uint32_t own, std::uint32_t other) {
    const std::uint32_t its = enemies_.label[other];
    if (its == own) return false;
    const double limit = std::max(closest_[own], closest_[its]);
    const double distance =
        squared_distance(enemies_.at(row), enemies_.at(other), enemies_.n_columns, limit);
    if (!(distance < limit)) return false;
    closest_[own] = std::min(closest_[own], distance);
    closest_[its] = std::min(closest_[its], distance);
    return true;
  }

  const Enemies& enemies_;
  std::vector<double> closest_;        // of each class: squared distance to its nearest enemy
  std::vector<std::uint8_t> is_here_;  // whether each class has a row
  std::vector<Added> added_;
};

}  // namespace

Enemies find_enemies(std::span<const double> values, int n_columns,
                     std::span<const std::uint32_t> rows, std::span<const std::uint32_t> label,
                     int n_classes) {
  Enemies enemies;
  enemies.n_classes = static_cast<std::size_t>(n_classes);
  enemies.label.assign(label.begin(), label.end());
  fill_points(values, static_cast<std::size_t>(n_columns), rows, enemies);
  const std::size_t n = rows.size();
  enemies.nearest.assign(n, unbounded);
  if (enemies.n_columns == 0) return enemies;
  const std::size_t widest = widest_column(enemies);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t row) { return enemies.at(row)[widest]; });
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t row = order[i];
    double& nearest = enemies.nearest[row];
    const auto look = [&](std::size_t place) {  // whether it is close enough to go on
      const std::uint32_t other = order[place];
      const double gap = enemies.at(other)[widest] - enemies.at(row)[widest];
      if (gap * gap >= nearest) return false;
      if (label[other] != label[row])
        nearest = std::min(nearest, squared_distance(enemies.at(row), enemies.at(other),
                                                     enemies.n_columns, nearest));
      return true;
    };
    bool goes_up = true, goes_down = true;
    for (std::size_t away = 1; goes_up || goes_down; ++away) {
      goes_up = goes_up && i + away < n && look(i + away);
      goes_down = goes_down && away <= i && look(i - away);
    }
  }
  return enemies;
}

std::vector<double> enemy_penalties(const Enemies& enemies, const CodedColumn& column,
                                    std::span<const double> place) {
  const std::size_t n = column.row.size();
  std::vector<double> penalty(n + 1);
  ClosestPairs left(enemies), right(enemies);
  for (std::size_t i = 0; i < n; ++i) {
    left.add(column.row[i], place[i]);
    penalty[i + 1] += left.mean();
  }
  for (std::size_t i = n; i-- > 0;) {
    right.add(column.row[i], place[i]);
    penalty[i] += right.mean();
  }
  return penalty;
}

}  // namespace ramify

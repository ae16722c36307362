// SPDX-License-Identifier: BSD-3-Clause
// How far apart the two parts of a class are that a cut tears, less the distances of the classes to
// the cut (between-node margin, larger is better; Du, Chen 2023). And how large a margin can be at
// most, from the weights on the left of a cut alone: most cuts need not be looked at closer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "plan/expression.hpp"
#include "structure/enemies.hpp"
#include "structure/segments.hpp"
#include "structure/space.hpp"

namespace ramify {

/// What is subtracted from a margin: nothing; the distances of the classes to the cut along its own
/// column (eq. 7); or the squared distances between classes in all columns (eq. 6).
enum class Penalty { none, along_column, euclidean };

/// What the measure is asked for.
struct MarginKind {
  Penalty penalty = Penalty::along_column;
  bool mean_of_columns = false;  // and not their sum, of squared distances in all columns

  double factor(int n_columns) const {
    return mean_of_columns && n_columns > 0 ? 1.0 / n_columns : 1;
  }
};

/// What a step of an expression asks for; Python numbers the penalties in their order.
inline MarginKind margin_kind(const ExpressionStep& step) {
  return {static_cast<Penalty>(static_cast<int>(step.first)), step.second != 0};
}

/// What is on the left of some cuts, class by class: numbers side by side for the calculation that
/// follows, of so few cuts that they stay in cache.
struct SpaceSums {
  static constexpr std::size_t capacity = 256;
  std::vector<double> weight, length;  // [class][cut]; the squared length of the sum of points
  std::vector<double> last, next;      // [class][cut]: the places nearest to the cut on both sides
  double threshold[capacity] = {};     // the place of the cut

  void start(std::size_t n_classes) {
    for (auto* each : {&weight, &length, &last, &next}) each->resize(n_classes * capacity);
  }
};

/// The margins of some cuts. Their places matter only for the penalty.
void margins_of(const NodeSpace& space, const SpaceSums& sums, MarginKind kind, std::size_t n_cuts,
                double* margins);

/// Where the values of a column lie, from 0 at the lowest of the node to 1 at the highest.
class ColumnPlaces {
 public:
  ColumnPlaces(const Column& column, const CodedColumn& coded, bool threshold_is_value)
      : column_(&column),
        low_(column.lower(coded.code.front())),
        scale_(1 / (column.lower(coded.code.back()) - low_)),
        threshold_is_value_(threshold_is_value) {}

  double of(std::uint32_t code) const { return (column_->lower(code) - low_) * scale_; }
  double between(std::uint32_t code, std::uint32_t next) const {
    const double threshold =
        threshold_is_value_ ? column_->upper(code) : column_->midpoint(code, next);
    return (threshold - low_) * scale_;
  }

 private:
  const Column* column_;
  double low_, scale_;
  bool threshold_is_value_;
};

/// Goes along a column and finds the margins of its cuts, from left to right.
class MarginWalk {
 public:
  /// `enemies` are needed for the Euclidean penalty alone.
  MarginWalk(const NodeSpace& space, const Enemies& enemies, const CodedColumn& column,
             const ColumnPlaces& places, MarginKind kind);

  /// The margins of cuts with so many rows on the left, more than those asked for before.
  void margins(std::span<const std::uint32_t> n_left, double* found);

 private:
  void sums_at(std::span<const std::uint32_t> n_left);
  void move();
  void subtract_penalties(std::span<const std::uint32_t> n_left, double* found);

  const NodeSpace& space_;
  const Enemies& enemies_;
  const CodedColumn& column_;
  ColumnPlaces places_;
  MarginKind kind_;
  std::size_t i_ = 0;                     // rows that have moved
  std::vector<double> sum_;               // [class][column]
  std::vector<double> length_, weight_;   // of each class
  std::vector<std::size_t> last_, next_;  // of each class: where its last and its next row are
  std::vector<std::uint8_t> is_stale_;    // is its length that of the sum before?
  SpaceSums sums_;
  std::vector<double> penalty_;  // Euclidean, by the rows on the left; empty: not found yet
};

/// What bounds the sum of the points of a class on one side of any cut.
struct MarginLimits {
  struct OfClass {
    double scatter = 0;  // at least the largest eigenvalue of the scatter matrix
    double reach = 0;    // at least the squared length of every point
    double slack = 0;    // what rounding may add to the squared length of a sum
  };
  std::vector<OfClass> classes;  // empty: nothing is known
};

/// Looks at all points of a node, once.
void find_limits(const NodeSpace& space, MarginLimits& limits);

/// Some cuts, by what they have on the left: left[class * stride + cut], in units of weight.
struct WeighedCuts {
  const double* left;
  std::size_t stride, n_cuts;  // at most SpaceSums::capacity
  double unit;
};

/// Bounds margins. What it needs is kept for the next cuts.
class MarginBounds {
 public:
  /// At least the margins of the cuts, the same for some that follow one another.
  void find(const NodeSpace& space, const MarginLimits& limits, MarginKind kind,
            const WeighedCuts& cuts, double* bounds) const;

  /// The same for each cut, and closely where few rows are on one side: no sum is longer than its
  /// points one after the other. n_left[cut] rows are on the left, and row_at(i) is the row at a
  /// place along the column.
  template <class RowAt>
  void find_closely(const NodeSpace& space, const MarginLimits& limits, MarginKind kind,
                    const WeighedCuts& cuts, const std::uint32_t* n_left, RowAt row_at,
                    double* bounds) {
    start(space);
    const auto n = static_cast<std::uint32_t>(space.n_rows()), few = few_of(n);
    std::uint32_t at = 0;
    for (std::size_t cut = 0; cut < cuts.n_cuts && n_left[cut] <= few; ++cut) {
      for (; at < n_left[cut]; ++at) add(space, row_at(at));
      note(cut);
    }
    start_side();
    at = n;
    for (std::size_t cut = cuts.n_cuts; cut-- > 0 && n - n_left[cut] <= few;) {
      while (at > n_left[cut]) add(space, row_at(--at));
      note(cut);
    }
    finish(space, limits, kind, cuts, bounds);
  }

  /// So many rows are few: more of them, and the scatter says as much as their lengths.
  static std::uint32_t few_of(std::uint32_t n_rows) { return std::clamp(n_rows / 16, 64u, 2048u); }

 private:
  void start(const NodeSpace& space);
  void start_side();
  void add(const NodeSpace& space, std::uint32_t row);
  void note(std::size_t cut);
  void finish(const NodeSpace& space, const MarginLimits& limits, MarginKind kind,
              const WeighedCuts& cuts, double* bounds);

  SpaceSums sums_;
  std::vector<double> running_;  // of each class: lengths of the points on one side
  std::vector<double> reach_;    // [class][cut]: at most so long is the sum
};

}  // namespace ramify

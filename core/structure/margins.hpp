// SPDX-License-Identifier: BSD-3-Clause
// The distance between the two parts of a class that a cut divides, minus the distances of the
// classes to the cut (between-node margin, larger is better; Du, Chen 2023). Also an upper bound of
// the margin from the weights on the left of a cut alone: most cuts need no closer look.
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

/// The variant of the measure.
struct MarginKind {
  Penalty penalty = Penalty::along_column;
  bool mean_of_columns = false;  // instead of the sum, for squared distances in all columns

  double factor(int n_columns) const {
    return mean_of_columns && n_columns > 0 ? 1.0 / n_columns : 1;
  }
};

/// The variant that a step of an expression requests; Python numbers the penalties in their order.
inline MarginKind margin_kind(const ExpressionStep& step) {
  return {static_cast<Penalty>(static_cast<int>(step.first)), step.second != 0};
}

/// The sums on the left of some cuts, class by class: adjacent values for the computation that
/// follows, for so few cuts that they stay in the cache.
struct SpaceSums {
  static constexpr std::size_t capacity = 256;
  std::vector<double> weight, length;  // [class][cut]; the squared length of the sum of points
  std::vector<double> last, next;      // [class][cut]: positions closest to the cut on each side
  double threshold[capacity] = {};     // the position of the cut

  void start(std::size_t n_classes) {
    for (auto* each : {&weight, &length, &last, &next}) each->resize(n_classes * capacity);
  }
};

/// The margins of some cuts. Their positions matter only for the penalty.
void margins_of(const NodeSpace& space, const SpaceSums& sums, MarginKind kind, std::size_t n_cuts,
                double* margins);

/// Positions of the values of a column, from 0 at the lowest of the node to 1 at the highest.
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

/// Scans a column and finds the margins of its cuts, from left to right.
class MarginWalk {
 public:
  /// `enemies` are needed only for the Euclidean penalty.
  MarginWalk(const NodeSpace& space, const Enemies& enemies, const CodedColumn& column,
             const ColumnPlaces& places, MarginKind kind);

  /// The margins of cuts by their number of rows on the left, which must exceed those of earlier
  /// calls.
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
  std::size_t i_ = 0;                     // rows that have moved to the left
  std::vector<double> sum_;               // [class][column]
  std::vector<double> length_, weight_;   // of each class
  std::vector<std::size_t> last_, next_;  // of each class: positions of its last and its next row
  std::vector<std::uint8_t> is_stale_;    // whether the length is that of an earlier sum
  SpaceSums sums_;
  std::vector<double> penalty_;  // Euclidean, by the number of rows on the left; empty: unknown
};

/// Bounds of the sum of a class's points on one side of any cut.
struct MarginLimits {
  struct OfClass {
    double scatter = 0;  // upper bound of the scatter matrix's largest eigenvalue
    double reach = 0;    // upper bound of the squared length of every point
    double slack = 0;    // what rounding may add to the squared length of a sum
  };
  std::vector<OfClass> classes;  // empty: nothing is known
};

/// Finds the limits in one pass over the points of a node.
void find_limits(const NodeSpace& space, MarginLimits& limits);

/// Some cuts, by their weights on the left: left[class * stride + cut], in units of weight.
struct WeighedCuts {
  const double* left;
  std::size_t stride, n_cuts;  // at most SpaceSums::capacity
  double unit;
};

/// Bounds margins; keeps its buffers for the next cuts.
class MarginBounds {
 public:
  /// Upper bounds for each cut, tight where few rows are on one side: no sum is longer than its
  /// points laid end to end. n_left[cut] rows are on the left, and row_at(i) is the row at position
  /// i along the column; at most `few` rows from either end are looked up.
  template <class RowAt>
  void find(const NodeSpace& space, const MarginLimits& limits, MarginKind kind,
            const WeighedCuts& cuts, const std::uint32_t* n_left, std::uint32_t few, RowAt row_at,
            double* bounds) {
    start(space);
    const auto n = static_cast<std::uint32_t>(space.n_rows());
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

  /// The number of rows that count as few: with more of them, the scatter bounds as well as their
  /// lengths.
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
  std::vector<double> reach_;    // [class][cut]: maximum length of the sum
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// One worker's search on sets of rows, with memory that is used again and again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "optimal/depth_two.hpp"
#include "optimal/found.hpp"
#include "optimal/interval.hpp"
#include "optimal/pairs.hpp"

namespace ramify::optimal {

/// An interval that waits: the lowest bound first, then the widest, then the first column.
struct Waiting {
  Interval interval;
  double bound = 0, width = 0;

  bool operator<(const Waiting& other) const {  // comes later?
    if (bound != other.bound) return bound > other.bound;
    if (width != other.width) return width < other.width;
    if (interval.column != other.interval.column) return interval.column > other.interval.column;
    return interval.first > other.interval.first;
  }
};

/// A cut whose sides were solved, as far as its limit needed.
struct Asked {
  std::uint32_t cut = 0;
  Sides sides;
  Found left, right;
};

/// What the tree of a cut costs; infinity if a side was not solved, or has too few rows.
double cost_of(const RowSet& rows, std::uint32_t column, const Asked& asked);

/// What waits at one node: intervals of all columns, and the best tree so far.
class Frontier {
 public:
  /// `whole`: what all rows cost with a level less, or a bound of it. One column only, or all.
  Frontier(const RowSet& rows, double whole, std::optional<std::uint32_t> only = {});

  /// The next interval that may hold a cut below `wanted`, or none.
  std::optional<Interval> pop(double wanted);
  void put(const Interval& interval, double wanted);
  /// The halves of an interval whose cut is known now.
  void put(const Interval& interval, const Asked& asked, double wanted);
  std::size_t size() const { return waiting_.size(); }
  /// No cut that waits costs less, and a penalty.
  double bound() const {
    return waiting_.empty() ? std::numeric_limits<double>::infinity() : waiting_.front().bound;
  }

 private:
  const RowSet& rows_;
  std::vector<Waiting> waiting_;  // a heap
};

class Solver {
 public:
  /// `pause` is called now and then; it may throw.
  explicit Solver(std::function<void()> pause = {}) : pause_(std::move(pause)) {}

  /// Finds the best tree of a depth of at least two if it costs less than `limit`.
  Found solve(const RowSet& rows, int depth, double limit);
  /// Solves both sides of the middle of an interval, if that may cost less than `wanted`.
  Asked ask(const RowSet& rows, const Interval& interval, int depth, double wanted);

  std::uint64_t n_subproblems = 0, n_cuts = 0;
  std::uint64_t max_subproblems = std::uint64_t{1} << 62;

 private:
  RowSet& room(int depth) {
    while (static_cast<int>(rooms_.size()) <= depth) rooms_.emplace_back();
    return rooms_[static_cast<std::size_t>(depth)];
  }

  std::function<void()> pause_;
  std::deque<RowSet> rooms_;  // by depth; references stay valid
  DepthTwo depth_two_;
  std::unique_ptr<PairSolver> pairs_;  // made when columns of two values are met
};

/// Thrown when more sets would be solved than are allowed.
struct OverBudget {};

}  // namespace ramify::optimal

// SPDX-License-Identifier: BSD-3-Clause
// Scores partitions of the rows: any partition, or the best cut of projected rows.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "oblique/problem.hpp"
#include "select/ties.hpp"
#include "util/row_order.hpp"

namespace ramify {

/// The score of what is not admissible, or was not found.
inline constexpr double no_score = -std::numeric_limits<double>::infinity();

/// Rows up to `at` go left.
struct LineCut {
  double score = no_score;
  double at = 0;
  std::uint32_t rows_left = 0;

  bool exists() const { return score > no_score; }
};

/// Finds the best cut of rows along a line. Every thread has its own.
class LineScan {
 public:
  explicit LineScan(const ObliqueProblem& problem);

  /// Tries the midpoint of any two distinct neighbours; of equally good cuts the lowest is kept.
  /// Positions must be finite.
  LineCut best(std::span<const double> place, SideJudge& judge);

 private:
  void note_cut(std::size_t rows_left);
  void judge_block(SideJudge& judge);
  double middle_at(std::uint32_t rows_left) const;

  const ObliqueProblem& problem_;
  double total_ = 0;  // weight of all rows
  RowOrder order_;
  std::vector<double> sorted_;   // the positions
  std::vector<double> running_;  // by channel, on the left
  std::vector<double> left_, scores_;
  std::vector<std::uint32_t> rows_left_;  // of each cut of the block
  int n_cuts_ = 0;
  double top_ = no_score;  // the highest score of all, which the first of several ties may miss
  LineCut best_;
};

/// What a thread needs to find the best cuts of directions.
struct LineBuffers {
  explicit LineBuffers(const ObliqueProblem& problem) : scan(problem), place(problem.n_rows) {}
  LineScan scan;
  std::vector<double> place;
};

/// Scores single partitions of the rows.
class SplitJudge {
 public:
  SplitJudge(const ObliqueProblem& problem, SideJudge& judge);

  /// `is_left(row)` decides where a row goes. Returns `no_score` if a side is too small.
  template <class IsLeft>
  double score(IsLeft is_left) {
    std::size_t rows_left = 0;
    running_.assign(running_.size(), 0);
    for (std::size_t row = 0; row < problem_.n_rows; ++row) {
      const bool here = is_left(row);
      rows_left += here;
      if (here) add(row);
    }
    return score_of(rows_left);
  }

 private:
  double score_of(std::size_t rows_left);
  void add(std::size_t row) {
    const double weight = problem_.weight_of(row);
    if (problem_.is_numeric()) {
      running_[0] += weight;
      running_[1] += problem_.number[row];
    } else {
      running_[problem_.label[row]] += weight;
    }
  }

  const ObliqueProblem& problem_;
  SideJudge& judge_;
  std::vector<double> running_, left_, scores_;
};

/// Whether a node may be split like this.
bool is_admissible(const ObliqueProblem& problem, std::size_t rows_left, double weight_left);

/// Projects the rows onto a direction; for matrices of doubles.
void project(const ObliqueProblem& problem, std::span<const double> weight,
             std::span<double> place);

/// The first of the best of n candidates, scored by score(i, worker). Returns nothing if all have
/// `no_score`, or the user wants to stop.
std::optional<std::size_t> first_best(const ObliqueProblem& problem, std::size_t n,
                                      const std::function<double(int i, int worker)>& score);

/// The first of the best of some directions, by their own cuts or, where they have none, by the
/// best cut of their line. Those without weights, or with NaN, are left out.
Proposal best_of(const ObliqueProblem& problem, std::vector<Direction> candidates);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// A hyperplane that climbs: it moves along lines, one after the other, to the position with the
// best score. What OC1 and CART-LC share.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "oblique/problem.hpp"
#include "oblique/toggle.hpp"
#include "util/rng.hpp"

namespace ramify {

/// The matrix of a problem, column by column.
class ColumnReader {
 public:
  explicit ColumnReader(const ObliqueProblem& problem);

  std::size_t n_columns() const { return n_columns_; }
  const double* column(std::size_t column) const { return values_ + column * n_rows_; }
  /// weight . x + bias of every row.
  void project(const Direction& at, std::span<double> value) const;

 private:
  std::size_t n_rows_, n_columns_;
  const double* values_;
  std::vector<double> transposed_;  // if the matrix is row-major
};

/// A line of hyperplanes: what t = 1 adds.
struct Line {
  const double* slope = nullptr;   // to the value of each row
  std::span<const double> weight;  // to the weights; or
  std::size_t column = 0;          // to one of them only
  double one_weight = 0;
  double bias = 0;
};

/// Every thread has its own.
class Climber {
 public:
  Climber(const ObliqueProblem& problem, const ColumnReader& matrix, const LogTable& logs,
          SideJudge& judge);

  void start_at(Direction at);
  /// Uniform in [-1, 1], the bias too.
  void start_anywhere(Rng& rng);

  const Direction& at() const { return at_; }
  double score() const { return score_; }
  /// Whether no better hyperplane is possible.
  bool is_perfect() const { return score_ >= scan_->highest(); }

  /// The lines that change one weight, or the bias. Valid until the next call.
  Line along_column(std::size_t column);
  Line along_bias();
  /// The line of a random direction.
  Line along_any(Rng& rng);

  /// The best interval on a line, unless the score here beats it.
  Interval look(const Line& line) { return scan_->best(value_.data(), line.slope, score_); }
  /// Moves to the middle of an interval. Moves back and returns false if rounding made it worse
  /// than expected and than the current position.
  bool go(const Line& line, const Interval& to);
  /// Recomputes the values, so that the score is that of the current weights.
  void settle();

  ToggleScan& scan() { return *scan_; }

 private:
  const ObliqueProblem& problem_;
  const ColumnReader& matrix_;
  std::unique_ptr<ToggleScan> scan_;
  Direction at_, random_;
  std::vector<double> value_, ones_, slope_;
  double score_ = no_score;
  int n_moves_ = 0;  // since the values were recomputed
};

}  // namespace ramify

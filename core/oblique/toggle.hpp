// SPDX-License-Identifier: BSD-3-Clause
// Hyperplanes along a line: value + t * slope of each row. Every row changes sides at one t; the
// best interval between two such positions is found exactly.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "oblique/problem.hpp"
#include "oblique/scan.hpp"

namespace ramify {

/// An interval of t in which no row changes sides, and its score.
struct Interval {
  double score = no_score;
  double low = 0, high = 0;

  bool exists() const { return score > no_score; }
  double middle() const { return low + (high - low) / 2; }
};

/// x log2 x of integers, as integers. Sums of them are exact, so that the same rows on the left
/// score the same whatever path led there. Made once per node, read by all threads.
struct LogTable {
  explicit LogTable(const ObliqueProblem& problem);  // empty if the criterion needs none

  std::vector<std::int64_t> value;
  double unit = 1;  // what 1 in the table stands for
};

/// Searches lines, one after the other. Every thread has its own.
class ToggleScan {
 public:
  virtual ~ToggleScan() = default;

  /// The best interval between two positions; of equally good ones the lowest. Rows with value + t
  /// * slope < 0 go left; rows without slope stay where they are. Scores that `to_beat` beats are
  /// ignored.
  virtual Interval best(const double* value, const double* slope, double to_beat = no_score) = 0;
  /// The score of the hyperplane itself: rows with value < 0 go left.
  virtual double score(const double* value) = 0;
  /// Scores from here on cannot be beaten; infinite if unknown.
  virtual double highest() const = 0;
};

std::unique_ptr<ToggleScan> make_toggle_scan(const ObliqueProblem& problem, const LogTable& logs,
                                             SideJudge& judge);

}  // namespace ramify

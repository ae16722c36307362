// SPDX-License-Identifier: BSD-3-Clause
// The best split of classes on sorted lists. Where the criterion has a bound: the peaks of all
// columns in floats, then exact scores of the few cuts near the highest. Else every cut is scored.
#pragma once

#include <span>
#include <vector>

#include "rows/sorted_lists.hpp"
#include "search/class_bound.hpp"
#include "search/non_constant_columns.hpp"
#include "search/sorted_cuts.hpp"
#include "select/judge.hpp"

namespace ramify {

/// A node of classes that waits.
struct ClassNode : ListSegment {
  int depth = 0, place = 0;
  std::uint64_t key = 0;
  NonConstantColumns::Range non_constant{};
  double lower = 0, upper = 1;
};

/// One thread's search.
class SortedClassSearch {
 public:
  SortedClassSearch(const Training& training, const SortedLists& lists, const ClassScores& scores);
  SortedClassSearch(const SortedClassSearch&) = delete;

  /// Prepares for the columns of a node. Do several threads search them, each its own?
  void start(const ClassNode& node, std::span<const double> statistics, bool is_shared);
  /// Is there a bound, so that peaks tell which columns matter?
  bool has_bound() const { return has_bound_; }
  /// Some bounds need a score to compare with: that of one of the columns. Others say nothing of
  /// some cuts, which are scored here.
  void prepare_peaks(std::span<const std::uint32_t> columns);
  /// What the best cut of a column is worth in floats: negative if none is admissible, NaN if the
  /// column is constant. Several threads may ask.
  float peak(std::uint32_t column) const;
  /// When all peaks are known: scores the cuts near the highest.
  void learn_to_beat(std::span<const std::uint32_t> columns, std::span<const float> peaks);
  /// The best split of a column with this peak, if it may win.
  Split best_near_peak(std::uint32_t column, float peak);
  /// The best split of a column by all its cuts, if it may win.
  Split best_of_all(std::uint32_t column);
  /// The same for all columns at once, for an interpreted criterion.
  std::vector<Split> best_interpreted(std::span<const std::uint32_t> columns);
  /// Adds to a split that was chosen the codes beside its cut.
  void name_codes(Split& split) const;

 private:
  class Corners;

  /// The column of the highest peak, and the best of its cuts that reached a value.
  struct Highest {
    std::uint32_t column = ~0u;
    float wanted = 0;
    Split split{};
  };

  /// Places of cuts, from the first to the last.
  struct PlaceRange {
    std::uint32_t first, last;
  };

  SortedCuts begin(std::uint32_t column);
  void judge(SortedCuts& cuts) const;
  Split end(const SortedCuts& cuts);
  template <class Use>
  auto with_list(std::uint32_t column, Use use) const;
  float wanted();
  std::span<const std::uint32_t> near(std::uint32_t column, float wanted);
  PlaceRange places_with_all(std::uint32_t column) const;
  Split best_near(std::uint32_t column, float wanted);
  bool may_win(std::uint32_t column, std::span<const std::uint32_t> near);

  Training training_;
  const SortedLists& lists_;
  ClassChannels classes_;
  ClassBound bound_;
  CutScorer scorer_;
  Node node_;          // as a judge sees it
  ListSegment where_;  // and where its rows are
  NodeChannels channels_;
  std::vector<std::uint32_t> labels_;  // the classes that occur
  bool has_bound_ = false, is_shared_ = false;
  double lead_score_ = 0, lead_tie_ = 0;  // the best of the columns so far
  Highest highest_;
  std::vector<double> left_;
  std::vector<std::uint32_t> places_;  // of cuts that come near
  std::vector<double> end_tops_;       // by column: the best of the cuts that have no bound
  CutBuffers cuts_;
};

}  // namespace ramify

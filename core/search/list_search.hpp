// SPDX-License-Identifier: BSD-3-Clause
// The best cut of a column whose rows lie in flagged lists. A filter says which blocks of cuts may
// matter; these are made into keys and scored as everywhere.
#pragma once

#include <atomic>
#include <map>
#include <span>
#include <vector>

#include "expressions/users.hpp"
#include "rows/flagged.hpp"
#include "scan/flags.hpp"
#include "scan/hull.hpp"
#include "select/judge.hpp"

namespace ramify {

/// A node that waits. Its live columns are behind those of its ancestors, or the same.
struct ListNode : FlaggedNode {
  int depth = 0, place = 0;
  std::uint64_t key = 0;
  std::uint32_t n_non_constant = 0, non_constant_begin = 0;
  double lower = 0, upper = 1;
};

/// One thread's search.
class ListSearch {
 public:
  ListSearch(const Training& training, const FlaggedLists& lists, const Weighing& weighing,
             const ClassScores& scores);

  /// Prepares for the columns of a node. Where several threads search them, `to_beat` is what they
  /// have found together: to miss a part of it costs time and changes nothing.
  void start(const ListNode& node, std::span<const double> statistics,
             std::atomic<double>* to_beat = nullptr);
  enum class Found { constant, nothing, split };
  /// The best split of a column, or nothing if none can win against those seen before.
  Found look_at(std::uint32_t column, Split& split);
  /// The same for all columns at once, for an interpreted criterion.
  std::vector<Split> look_at_all(std::span<const std::uint32_t> columns);
  /// Adds to a split that was chosen the codes beside its cut.
  void name_codes(Split& split) const;

 private:
  struct Walk;
  Walk begin(std::uint32_t column);
  NodeColumn name_column(const Walk& walk) const;
  void start_weights();
  void set_filter();
  void note_node();
  double wanted(const Walk& walk) const;
  double min_for(double score) const;
  double wanted_tie(const Walk& walk) const;
  void request_cuts(double score, double tie = minus_infinity);
  CutSumsCall sums_call(const Walk& walk);
  bool has_all_classes(const Walk& walk) const;
  bool find_cuts(Walk& walk);
  void note_missing(const Walk& walk);
  void count_valued(const Walk& walk);
  void weigh_classes(int n_cuts);
  bool may_matter(Walk& walk);
  void judge(Walk& walk);
  bool has_sums(const Walk& walk) const;
  void score_block(Walk& walk);
  void score_found(Walk& walk);
  void offer(Walk& walk, double top);
  std::uint32_t write_keys(Walk& walk);
  void sum_block(Walk& walk);
  void end_sums(const Walk& walk);
  double score_sides(Walk& walk);
  double score_left(const Walk& walk, bool missing_left, double* scores);
  bool score_chunks(const HullCall& hulls, double wanted, double* scores);
  void score_cuts(const double* left, int n_cuts, double* scores);
  void offer_with_ties(Walk& walk);
  double score_sums(const Walk& walk, std::uint32_t n_keys);
  void note_last(const Walk& walk);

  void share_best(double best);

  Training training_;
  const FlaggedLists& lists_;
  const Weighing& weighing_;
  const ClassScores& scores_;
  const ChosenCriterion& criterion_;
  const SetCriterion* builtin_;  // or null
  ClassChannels classes_;
  CutBatch batch_;
  const FlagKernels& kernels_;
  Node node_;          // as a judge sees it
  FlaggedNode where_;  // and where its rows are
  NodeChannels channels_;
  DeviationFilter filter_;
  bool has_filter_ = false, has_hulls_ = false;
  bool is_dense_ = true;  // has the block most of the cuts of its stretch?
  // What the bound of the criterion knows of the node, and what it needs of cuts, by rows on the
  // left, to reach a score.
  BoundNode bound_node_;
  bool is_filled_ = false;
  double filled_for_ = 0, filled_for_tie_ = 0;
  std::uint32_t n_passed_ = 0;      // rows since then
  double lead_ = 0, lead_tie_ = 0;  // the best of the columns so far, and what settles ties
  std::map<int, std::vector<double>> sides_;  // by the number of classes
  std::vector<double> needed_;
  std::vector<float> needed_floats_;
  std::atomic<double>* shared_to_beat_ = nullptr;
  std::vector<std::uint32_t> labels_;  // the classes that occur
  std::vector<float> row_shares_;      // what a row of each weighs, of the node's weight
  // The same where weights are looked up.
  RowWeights rows_{};
  WeightFilter weight_filter_;
  std::vector<double> is_class_, weight_left_, weight_at_start_, weight_missing_, zero_;
  std::vector<double> weight_shares_, weight_factors_;
  std::vector<std::uint32_t> in_parent_;
  std::vector<float> shares_, factors_, bends_, per_own_, per_rest_, weights_;
  std::vector<std::uint32_t> left_[2], at_start_;  // counts: missing rows on the right, on the left
  std::vector<std::uint32_t> counts_;
  std::vector<double> terms_, valued_;
  std::vector<std::uint32_t> keys_;
  CutBuffers cuts_;
  class Sparing;
  double corners_[2 * CutBlock::stride], corner_scores_[CutBlock::stride];
};

}  // namespace ramify

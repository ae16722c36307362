// SPDX-License-Identifier: BSD-3-Clause
// Exact sums and scores of cuts of sorted lists.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expressions/users.hpp"
#include "rows/sorted_lists.hpp"
#include "scan/hull.hpp"
#include "scan/sorted_scan.hpp"
#include "select/judge.hpp"

namespace ramify {

/// A column of a node of classes while its cuts are summed up exactly.
class SortedCuts {
 public:
  SortedCuts(const SortedLists& lists, const ListSegment& node, const NodeChannels& channels,
             const Column& info, std::uint32_t column, std::vector<double>& left);

  std::uint32_t column() const { return column_; }
  const Column& info() const { return info_; }
  std::uint32_t n_valued() const { return n_; }
  std::uint32_t n_missing() const { return n_missing_; }
  std::uint32_t next() const { return next_; }
  const double* left() const { return left_.data(); }
  int class_bits() const { return layout_.class_bits; }
  bool is_done() const { return next_ >= n_; }

  /// Writes the places of the cuts of the block that begins here, and where it ends: before its
  /// last cut, or behind all rows.
  std::span<const std::uint32_t> cuts_of_block(std::uint32_t* places, std::uint32_t& end) const;
  /// Writes the places of the cuts from `begin` on, below `end`; gives the end of what is written.
  std::uint32_t* write_places(std::uint32_t begin, std::uint32_t end, std::uint32_t* places) const;
  /// Moves rows to the left.
  void go_to(std::uint32_t place);
  /// Goes along some cuts, and writes their sums.
  void sum(std::span<const std::uint32_t> places, CutBlock& block);
  /// Class weights of the missing values.
  void sum_missing(double* sums) const;
  /// The rows up to `end` as keys: the number of cuts before a row is its code.
  std::uint32_t write_keys(std::uint32_t end, std::vector<std::uint32_t>& keys) const;
  /// A judge asks of the codes beside a cut only whether missing values follow.
  void note_last(CutBlock& block) const;

  std::optional<Judge> judge{};

 private:
  /// Does the code of a place differ from that of the one before?
  bool is_cut(std::uint32_t place) const { return items_[place] & FlagLayout::flag; }
  void count_second(std::span<const std::uint32_t> places, CutBlock& block);
  void add(std::uint32_t begin, std::uint32_t end, double* sums) const;
  void add_words(std::uint32_t begin, std::uint32_t end, double* sums) const;

  const Column& info_;
  std::uint32_t column_;
  const std::uint32_t* items_;
  FlagLayout layout_;
  std::uint32_t n_, n_missing_, next_ = 0;
  const std::uint32_t* channel_;  // of each label
  const double* weight_;          // by row; null if all weigh one
  std::vector<double>& left_;     // class weights on the left
};

/// Scores blocks of cuts of a node of classes, and shows them to the judge of their column.
class CutScorer {
 public:
  CutScorer(const Training& training, const ClassScores& scores, const ClassChannels& classes,
            const NodeChannels& channels);

  void start(bool has_weights);
  bool has_hulls() const { return has_hulls_; }
  /// Are the blocks of a column scored by one sum per side? The last digits of such sums depend on
  /// where they began.
  bool has_key_sums(const Column& info) const;
  /// Scores the sums of a block. `is_dense`: has it most of the cuts along the list?
  void score(SortedCuts& cuts, CutBuffers& buffers, bool is_dense);
  /// Scores the block up to `end`, where its cuts lie.
  void score_keys(SortedCuts& cuts, CutBuffers& buffers, std::uint32_t end);
  /// Scores that are not above `wanted` may become minus infinity.
  void score_cuts(const double* left, int n_cuts, double* scores, double wanted = minus_infinity);

 private:
  double score_side(const SortedCuts& cuts, CutBuffers& buffers, bool missing_left, bool is_dense);
  bool score_chunks(const HullCall& hulls, double wanted, double* scores);
  void offer(SortedCuts& cuts, CutBuffers& buffers, double top);
  void offer_with_ties(SortedCuts& cuts, CutBuffers& buffers);

  Training training_;
  const ClassScores& scores_;
  const ClassChannels& classes_;
  const NodeChannels& channels_;
  const ChosenCriterion& criterion_;
  const SetCriterion* builtin_;  // or null
  bool has_hulls_ = false, is_counted_ = true;
  CutBatch batch_;
  std::vector<std::uint32_t> keys_, counts_, in_parent_;
  std::vector<double> terms_;
  double corners_[2 * CutBlock::stride], corner_scores_[CutBlock::stride];
};

}  // namespace ramify

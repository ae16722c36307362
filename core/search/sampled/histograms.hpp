// SPDX-License-Identifier: BSD-3-Clause
// Low-cardinality columns of coded rows: counted by class in sixteen bits; or by pairs of sums,
// where two classes occur and columns have categories or missing values.
#pragma once

#include <span>
#include <vector>

#include "search/sampled/node.hpp"
#include "select/admissible.hpp"

namespace ramify {

/// May rows be counted by code and class? Counts say what rows weigh, and how many they are if each
/// weighs one.
inline bool may_count_rows(const Target& target, const Plan& plan) {
  return target.is_integer() && target.n_all_classes() <= CellCall::max_classes &&
         !plan.random_cuts && (target.weight.empty() || !tried_limits(plan).any());
}

template <class Key>
class SampledHistograms {
 public:
  using Sum = typename Weigher<Key>::Sum;

  explicit SampledHistograms(SampledNode<Key>& node);

  /// Prepares for the columns of the node at hand.
  void start();
  /// Can no column be better than those that were looked at?
  bool is_done() const { return has_max_ && !beats(max_, node_.to_beat); }

  /// Is a column counted by pairs? Only nodes of two classes have them.
  bool has_pairs(std::uint32_t column) const {
    return node_.classes.size() == 2 && node_.n_rows >= counted_from_[column];
  }
  /// Counts at most columns_at_once columns; pairs(j) has those of the j-th. Who reads them clears
  /// them.
  void count_pairs(std::span<const std::uint32_t> columns);
  std::span<PairSum<Sum>> pairs(std::size_t j) { return pairs_[j]; }
  /// The best cut of the j-th of them, a column of numbers.
  SampledCut best_of_pairs(std::size_t j, const Column& column);

  /// May all of these columns be counted in sixteen bits, or have they been?
  bool may_count_cells(std::span<const std::uint32_t> columns) const;
  void look_at_cells(std::span<const std::uint32_t> columns, SampledCut* cuts);

 private:
  void prepare_pairs();
  bool may_order(const Column& column) const;
  Seen walk_cells(const std::uint16_t* cells, std::uint32_t n_codes);
  Seen walk_all(const std::uint16_t* cells, std::uint32_t n_codes);

  SampledNode<Key>& node_;
  std::vector<PairSum<Sum>> pairs_[columns_at_once];  // cleared after use
  std::vector<std::uint32_t> counted_from_;           // rows, by column: see prepare_pairs
  const IntegerKernel* integer_ = nullptr;            // of the criterion, if its sums are exact
  int cell_stride_ = 0;                               // zero: no column is counted
  std::vector<std::uint16_t> cells_[columns_at_once], cell_parent_;
  std::vector<double> running_;
  bool has_max_ = false;
  double max_ = 0;  // the most that a cut of the node can score
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Sampled columns of low cardinality: counted in sixteen bits for criteria whose sums of integer
// weights are exact; by pairs of sums for any criterion where two classes occur; else from keys.
#pragma once

#include <span>
#include <vector>

#include "search/sampled/node.hpp"

namespace ramify {

template <class Key>
class SampledHistograms {
 public:
  using Sum = typename Weigher<Key>::Sum;

  explicit SampledHistograms(SampledNode<Key>& node);

  /// Is a column counted by pairs? Only nodes of two classes have them.
  bool has_pairs(std::uint32_t column) const {
    return node_.classes.size() == 2 && node_.n_rows >= counted_from_[column];
  }
  /// Counts at most columns_at_once columns; pairs(j) has those of the j-th. Who reads them clears
  /// them.
  void count_pairs(const SampledQuery& query, std::span<const std::uint32_t> columns);
  std::span<PairSum<Sum>> pairs(std::size_t j) { return pairs_[j]; }
  /// The best cut of the j-th of them, a column of numbers.
  SampledCut best_of_pairs(std::size_t j, const Column& column);

  /// May all of these columns be counted in sixteen bits?
  bool may_count_cells(std::span<const std::uint32_t> columns) const;
  void look_at_cells(const SampledQuery& query, std::span<const std::uint32_t> columns,
                     SampledCut* cuts);

  /// Is it cheaper to count rows by code and class than to sort them?
  bool may_count(const Column& column) const;
  SampledCut best_counted(const Key* keys, const Column& column);

 private:
  void prepare_integer();
  void prepare_pairs();
  bool may_order(const Column& column) const;
  SampledCut random_of(Seen seen, std::uint32_t column, std::uint64_t key) const;

  SampledNode<Key>& node_;
  std::vector<PairSum<Sum>> pairs_[columns_at_once];  // cleared after use
  std::vector<std::uint32_t> counted_from_;           // rows, by column: see prepare_pairs
  std::vector<Sum> by_code_;                          // [code][channel], cleared after use
  const IntegerKernel* integer_ = nullptr;            // of the criterion, if its sums are exact
  int cell_stride_ = 0;
  std::vector<std::uint16_t> cells_[columns_at_once], cell_parent_;
};

}  // namespace ramify

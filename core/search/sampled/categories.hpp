// SPDX-License-Identifier: BSD-3-Clause
// The best subset of the categories of a sampled column: the same choice as that of the axis
// search, from the keys of the rows; or a prefix of their order, where two classes occur.
#pragma once

#include <span>
#include <vector>

#include "categories/pair_order.hpp"
#include "categories/subsets.hpp"
#include "search/sampled/sorted_keys.hpp"

namespace ramify {

template <class Key>
class SampledCategories {
 public:
  using Sum = typename Weigher<Key>::Sum;

  explicit SampledCategories(SampledNode<Key>& node) : node_(node) {}

  void start() {
    ordered_column_ = SampledNode<Key>::nobody;
    ordered_best_ = minus_infinity;
  }
  /// The best prefix of the categories in the order of their shares. Keeps the order of the best so
  /// far: if its column is chosen, its categories are to be listed.
  SampledCut best_prefix(std::span<PairSum<Sum>> pairs, std::uint32_t column);
  bool keeps_order_of(std::uint32_t column) const { return ordered_column_ == column; }
  /// Writes down which categories a prefix of the order that is kept puts on which side.
  void list_prefix(Split& split) const;

  /// The best subset, from keys.
  SampledCut best_subset(Key* keys, std::uint32_t column, SortedKeys<Key>& sorter);
  /// Writes down which categories the chosen subset puts on which side.
  void list_subset(Key* keys, SortedKeys<Key>& sorter, Split& split);

 private:
  void sum_by_code(const Key* keys, std::uint32_t n_codes);
  void sum_sorted(const Key* sorted);
  bool start_subsets(Key* keys, std::uint32_t column, SortedKeys<Key>& sorter);

  SampledNode<Key>& node_;
  PairOrder orders_[2];  // of the column at hand, and of the best so far
  int free_order_ = 0;   // the other one is that of:
  std::uint32_t ordered_column_ = SampledNode<Key>::nobody;
  double ordered_best_ = minus_infinity;
  CategorySums categories_;
  Subsets subsets_;
  std::vector<double> always_left_, sums_by_code_;
  std::vector<std::uint32_t> rows_by_code_;
};

}  // namespace ramify

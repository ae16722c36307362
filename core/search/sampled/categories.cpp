// SPDX-License-Identifier: BSD-3-Clause
#include "search/sampled/categories.hpp"

#include <algorithm>

#include "select/judge.hpp"

namespace ramify {

template <class Key>
SampledCut SampledCategories<Key>::best_prefix(std::span<PairSum<Sum>> pairs,
                                               std::uint32_t column) {
  PairOrder& order = orders_[free_order_];
  order.take(pairs.first(node_.table.columns[column].n_codes() + std::size_t{1}));
  SampledCut cut;
  cut.is_constant = order.n_categories() < 2;
  if (cut.is_constant) return cut;
  order.fill(node_.block);
  node_.score(node_.block.n_cuts, node_.scores);
  cut.code = static_cast<std::uint32_t>(node_.offer(cut));
  if (cut.best > ordered_best_) {
    ordered_best_ = cut.best;
    ordered_column_ = column;
    free_order_ ^= 1;
  }
  return cut;
}

template <class Key>
void SampledCategories<Key>::list_prefix(Split& split) const {
  orders_[free_order_ ^ 1].list(split.code, split.codes, split.branches);
  split.is_optimal = true;
}

template <class Key>
void SampledCategories<Key>::sum_by_code(const Key* keys, std::uint32_t n_codes) {
  const auto n_classes = static_cast<std::size_t>(node_.classes.size());
  rows_by_code_.assign(n_codes, 0);
  sums_by_code_.assign(n_codes * n_classes, 0);
  for (std::uint32_t i = 0; i < node_.n_rows; ++i) {
    const std::uint32_t code = node_.layout.code(keys[i]);
    ++rows_by_code_[code];
    sums_by_code_[code * n_classes + node_.classes.channel[node_.layout.label(keys[i])]] +=
        node_.weigher.of(keys[i]);
  }
  for (std::uint32_t code = 0; code < n_codes; ++code)
    if (rows_by_code_[code] > 0)
      std::copy_n(sums_by_code_.data() + code * n_classes, n_classes,
                  categories_.add(code, rows_by_code_[code]));
}

template <class Key>
void SampledCategories<Key>::sum_sorted(const Key* sorted) {
  const std::uint32_t n = node_.n_rows;
  for (std::uint32_t i = 0, end = 0; i < n; i = end) {
    const std::uint32_t code = node_.layout.code(sorted[i]);
    while (end < n && node_.layout.code(sorted[end]) == code) ++end;
    double* sums = categories_.add(code, end - i);
    for (std::uint32_t at = i; at < end; ++at)
      sums[node_.classes.channel[node_.layout.label(sorted[at])]] += node_.weigher.of(sorted[at]);
  }
}

/// Sums the categories of a column, and prepares their subsets. False if it is constant.
template <class Key>
bool SampledCategories<Key>::start_subsets(Key* keys, std::uint32_t column,
                                           SortedKeys<Key>& sorter) {
  const Column& info = node_.table.columns[column];
  const auto n_classes = static_cast<std::size_t>(node_.classes.size());
  categories_.clear(node_.classes.size());
  if (info.is_low_cardinality())
    sum_by_code(keys, info.n_codes() + 1);
  else
    sum_sorted(sorter.sort(keys, node_.n_rows));
  always_left_.clear();
  std::uint64_t rows_always_left = 0;
  const bool has_forced =
      is_side_named(node_.plan.missing) && categories_.code.back() == info.n_codes();
  if (has_forced) {
    if (is_left_named(node_.plan.missing)) {
      const auto own = categories_.of(categories_.size() - 1);
      always_left_.assign(own.begin(), own.end());
      rows_always_left = categories_.rows.back();
    }
    categories_.pop();
  }
  if (categories_.size() < 2) return false;
  subsets_.start(
      node_.plan, categories_,
      {std::span(node_.classes.weight).first(n_classes), node_.classes.size(), node_.classes.size(),
       true, always_left_, rows_always_left, has_forced || leaf_limits(node_.plan).any(),
       node_.query.key ^ mix(std::uint64_t{column} + 1), 0, tried_limits(node_.plan), has_forced});
  return true;
}

template <class Key>
SampledCut SampledCategories<Key>::best_subset(Key* keys, std::uint32_t column,
                                               SortedKeys<Key>& sorter) {
  SampledCut cut;
  cut.is_constant = !start_subsets(keys, column, sorter);
  if (cut.is_constant) return cut;
  CutBlock& block = node_.block;
  for (subsets_.next(block); block.n_cuts > 0; subsets_.next(block)) {
    node_.score(block.n_cuts, node_.scores);
    node_.refuse_few_rows();
    const int i = node_.offer(cut);
    if (i >= 0) cut.code = block.code[i];
  }
  return cut;
}

template <class Key>
void SampledCategories<Key>::list_subset(Key* keys, SortedKeys<Key>& sorter, Split& split) {
  start_subsets(keys, static_cast<std::uint32_t>(split.column), sorter);
  split.codes = categories_.code;
  for (const std::uint8_t is_left : subsets_.left_of(split.code))
    split.branches.push_back(is_left ? 0 : 1);
  split.is_optimal = subsets_.is_optimal();
}

template class SampledCategories<CountKey>;
template class SampledCategories<RowKey>;

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Sampled columns that have missing values, or that hold categories: the same choice as that of the
// axis search, from the keys of the rows.
#pragma once

#include <algorithm>
#include <numeric>

#include "categories/subsets.hpp"
#include "search/sampled.hpp"
#include "select/judge.hpp"

namespace ramify {

template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::best_of_special(Key* keys, std::uint32_t n,
                                                                     std::uint32_t column,
                                                                     std::uint64_t key) {
  return table_.columns[column].is_categorical ? best_subset(keys, n, column, key)
                                               : best_with_missing(keys, n, column, key);
}

template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::best_with_missing(Key* keys, std::uint32_t n,
                                                                       std::uint32_t column,
                                                                       std::uint64_t key) {
  const Column& info = table_.columns[column];
  const Key bound = Key{info.n_codes()} << layout_.code_shift();
  Key* const gap = std::partition(keys, keys + n, [=](Key each) { return each < bound; });
  const auto n_valued = static_cast<std::uint32_t>(gap - keys);
  n_missing_ = n - n_valued;
  if (n_missing_ == 0 && !plan_.random_cuts) return best_cut(keys, n, info);
  std::ranges::fill(missing_, 0.0);
  for (const Key* each = gap; each != keys + n; ++each)
    missing_[classes_.channel[layout_.label(*each)]] += weigher_.of(*each);
  Cut cut;
  cut.saw_missing = n_missing_ > 0;
  const KeyRange<Key> range = n_valued > 0 ? kernels_.range(keys, n_valued) : KeyRange<Key>{0, 0};
  const bool is_single = layout_.code(range.min) == layout_.code(range.max);
  cut.is_constant = n_valued == 0 || (n_missing_ == 0 && is_single);
  if (cut.is_constant) return cut;
  if (plan_.random_cuts) {
    random_with_missing(keys, n_valued, column, key, cut);
    return cut;
  }
  const Key* sorted = kernels_.sort(keys, n_valued, layout_.code_shift(), spare_.data());
  if (may_walk_sums(info) && !plan_.criterion.builtin->has_integer_sums)
    walk_sums_with_missing(sorted, n_valued, info, cut);
  else
    walk_with_missing(sorted, n_valued, info, cut);
  return cut;
}

/// All cuts between values, and that of all values against the rest.
template <class Key>
void SampledSearch<Key>::walk_with_missing(const Key* sorted, std::uint32_t n_valued,
                                           const Column& column, Cut& cut) {
  running_.assign(static_cast<std::size_t>(classes_.size()), 0);
  WalkOf<Key> walk = walk_from(sorted, n_valued, running_.data());
  const auto note_codes = [&] {
    for (int i = 0; i < block_.n_cuts; ++i) {
      const std::uint32_t at = block_.rows_left[i];
      block_.code[i] = layout_.code(sorted[at - 1]);
      block_.next_code[i] = at < n_valued ? layout_.code(sorted[at]) : column.n_codes();
    }
  };
  for (kernels_.walk(walk, block_); block_.n_cuts > 0; kernels_.walk(walk, block_)) {
    note_codes();
    score_with_missing(column.n_codes(), cut);
  }
  for (int k = 0; k < classes_.size(); ++k)
    block_.left[k * CutBlock::stride] =
        classes_.weight[static_cast<std::size_t>(k)] - missing_[static_cast<std::size_t>(k)];
  block_.n_cuts = 1;
  block_.rows_left[0] = n_valued;
  note_codes();
  score_with_missing(column.n_codes(), cut);
}

/// Scores the block with the missing rows on the right and on the left.
template <class Key>
void SampledSearch<Key>::score_with_missing(std::uint32_t n_codes, Cut& cut) {
  score(block_.n_cuts, scores_);
  for (int k = 0; k < classes_.size(); ++k)
    for (int i = 0; i < block_.n_cuts; ++i)
      block_.left[k * CutBlock::stride + i] += missing_[static_cast<std::size_t>(k)];
  score(block_.n_cuts, left_scores_);
  offer_with_missing(n_codes, cut);
}

/// Refuses what is not admissible, as Judge::refuse, and looks at the rest.
template <class Key>
void SampledSearch<Key>::offer_with_missing(std::uint32_t n_codes, Cut& cut) {
  const LeafLimits limits = tried_limits(plan_);
  const auto n = static_cast<std::uint32_t>(n_rows_);
  const auto refuse = [&](bool left, double* scores) {
    for (int i = 0; i < block_.n_cuts; ++i) {
      const bool is_last = block_.next_code[i] >= n_codes;
      const std::uint32_t rows = block_.rows_left[i] + (left ? n_missing_ : 0);
      if (!may_go(plan_.missing, left) || (limits.rows > 1 && !limits.allow_rows(rows, n)) ||
          (is_last && !may_stand_apart(plan_.missing, left)))
        scores[i] = minus_infinity;
    }
  };
  refuse(false, scores_);
  refuse(true, left_scores_);
  const double top = std::max(kernels().largest(scores_, block_.n_cuts),
                              kernels().largest(left_scores_, block_.n_cuts));
  const Leader found =
      take_lead(top, scores_, left_scores_, block_.n_cuts, minus_infinity, cut.best, cut.score);
  if (found.cut < 0) return;
  cut.missing_left = found.missing_left;
  cut.code = block_.code[found.cut];
  cut.next_code = block_.next_code[found.cut];
}

template <class Key>
void SampledSearch<Key>::walk_sums_with_missing(const Key* sorted, std::uint32_t n_valued,
                                                const Column& column, Cut& cut) {
  if constexpr (Weigher<Key>::counts) {
    const auto n_classes = counts_.size();
    std::vector<std::uint32_t> counts(2 * n_classes);
    std::vector<double> terms(4 * n_classes);
    std::ranges::copy(missing_, counts.begin() + static_cast<std::ptrdiff_t>(n_classes));
    KeySumWalk right_walk = sum_walk(sorted, n_valued, true, counts.data(), terms.data()),
               left_walk = sum_walk(sorted, n_valued, true, counts.data() + n_classes,
                                    terms.data() + 2 * n_classes);
    while (true) {
      plan_.criterion.builtin->walk_key_sums(left_walk, block_, left_scores_);
      plan_.criterion.builtin->walk_key_sums(right_walk, block_, scores_);
      if (block_.n_cuts == 0) return;
      for (int i = 0; i < block_.n_cuts; ++i) {
        const std::uint32_t at = block_.rows_left[i];
        block_.code[i] = layout_.code(sorted[at - 1]);
        block_.next_code[i] = at < n_valued ? layout_.code(sorted[at]) : column.n_codes();
      }
      offer_with_missing(column.n_codes(), cut);
    }
  }
}

/// One random cut; of one value only, that of the values against the rest.
template <class Key>
void SampledSearch<Key>::random_with_missing(const Key* keys, std::uint32_t n_valued,
                                             std::uint32_t column, std::uint64_t key, Cut& cut) {
  const Column& info = table_.columns[column];
  const auto [min, max] = kernels_.range(keys, n_valued);
  const std::uint32_t first = layout_.code(min), last = layout_.code(max);
  const std::span<const Key> valued(keys, n_valued);
  cut.threshold = std::numeric_limits<double>::infinity();
  block_.code[0] = first;
  block_.next_code[0] = info.n_codes();
  if (first != last) {
    cut.threshold = random_threshold(info, static_cast<int>(column), key, first, last);
    block_.code[0] = last_up_to(cut.threshold, info, valued, first, last);
    block_.next_code[0] = last;  // some code that is not the last of all
    if (info.upper(block_.code[0]) > cut.threshold &&
        std::ranges::any_of(valued, [&](Key k) { return layout_.code(k) == block_.code[0]; }))
      return;
  }
  std::ranges::fill(counts_, Sum{0});
  const Key bound = Key{block_.code[0] + 1} << layout_.code_shift();
  block_.rows_left[0] = kernels_.count_below(keys, n_valued, weigher_, bound,
                                             static_cast<int>(counts_.size()), counts_.data());
  for (int k = 0; k < classes_.size(); ++k)
    block_.left[k * CutBlock::stride] = counts_[classes_.name[static_cast<std::size_t>(k)]];
  block_.n_cuts = 1;
  if (n_missing_ > 0) return score_with_missing(info.n_codes(), cut);
  score(1, scores_);
  left_scores_[0] = minus_infinity;
  offer_with_missing(info.n_codes(), cut);
}

/// Few categories, and nothing that limits the choice: then a prefix is the best of two classes.
template <class Key>
bool SampledSearch<Key>::may_order(const Column& column) const {
  return column.is_low_cardinality() && plan_.categories == Categories::subset &&
         plan_.max_subset == 0 && !plan_.random_cuts && !is_side_named(plan_.missing) &&
         !leaf_limits(plan_).any() && plan_.criterion.is_quasi_convex();
}

/// Keeps the order of the best so far: if its column is chosen, its categories are to be listed.
template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::best_prefix(PairSum<Sum>* cells,
                                                                 std::uint32_t column) {
  PairOrder& order = orders_[free_order_];
  order.take(std::span(cells, table_.columns[column].n_codes() + std::size_t{1}));
  Cut cut;
  cut.is_constant = order.n_categories() < 2;
  if (cut.is_constant) return cut;
  order.fill(block_);
  score(block_.n_cuts, scores_);
  cut.code = static_cast<std::uint32_t>(offer(cut));
  if (cut.best > ordered_best_) {
    ordered_best_ = cut.best;
    ordered_column_ = column;
    free_order_ ^= 1;
  }
  return cut;
}

/// Sums the categories of a column, and prepares their subsets. False if it is constant.
template <class Key>
bool SampledSearch<Key>::start_subsets(Key* keys, std::uint32_t n, std::uint32_t column,
                                       std::uint64_t key) {
  const Column& info = table_.columns[column];
  const auto n_classes = static_cast<std::size_t>(classes_.size());
  categories_.clear(classes_.size());
  if (info.is_low_cardinality()) {
    rows_by_code_.assign(info.n_codes() + std::size_t{1}, 0);
    sums_by_code_.assign(rows_by_code_.size() * n_classes, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t code = layout_.code(keys[i]);
      ++rows_by_code_[code];
      sums_by_code_[code * n_classes + classes_.channel[layout_.label(keys[i])]] +=
          weigher_.of(keys[i]);
    }
    for (std::uint32_t code = 0; code < rows_by_code_.size(); ++code)
      if (rows_by_code_[code] > 0)
        std::copy_n(sums_by_code_.data() + code * n_classes, n_classes,
                    categories_.add(code, rows_by_code_[code]));
  } else {
    const Key* sorted = kernels_.sort(keys, n, layout_.code_shift(), spare_.data());
    for (std::uint32_t i = 0, end = 0; i < n; i = end) {
      const std::uint32_t code = layout_.code(sorted[i]);
      while (end < n && layout_.code(sorted[end]) == code) ++end;
      double* sums = categories_.add(code, end - i);
      for (std::uint32_t at = i; at < end; ++at)
        sums[classes_.channel[layout_.label(sorted[at])]] += weigher_.of(sorted[at]);
    }
  }
  always_left_.clear();
  std::uint64_t rows_always_left = 0;
  const bool has_forced = is_side_named(plan_.missing) && categories_.code.back() == info.n_codes();
  if (has_forced) {
    if (is_left_named(plan_.missing)) {
      const auto own = categories_.of(categories_.size() - 1);
      always_left_.assign(own.begin(), own.end());
      rows_always_left = categories_.rows.back();
    }
    categories_.pop();
  }
  if (categories_.size() < 2) return false;
  subsets_.start(plan_, categories_,
                 {std::span(classes_.weight).first(n_classes), classes_.size(), classes_.size(),
                  true, always_left_, rows_always_left, has_forced || leaf_limits(plan_).any(),
                  key ^ mix(std::uint64_t{column} + 1), 0, tried_limits(plan_), has_forced});
  return true;
}

template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::best_subset(Key* keys, std::uint32_t n,
                                                                 std::uint32_t column,
                                                                 std::uint64_t key) {
  Cut cut;
  cut.is_constant = !start_subsets(keys, n, column, key);
  if (cut.is_constant) return cut;
  const LeafLimits limits = tried_limits(plan_);
  for (subsets_.next(block_); block_.n_cuts > 0; subsets_.next(block_)) {
    score(block_.n_cuts, scores_);
    if (limits.rows > 1)
      for (int i = 0; i < block_.n_cuts; ++i)
        if (!limits.allow_rows(block_.rows_left[i], n)) scores_[i] = minus_infinity;
    const int i = offer(cut);
    if (i >= 0) cut.code = block_.code[i];
  }
  return cut;
}

/// Writes down which categories the chosen subset of a column puts on which side.
template <class Key>
void SampledSearch<Key>::list_codes(const NodeQuery& node, Split& split) {
  const auto column = static_cast<std::uint32_t>(split.column);
  split.kind = SplitKind::categories;
  split.missing_left = is_left_named(plan_.missing);
  if (classes_.size() == 2 && counted_from_[column] == 0) {
    if (ordered_column_ != column) {  // a tie: another one was a trace better
      count_pairs(node, std::span(&column, 1));
      ordered_best_ = minus_infinity;
      best_prefix(pairs_[0].data(), column);
    }
    orders_[free_order_ ^ 1].list(split.code, split.codes, split.branches);
    split.is_optimal = true;
    return;
  }
  Key* keys[] = {keys_[0].data()};
  const auto n = static_cast<std::uint32_t>(node.row_indices.size());
  kernels_.gather({node.records, node.row_indices.data(), n, layout_, &column, 1, keys});
  start_subsets(keys[0], n, column, node.key);
  split.codes = categories_.code;
  for (const std::uint8_t is_left : subsets_.left_of(split.code))
    split.branches.push_back(is_left ? 0 : 1);
  split.is_optimal = subsets_.is_optimal();
}

}  // namespace ramify

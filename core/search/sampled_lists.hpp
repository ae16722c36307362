// SPDX-License-Identifier: BSD-3-Clause
// Drawn columns of a node whose rows lie in the lists of a block.
#pragma once

#include <algorithm>
#include <cmath>

#include "search/sampled.hpp"
#include "select/judge.hpp"

namespace ramify {

/// Which trees have lists and stretches: those of two classes and rows that count, in columns of
/// numbers without gaps, most of them of many values.
template <class Key>
void SampledSearch<Key>::prepare_lists() {
  if (!Weigher<Key>::counts || counts_.size() != 2 || plan_.random_cuts ||
      tried_limits(plan_).any())
    return;
  std::size_t n_wide = 0;
  for (const Column& column : table_.columns) {
    if (column.is_categorical || column.n_missing > 0) return;
    n_wide += !column.is_low_cardinality();
  }
  if (2 * n_wide < table_.columns.size()) return;
  if (plan_.criterion.is_quasi_convex() && target_.n_rows >= 4 * SampledBlock::max_rows)
    stretches_ = table_.row_stretches();
  // All columns are sorted for a block: that pays if its nodes look at a good share of them.
  constexpr std::size_t max_columns = 7;
  if (bit_kernels().sum_cuts && table_.columns.size() <= max_columns * plan_.max_columns)
    lists_.prepare(table_, layout_);
}

/// What a cut must deviate by, of the node at hand. Both classes deviate by the same, so that one
/// factor serves for all norms; where factors bend it is what they may become.
template <class Key>
void SampledSearch<Key>::start_lists() {
  const SetCriterion& criterion = *plan_.criterion.builtin;
  const DeviationBound& bound = criterion.bound;
  has_filter_ = bound && bound.min && !bound.of_all_classes;
  if (!has_filter_) return;
  bound_node_ = {.parent = classes_.weight.data(),
                 .n_classes = 2,
                 .total = classes_.total,
                 .unit = target_.unit,
                 .settings = &criterion.settings,
                 .classes = classes_.name.data()};
  if (bound.find_statistics) bound.find_statistics(bound_node_);
  double sum = 0, largest = 0, of_roots = 0;
  for (int k = 0; k < 2; ++k) {
    filter_shares_[k] = static_cast<float>(classes_.weight[k] / classes_.total);
    const double factor =
        bound.factor(bound_node_, k) * (bound.bend ? 1 + bound.bend(bound_node_, k) : 1);
    sum += factor;
    largest = std::max(largest, factor);
    of_roots += std::sqrt(factor);
  }
  const double both = bound.norm == DeviationNorm::magnitudes ? of_roots * of_roots
                      : bound.norm == DeviationNorm::largest  ? largest
                                                              : sum;
  filter_ = {.n_classes = 2,
             .label = classes_.name.data(),
             .share = filter_shares_,
             .both = static_cast<float>(both),
             .slack = static_cast<float>(classes_.total * filter_slack),
             .total = static_cast<float>(classes_.total),
             .min = 0};
}

template <class Key>
void SampledSearch<Key>::look_at_lists(const NodeQuery& node,
                                       std::span<const std::uint32_t> columns) {
  cuts_.assign(columns.size(), {});
  to_beat_ = minus_infinity;
  start_lists();
  if (has_filter_) find_peaks(node, columns);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (has_filter_) {
      cuts_[j].is_constant = peaks_[j].items_left == 0;
      if (cuts_[j].is_constant || peaks_[j].max < min_peak()) continue;
    }
    cuts_[j] = best_in_list(lists_.items(columns[j], node.items.begin), node.items.size(),
                            table_.columns[columns[j]].is_low_cardinality());
    to_beat_ = std::max(to_beat_, cuts_[j].best);
  }
}

/// Where each column deviates most, and the best of these cuts: columns that deviate less than it
/// would need are done with.
template <class Key>
void SampledSearch<Key>::find_peaks(const NodeQuery& node, std::span<const std::uint32_t> columns) {
  peaks_.resize(columns.size());
  int m = 0;
  const auto score_all = [&] {
    if (m == 0) return;
    score(m, scores_);
    // Far below: columns may come in any order then.
    to_beat_ = std::max(to_beat_, far_below(kernels().largest(scores_, m)));
    m = 0;
  };
  for (std::size_t j = 0; j < columns.size(); ++j) {
    peaks_[j] = bit_kernels().peak(lists_.items(columns[j], node.items.begin), node.items.size(),
                                   lists_.layout(), filter_);
    if (peaks_[j].items_left == 0) continue;
    block_.left[m] = peaks_[j].items_left - peaks_[j].in_second;
    block_.left[CutBlock::stride + m] = peaks_[j].in_second;
    if (++m == CutBlock::capacity) score_all();
  }
  score_all();
}

/// What the square of a deviation must be like, per n_L n_R and factor, for a score.
template <class Key>
double SampledSearch<Key>::min_for(double score) const {
  if (score == minus_infinity) return -1;
  const DeviationBound& bound = plan_.criterion.builtin->bound;
  return std::max(-1.0, bound.min(bound_node_, surely_below(score)) * filter_share);
}

/// What a peak must reach so that the column could hold the best cut.
template <class Key>
float SampledSearch<Key>::min_peak() const {
  return static_cast<float>(min_for(to_beat_) / double{filter_.both});
}

/// Cuts that cannot reach the best so far are passed by.
template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::best_in_list(const std::uint16_t* items,
                                                                  std::uint32_t n,
                                                                  bool has_few_cuts) {
  Cut cut;
  std::uint32_t left[2] = {};
  constexpr std::uint8_t is_present[2] = {1, 1};
  FlagScan scan{items, n, 0, 0, 0, lists_.layout(), left, has_few_cuts};
  const CutSumsCall call{2,           classes_.channel.data(), is_present, nullptr,
                         block_.left, block_.rows_left,        false};
  while (scan.next < n) {
    if (has_filter_) {
      filter_.min = static_cast<float>(min_for(std::max(to_beat_, cut.best)));
      block_.n_cuts = flags_.find_cuts_short(scan, filter_, call);
    } else {
      block_.n_cuts = flags_.sum_cuts_short(scan, call);
    }
    if (block_.n_cuts == 0) continue;
    score(block_.n_cuts, scores_);
    const int i = offer(cut);
    if (i >= 0) cut.code = block_.rows_left[i];  // the place, until it is known who wins
  }
  cut.is_constant = scan.n_cuts == 0;
  return cut;
}

/// The cuts of four columns and more fit into one block, and are scored at once.
template <class Key>
void SampledSearch<Key>::look_at_bits(const NodeQuery& node,
                                      std::span<const std::uint32_t> columns) {
  constexpr int max_cuts = static_cast<int>(BitLists::max_items) - 1;
  cuts_.assign(columns.size(), {});
  for (std::size_t j = 0; j < columns.size();) {
    const std::size_t first = j;
    int ends[CutBlock::capacity], m = 0;
    for (;
         j < columns.size() && j - first < CutBlock::capacity && m + max_cuts <= CutBlock::capacity;
         ++j)
      ends[j - first] = m +=
          bits_.sum_cuts(columns[j], node.mask, block_.left + m, block_.rows_left + m);
    if (m > 0) score(m, scores_);
    int begin = 0;
    for (std::size_t i = first; i < j; ++i) {
      const int end = ends[i - first];
      cuts_[i].is_constant = begin == end;
      const int found = begin < end ? offer(cuts_[i], scores_ + begin, end - begin) : -1;
      if (found >= 0) cuts_[i].code = block_.rows_left[begin + found];
      begin = end;
    }
  }
}

/// Where a cut of lists or bits is, and the codes beside it. Their values are fetched: these are
/// far away, and asked for when the rows are parted.
template <class Key>
void SampledSearch<Key>::find_cut(const NodeQuery& node, Split& split) {
  const auto column = static_cast<std::uint32_t>(split.column);
  split.rows_left = split.code;
  std::uint16_t beside[2];
  if (node.mask != 0) {
    const BitLists::Sides sides = bits_.partition(column, node.mask, split.rows_left);
    left_bits_ = sides.left;
    beside[0] = sides.last_left;
    beside[1] = sides.first_right;
  } else {
    std::copy_n(lists_.items(column, node.items.begin) + split.rows_left - 1, 2, beside);
  }
  split.code = lists_.code(column, beside[0]);
  split.next_code = lists_.code(column, beside[1]);
  const Values& values = table_.columns[column].lowest;
  values.prefetch_at(split.code);
  values.prefetch_at(split.next_code);
}

}  // namespace ramify

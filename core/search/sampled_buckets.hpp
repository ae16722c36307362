// SPDX-License-Identifier: BSD-3-Clause
// Drawn columns of nodes of many rows and two classes: rows are summed by buckets of codes, and
// only those of buckets that could hold the best cut are sorted.
#pragma once

#include <algorithm>
#include <bit>

#include "search/sampled.hpp"
#include "select/judge.hpp"

namespace ramify {

/// Which trees have stretches: those of two classes and rows that count, in columns of numbers
/// without gaps, most of them of many values.
template <class Key>
void SampledSearch<Key>::prepare_stretches() {
  if (!Weigher<Key>::counts || counts_.size() != 2 || plan_.random_cuts ||
      tried_limits(plan_).any() || !plan_.criterion.is_quasi_convex() || target_.n_rows < 8192)
    return;
  std::size_t n_wide = 0;
  for (const Column& column : table_.columns) {
    if (column.is_categorical || column.n_missing > 0) return;
    n_wide += !column.is_low_cardinality();
  }
  if (2 * n_wide >= table_.columns.size()) stretches_ = table_.row_stretches();
}

/// Two classes, and a criterion that is nowhere between two cuts higher than at the better of them:
/// then the cuts of a bucket are bounded by its corners.
template <class Key>
bool SampledSearch<Key>::may_narrow_down(std::uint32_t n) const {
  constexpr std::uint32_t many_rows = 512;
  return n >= many_rows && classes_.size() == 2 && !tried_limits(plan_).any() &&
         plan_.criterion.is_quasi_convex();
}

template <class Key>
void SampledSearch<Key>::score_buckets(std::span<const PairSum<Sum>> sums, BucketScores& scores) {
  const int n = scores.n = static_cast<int>(sums.size());
  const auto score_all = [&](bool moves_first, bool moves_second, double* to) {
    double left[2] = {};
    for (int b = 0; b < n; ++b) {
      const double second = sums[static_cast<std::size_t>(b)].second(),
                   first = sums[static_cast<std::size_t>(b)].both() - second;
      scores.before[0][b] = left[0];
      scores.before[1][b] = left[1];
      block_.left[b] = left[0] + (moves_first ? first : 0);
      block_.left[CutBlock::stride + b] = left[1] + (moves_second ? second : 0);
      left[0] += first;
      left[1] += second;
    }
    score(n, to);  // no number where nothing is on one side: not above anything
  };
  score_all(true, false, scores.first_moved);
  score_all(false, true, scores.second_moved);
  score_all(true, true, scores.ends);
}

/// Looks at the cuts within stretches of kept buckets side by side. is_up_to(key, b) tells whether
/// a key belongs to bucket b or one before it.
template <class Key>
template <class IsUpTo>
void SampledSearch<Key>::walk_kept(const Key* sorted, std::uint32_t n, const BucketScores& scores,
                                   IsUpTo is_up_to, Cut& cut) {
  const Key* const end = sorted + n;
  for (int b = 0; b < scores.n; ++b) {
    if (!scores.is_kept[b]) continue;
    const int first = b;
    while (b + 1 < scores.n && scores.is_kept[b + 1]) ++b;
    const Key* last = std::partition_point(
        sorted, end, [&](Key key) { return is_up_to(key, static_cast<std::uint32_t>(b)); });
    double running[2] = {scores.before[0][first], scores.before[1][first]};
    const std::span<const Key> list(sorted, last);
    WalkOf<Key> walk = walk_from(sorted, static_cast<std::uint32_t>(list.size()), running);
    judge_blocks(list, cut, [&] {
      kernels_.walk(walk, block_);
      if (block_.n_cuts > 0) score(block_.n_cuts, scores_);
    });
    sorted = last;
  }
}

/// Sums the keys by their highest bits.
template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::best_in_buckets(Key* keys, std::uint32_t n) {
  const KeyRange<Key> range = kernels_.range(keys, n);
  const int shift = layout_.code_shift();
  const Key origin = range.min >> shift << shift;
  const int n_bits = std::bit_width((range.max - origin) >> shift);
  Cut cut;
  cut.is_constant = n_bits == 0;
  if (cut.is_constant) return cut;
  const int wanted_bits = std::min(n_bits, n < 2048 ? 7 : 8);
  const Buckets<Key> buckets{origin, shift + n_bits - wanted_bits};
  PairSum<Sum> sums[Buckets<Key>::max] = {};
  kernels_.fill_buckets(keys, n, weigher_, classes_.name[1], buckets, sums);
  BucketScores scores;
  score_buckets(std::span(sums).first(buckets.of(range.max) + std::size_t{1}), scores);
  scores.keep(surely_below(std::max(to_beat_, scores.top())));
  const std::uint32_t n_kept =
      kernels_.keep_buckets(keys, n, buckets, scores.is_kept, spare_.data());
  if (n_kept == 0) return cut;
  walk_kept(
      kernels_.sort(spare_.data(), n_kept, shift, keys), n_kept, scores,
      [&](Key key, std::uint32_t b) { return buckets.of(key) <= b; }, cut);
  return cut;
}

/// By stretches of codes that are the same in all nodes: no keys are made but of those that are
/// kept, and what is best among the ends of all columns is known before.
template <class Key>
void SampledSearch<Key>::look_at_stretches(const NodeQuery& node,
                                           std::span<const std::uint32_t> columns) {
  constexpr std::size_t n_stretches = Buckets<Key>::max;
  n_rows_ = static_cast<std::uint32_t>(node.row_indices.size());
  cuts_.assign(columns.size(), {});
  bucket_scores_.resize(columns.size());
  double top = minus_infinity;
  for (std::size_t first = 0; first < columns.size(); first += columns_at_once) {
    const auto group = columns.subspan(first, std::min(columns_at_once, columns.size() - first));
    PairSum<Sum>* cells[columns_at_once];
    for (std::size_t j = 0; j < group.size(); ++j) cells[j] = pairs_[j].data();
    kernels_.count_pairs({stretches_, node.row_indices.data(), n_rows_, weigher_, classes_.name[1],
                          group.data(), static_cast<int>(group.size()), cells});
    for (std::size_t j = 0; j < group.size(); ++j) {
      BucketScores& scores = bucket_scores_[first + j];
      score_buckets(std::span<const PairSum<Sum>>(cells[j], n_stretches), scores);
      std::fill_n(cells[j], n_stretches, PairSum<Sum>{});
      top = std::max(top, scores.top());
    }
  }
  const std::size_t room = n_rows_ + std::size_t{8};  // see sort_keys
  if (spare_.size() < room) spare_.resize(room);
  if (keys_[0].size() < room) keys_[0].resize(room);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    // A column that is constant has its only bucket kept: no cut is better than its corners.
    if (bucket_scores_[j].keep(far_below(top)))
      cuts_[j] = best_in_stretches(node, columns[j], bucket_scores_[j]);
    top = std::max(top, cuts_[j].best);
  }
}

template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::best_in_stretches(const NodeQuery& node,
                                                                       std::uint32_t column,
                                                                       BucketScores& scores) {
  Cut cut;
  const Stretches stretches(table_.columns[column]);
  const std::uint32_t n_kept =
      kernels_.keep_stretches({stretches_, node.records, node.row_indices.data(), n_rows_, layout_,
                               column, scores.is_kept, spare_.data()});
  if (n_kept == 0) return cut;
  const Key* const sorted =
      kernels_.sort(spare_.data(), n_kept, layout_.code_shift(), keys_[0].data());
  cut.is_constant =
      n_kept == n_rows_ && layout_.code(sorted[0]) == layout_.code(sorted[n_kept - 1]);
  if (cut.is_constant) return cut;
  walk_kept(
      sorted, n_kept, scores,
      [&](Key key, std::uint32_t b) { return stretches.of(layout_.code(key)) <= b; }, cut);
  return cut;
}

}  // namespace ramify

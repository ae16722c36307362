// SPDX-License-Identifier: BSD-3-Clause
// Sampled columns of nodes of many rows and two classes: rows are summed by buckets of codes, and
// only those of buckets that could hold the best cut are sorted.
#pragma once

#include <algorithm>
#include <bit>

#include "search/sampled.hpp"
#include "select/judge.hpp"

namespace ramify {

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

/// Looks at the cuts within runs of kept buckets.
template <class Key>
void SampledSearch<Key>::walk_kept(const Key* sorted, std::uint32_t n, const BucketScores& scores,
                                   Buckets<Key> buckets, Cut& cut) {
  const Key* const end = sorted + n;
  for (int b = 0; b < scores.n; ++b) {
    if (!scores.is_kept[b]) continue;
    const int first = b;
    while (b + 1 < scores.n && scores.is_kept[b + 1]) ++b;
    const Key* last = std::partition_point(
        sorted, end, [&](Key key) { return buckets.of(key) <= static_cast<std::uint32_t>(b); });
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
  walk_kept(kernels_.sort(spare_.data(), n_kept, shift, keys), n_kept, scores, buckets, cut);
  return cut;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "search/sampled/sorted_keys.hpp"

#include <algorithm>
#include <bit>

#include "select/judge.hpp"

namespace ramify {

template <class Key>
Key* SortedKeys<Key>::spare(std::uint32_t n) {
  const std::size_t room = n + std::size_t{8};  // see sort_keys
  if (spare_.size() < room) spare_.resize(room);
  return spare_.data();
}

template <class Key>
const Key* SortedKeys<Key>::sort(Key* keys, std::uint32_t n) {
  return node_.kernels.sort(keys, n, node_.layout.code_shift(), spare(n));
}

template <class Key>
SampledCut SortedKeys<Key>::best_cut(Key* keys, const Column& column) {
  if (may_narrow_down()) return best_in_buckets(keys);
  const std::span<const Key> list(sort(keys, node_.n_rows), node_.n_rows);
  SampledCut cut;
  cut.is_constant = node_.layout.code(list.front()) == node_.layout.code(list.back());
  if (cut.is_constant) return cut;
  if (may_walk_sums(column)) {
    if constexpr (Weigher<Key>::counts) {
      std::ranges::fill(counts_, 0u);
      KeySumWalk walk = sum_walk(list, false, counts_.data(), terms_.data());
      judge_blocks(list, cut, [&] {
        node_.plan.criterion.builtin->walk_key_sums(walk, node_.block, node_.scores);
      });
    }
  } else {
    running_.assign(static_cast<std::size_t>(node_.classes.size()), 0);
    walk_and_judge(list, running_.data(), cut);
  }
  return cut;
}

/// Looks at the cuts along sorted keys, where `running` has what lies left of the first.
template <class Key>
void SortedKeys<Key>::walk_and_judge(std::span<const Key> sorted, double* running,
                                     SampledCut& cut) {
  WalkOf<Key> walk = walk_from(sorted, running);
  judge_blocks(sorted, cut, [&] {
    node_.kernels.walk(walk, node_.block);
    if (node_.block.n_cuts > 0) node_.score(node_.block.n_cuts, node_.scores);
  });
}

template <class Key>
WalkOf<Key> SortedKeys<Key>::walk_from(std::span<const Key> sorted, double* running) const {
  Channels channels;
  channels.n_channels = node_.classes.size();
  channels.channel = node_.classes.channel.data();
  channels.weight = node_.weigher.weight;
  return {
      sorted.data(), static_cast<std::uint32_t>(sorted.size()), 0, false, node_.layout, channels,
      running};
}

/// May the terms of the classes be kept up to date along sorted keys? Sums that are not exact are
/// taken as the general search takes them.
template <class Key>
bool SortedKeys<Key>::may_walk_sums(const Column& column) const {
  const SetCriterion& criterion = *node_.plan.criterion.builtin;
  return Weigher<Key>::counts && has_walk(criterion, node_.tables()) && node_.classes.size() > 2 &&
         (criterion.has_integer_sums ||
          (node_.layout.times_bits == 0 && !column.is_low_cardinality()));
}

/// `in_left` has what is on the left already, `terms` has room for two numbers per class.
template <class Key>
KeySumWalk SortedKeys<Key>::sum_walk(std::span<const CountKey> sorted, bool cut_at_end,
                                     std::uint32_t* in_left, double* terms) const {
  std::uint32_t rows_before = 0;
  for (int k = 0; k < node_.classes.size(); ++k) rows_before += in_left[k];
  return {.items = sorted.data(),
          .n = static_cast<std::uint32_t>(sorted.size()),
          .next = 0,
          .cut_at_end = cut_at_end,
          .layout = node_.layout,
          .channel = node_.classes.channel.data(),
          .n_classes = node_.classes.size(),
          .parent = node_.classes.weight.data(),
          .total = node_.classes.total,
          .rows_before = rows_before,
          .count_parent = node_.classes.count.data(),
          .count_left = in_left,
          .term_left = terms,
          .term_right = terms + counts_.size(),
          .log_table = node_.log_table(),
          .criterion = node_.plan.criterion.builtin.get(),
          .tables = node_.tables()};
}

/// fill() makes the next block of cuts and their scores.
template <class Key>
template <class Fill>
void SortedKeys<Key>::judge_blocks(std::span<const Key> keys, SampledCut& cut, Fill fill) {
  const CutBlock& block = node_.block;
  for (fill(); block.n_cuts > 0; fill()) {
    node_.refuse_few_rows();
    const int i = node_.offer(cut);
    if (i < 0) continue;
    cut.code = node_.layout.code(keys[block.rows_left[i] - 1]);
    cut.next_code = node_.layout.code(keys[block.rows_left[i]]);
  }
}

/// Two classes, and a criterion that is nowhere between two cuts higher than at the better of them:
/// then the cuts of a bucket are bounded by its corners.
template <class Key>
bool SortedKeys<Key>::may_narrow_down() const {
  constexpr std::uint32_t many_rows = 512;
  return node_.n_rows >= many_rows && node_.classes.size() == 2 &&
         !tried_limits(node_.plan).any() && node_.plan.criterion.is_quasi_convex();
}

template <class Key>
void SortedKeys<Key>::score_buckets(std::span<const PairSum<Sum>> sums, BucketScores& scores) {
  const int n = scores.n = static_cast<int>(sums.size());
  const auto score_all = [&](bool moves_first, bool moves_second, double* to) {
    double left[2] = {};
    for (int b = 0; b < n; ++b) {
      const double second = sums[static_cast<std::size_t>(b)].second(),
                   first = sums[static_cast<std::size_t>(b)].both() - second;
      scores.before[0][b] = left[0];
      scores.before[1][b] = left[1];
      node_.block.left[b] = left[0] + (moves_first ? first : 0);
      node_.block.left[CutBlock::stride + b] = left[1] + (moves_second ? second : 0);
      left[0] += first;
      left[1] += second;
    }
    node_.score(n, to);  // no number where nothing is on one side: not above anything
  };
  score_all(true, false, scores.first_moved);
  score_all(false, true, scores.second_moved);
  score_all(true, true, scores.ends);
}

/// Looks at the cuts within runs of kept buckets.
template <class Key>
void SortedKeys<Key>::walk_kept(const Key* sorted, std::uint32_t n, const BucketScores& scores,
                                Buckets<Key> buckets, SampledCut& cut) {
  const Key* const end = sorted + n;
  for (int b = 0; b < scores.n; ++b) {
    if (!scores.is_kept[b]) continue;
    const int first = b;
    while (b + 1 < scores.n && scores.is_kept[b + 1]) ++b;
    const Key* last = std::partition_point(
        sorted, end, [&](Key key) { return buckets.of(key) <= static_cast<std::uint32_t>(b); });
    double running[2] = {scores.before[0][first], scores.before[1][first]};
    walk_and_judge({sorted, last}, running, cut);
    sorted = last;
  }
}

/// Sums the keys by their highest bits.
template <class Key>
SampledCut SortedKeys<Key>::best_in_buckets(Key* keys) {
  const std::uint32_t n = node_.n_rows;
  const KeyRange<Key> range = node_.kernels.range(keys, n);
  const int shift = node_.layout.code_shift();
  const Key origin = range.min >> shift << shift;
  const int n_bits = std::bit_width((range.max - origin) >> shift);
  SampledCut cut;
  cut.is_constant = n_bits == 0;
  if (cut.is_constant) return cut;
  const int wanted_bits = std::min(n_bits, n < 2048 ? 7 : 8);
  const Buckets<Key> buckets{origin, shift + n_bits - wanted_bits};
  PairSum<Sum> sums[Buckets<Key>::max] = {};
  node_.kernels.fill_buckets(keys, n, node_.weigher, node_.classes.name[1], buckets, sums);
  BucketScores scores;
  score_buckets(std::span(sums).first(buckets.of(range.max) + std::size_t{1}), scores);
  scores.keep(surely_below(std::max(node_.to_beat, scores.top())));
  const std::uint32_t n_kept =
      node_.kernels.keep_buckets(keys, n, buckets, scores.is_kept, spare(n));
  if (n_kept == 0) return cut;
  walk_kept(node_.kernels.sort(spare_.data(), n_kept, shift, keys), n_kept, scores, buckets, cut);
  return cut;
}

template <class Key>
void SortedKeys<Key>::look_at_missing(std::span<Key> valued, const Column& column,
                                      SampledCut& cut) {
  const auto n = static_cast<std::uint32_t>(valued.size());
  const std::span<const Key> sorted(sort(valued.data(), n), n);
  if (may_walk_sums(column) && !node_.plan.criterion.builtin->has_integer_sums)
    walk_sums_with_missing(sorted, column.n_codes(), cut);
  else
    walk_with_missing(sorted, column.n_codes(), cut);
}

/// Writes down the codes beside the cuts of the block.
template <class Key>
void SortedKeys<Key>::note_codes(std::span<const Key> sorted, std::uint32_t n_codes) {
  CutBlock& block = node_.block;
  for (int i = 0; i < block.n_cuts; ++i) {
    const std::uint32_t at = block.rows_left[i];
    block.code[i] = node_.layout.code(sorted[at - 1]);
    block.next_code[i] = at < sorted.size() ? node_.layout.code(sorted[at]) : n_codes;
  }
}

template <class Key>
void SortedKeys<Key>::walk_with_missing(std::span<const Key> sorted, std::uint32_t n_codes,
                                        SampledCut& cut) {
  CutBlock& block = node_.block;
  const auto n_classes = static_cast<std::size_t>(node_.classes.size());
  running_.assign(n_classes, 0);
  WalkOf<Key> walk = walk_from(sorted, running_.data());
  const auto score = [&] {
    note_codes(sorted, n_codes);
    node_.score_with_missing(n_codes, cut);
  };
  for (node_.kernels.walk(walk, block); block.n_cuts > 0; node_.kernels.walk(walk, block)) score();
  for (std::size_t k = 0; k < n_classes; ++k)
    block.left[k * CutBlock::stride] = node_.classes.weight[k] - node_.missing[k];
  block.n_cuts = 1;
  block.rows_left[0] = static_cast<std::uint32_t>(sorted.size());
  score();
}

template <class Key>
void SortedKeys<Key>::walk_sums_with_missing(std::span<const Key> sorted, std::uint32_t n_codes,
                                             SampledCut& cut) {
  if constexpr (Weigher<Key>::counts) {
    const auto n_classes = counts_.size();
    std::vector<std::uint32_t> counts(2 * n_classes);
    std::vector<double> terms(4 * n_classes);
    std::ranges::copy(node_.missing, counts.begin() + static_cast<std::ptrdiff_t>(n_classes));
    KeySumWalk right_walk = sum_walk(sorted, true, counts.data(), terms.data()),
               left_walk =
                   sum_walk(sorted, true, counts.data() + n_classes, terms.data() + 2 * n_classes);
    const auto walk_key_sums = node_.plan.criterion.builtin->walk_key_sums;
    while (true) {
      walk_key_sums(left_walk, node_.block, node_.left_scores);
      walk_key_sums(right_walk, node_.block, node_.scores);
      if (node_.block.n_cuts == 0) return;
      note_codes(sorted, n_codes);
      node_.offer_with_missing(n_codes, cut);
    }
  }
}

template class SortedKeys<CountKey>;
template class SortedKeys<RowKey>;

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The best cut of a sampled column from the keys of its rows, which are sorted on the spot. In
// nodes of many rows and two classes, rows are summed by buckets of codes first, and only those of
// buckets that could hold the best cut are sorted.
#pragma once

#include <span>
#include <vector>

#include "search/sampled/node.hpp"

namespace ramify {

/// What the cuts of some buckets score at most: few matter, since a bucket is worth no more than
/// its four corners, where all of one class have moved to the left, or of the other, or of both, or
/// of none.
struct BucketScores {
  static constexpr int max = 256;
  int n = 0;
  double ends[CutBlock::stride], first_moved[CutBlock::stride], second_moved[CutBlock::stride];
  double before[2][max];  // what lies left of a bucket
  std::uint8_t is_kept[max];

  /// The best of the cuts between buckets.
  double top() const {
    double top = minus_infinity;
    for (int b = 0; b + 1 < n; ++b) top = ends[b] > top ? ends[b] : top;
    return top;
  }
  /// Keeps the buckets that could hold a cut of a score.
  void keep(double min) {
    for (int b = 0; b < n; ++b)
      is_kept[b] = !(min > 0) || first_moved[b] >= min || second_moved[b] >= min ||
                   ends[b] >= min || (b > 0 && ends[b - 1] >= min);
  }
};

template <class Key>
class SortedKeys {
 public:
  using Sum = typename Weigher<Key>::Sum;

  explicit SortedKeys(SampledNode<Key>& node)
      : node_(node), counts_(node.n_all_classes()), terms_(2 * counts_.size()) {}

  /// The best cut of a column without missing values; `keys` are those of all rows, in any order.
  SampledCut best_cut(Key* keys, const Column& column);
  /// The same with missing values, of which the node has the sums: looks at the cuts between
  /// values, and at that of all values against the rest.
  void look_at_missing(std::span<Key> valued, const Column& column, SampledCut& cut);
  /// Keys in the order of their codes: where they were, or in a buffer that is kept here.
  const Key* sort(Key* keys, std::uint32_t n);

 private:
  WalkOf<Key> walk_from(std::span<const Key> sorted, double* running) const;
  void walk_and_judge(std::span<const Key> sorted, double* running, SampledCut& cut);
  bool may_walk_sums(const Column& column) const;
  KeySumWalk sum_walk(std::span<const CountKey> sorted, bool cut_at_end, std::uint32_t* in_left,
                      double* terms) const;
  template <class Fill>
  void judge_blocks(std::span<const Key> keys, SampledCut& cut, Fill fill);
  bool may_narrow_down() const;
  SampledCut best_in_buckets(Key* keys);
  void score_buckets(std::span<const PairSum<Sum>> sums, BucketScores& scores);
  void walk_kept(const Key* sorted, std::uint32_t n, const BucketScores& scores,
                 Buckets<Key> buckets, SampledCut& cut);
  void note_codes(std::span<const Key> sorted, std::uint32_t n_codes);
  void walk_with_missing(std::span<const Key> sorted, std::uint32_t n_codes, SampledCut& cut);
  void walk_sums_with_missing(std::span<const Key> sorted, std::uint32_t n_codes, SampledCut& cut);
  Key* spare(std::uint32_t n);

  SampledNode<Key>& node_;
  std::vector<Key> spare_;
  std::vector<Sum> counts_;
  std::vector<double> running_, terms_;
};

}  // namespace ramify

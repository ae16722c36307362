// SPDX-License-Identifier: BSD-3-Clause
// Which buckets of codes could hold the best cut of a column, where two classes occur.
#pragma once

#include <cstdint>

#include "scan/kernels.hpp"
#include "select/split.hpp"

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

}  // namespace ramify

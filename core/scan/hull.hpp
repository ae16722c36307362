// SPDX-License-Identifier: BSD-3-Clause
// A bound for every criterion that is convex (see CriterionInfo), in nodes of two classes: some
// consecutive cuts lie in a polygon, and none of them scores more than its best corner. The proof
// is in docs/design/corners.md.
#pragma once

#include "scan/kernels.hpp"

namespace ramify {

/// Cuts of a node of two classes, some at a time: `chunk` of them have one polygon.
struct HullCall {
  /// Of each polygon, the first of the next one being its last; the last one has one more.
  static constexpr int n_corners = 5;
  static constexpr int min_chunk = 16, max_chunk = 256;
  /// Whole numbers up to the square of this are exact.
  static constexpr double max_weight = 1 << 24;

  const double* left;    // class-major with CutBlock::stride
  const double* parent;  // of both classes
  int n_cuts, chunk;
  double* corners;  // as `left`

  int n_chunks() const { return (n_cuts + chunk - 1) / chunk; }
  int n_all_corners() const { return n_chunks() * n_corners + 1; }
};

/// Of how many cuts: a polygon is tight if the weight on the left of its cuts is about the same.
inline int hull_chunk(double middle, double total) {
  const double side = middle < total - middle ? middle : total - middle;
  int chunk = HullCall::min_chunk;
  while (chunk < HullCall::max_chunk && 6 * chunk <= side) chunk *= 2;
  return chunk;
}

/// What rounding may do to a score, and more.
inline double hull_slack(double score) {
  return 1e-7 * (score > 1 ? score : score < -1 ? -score : 1);
}

namespace RAMIFY_KERNELS {

/// The polygon of some cuts: the box from the first of them to the first behind them, and of it the
/// strip between their smallest and their largest deviation n L_1 - N_1 n_L, whose sides are moved
/// outwards to whole weights.
inline void write_hulls(const HullCall& call) {
  const double *first = call.left, *second = call.left + CutBlock::stride;
  const double n_first = call.parent[0], n_second = call.parent[1];
  double *to_first = call.corners, *to_second = call.corners + CutBlock::stride;
  const auto write = [&](double in_first, double in_second) {
    *to_first++ = in_first;
    *to_second++ = in_second;
  };
  const auto min = [](auto a, auto b) { return select(a > b, b, a); };
  const auto max = [](auto a, auto b) { return select(a > b, a, b); };
  for (int begin = 0; begin < call.n_cuts; begin += call.chunk) {
    const int end = call.n_cuts < begin + call.chunk ? call.n_cuts : begin + call.chunk;
    const int last = end < call.n_cuts ? end : end - 1;
    // As N_0 L_1 - N_1 L_0. What follows the last cut up to a whole pack is like it.
    const auto deviation = [&](int i) {
      return load<Pack>(second + i) * n_first - load<Pack>(first + i) * n_second;
    };
    Pack low = deviation(begin), high = low;
    for (int i = begin + pack_width; i < end; i += pack_width) {
      const Pack here = deviation(i);
      low = min(low, here);
      high = max(high, here);
    }
    const double at_last = second[last] * n_first - first[last] * n_second;
    const double lowest = min(min(min(low[0], low[1]), min(low[2], low[3])), at_last);
    const double highest = max(max(max(high[0], high[1]), max(high[2], high[3])), at_last);
    const double a0 = first[begin], a1 = second[begin], b0 = first[last], b1 = second[last];
    write(a0, a1);
    write(a0, min(b1, std::ceil((highest + a0 * n_second) / n_first)));
    write(max(a0, std::floor((b1 * n_first - highest) / n_second)), b1);
    write(min(b0, std::ceil((a1 * n_first - lowest) / n_second)), a1);
    write(b0, max(a1, std::floor((lowest + b0 * n_second) / n_first)));
  }
  for (int i = 0; i <= pack_width; ++i)  // packs read beyond the end
    write(first[call.n_cuts - 1], second[call.n_cuts - 1]);
}

}  // namespace RAMIFY_KERNELS
}  // namespace ramify

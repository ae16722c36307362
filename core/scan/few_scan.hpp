// SPDX-License-Identifier: BSD-3-Clause
// Regression in nodes of at most 16 rows: exact scores at once, and a partition by one shuffle.
#pragma once

#include <limits>

#include "scan/sorted_scan.hpp"
#include "simd/byte_partition.hpp"
#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Calls use(place, scores) for the cuts of a small list, a pack at a time: NaN where no cut is
/// admissible. Lane i is the cut behind item i.
template <bool has_weights, class Use>
void score_few(const FewScan& scan, std::uint32_t column, Use use) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  constexpr double at_flag[2] = {none, 0};
  const std::uint8_t* items = scan.items + std::size_t{column} * FewScan::max_rows;
  alignas(64) double left[FewScan::max_rows], sums[FewScan::max_rows];
  double weight = 0, sum = 0;
  for (std::uint32_t i = 0; i < scan.n; i += pack_width)
    for (std::uint32_t j = i; j < i + pack_width; ++j) {
      const std::uint32_t row = items[j] & FewScan::row_mask;
      sum += scan.sums[row];
      sums[j] = sum + at_flag[items[j + 1] >> 7];
      if constexpr (has_weights) left[j] = weight += scan.weight[row];
    }
  for (std::uint32_t i = 0; i < scan.n; i += pack_width) {
    Pack own = load<Pack>(scan.places + i);
    if constexpr (has_weights) own += load<Pack>(left + i);
    const Pack moved = load<Pack>(sums + i) - own * scan.mean;
    use(i, moved * moved / (own * (scan.total - own)) * scan.factor);
  }
}

template <bool has_weights>
double top_of_few(const FewScan& scan, std::uint32_t column) {
  Pack top = spread<Pack>(-std::numeric_limits<double>::infinity());
  score_few<has_weights>(scan, column,
                         [&](std::uint32_t, Pack scores) { top = larger(scores, top); });
  double highest = top[0];
  for (int i = 1; i < pack_width; ++i) highest = top[i] > highest ? top[i] : highest;
  if (highest >= 0) return highest;
  const std::uint8_t* items = scan.items + std::size_t{column} * FewScan::max_rows;
  for (std::uint32_t i = 1; i < scan.n; ++i)
    if (items[i] & FewScan::flag) return highest;
  return std::numeric_limits<double>::quiet_NaN();
}

inline void top_few(const FewScan& scan, const std::uint32_t* columns, std::size_t n_columns,
                    double* tops) {
  for (std::size_t j = 0; j < n_columns; ++j)
    tops[j] =
        scan.weight ? top_of_few<true>(scan, columns[j]) : top_of_few<false>(scan, columns[j]);
}

inline void score_few_cuts(const FewScan& scan, std::uint32_t column, double* scores) {
  const auto write = [&](std::uint32_t i, Pack own) { store(scores + i, own); };
  scan.weight ? score_few<true>(scan, column, write) : score_few<false>(scan, column, write);
}

inline void partition_few(const FewPartition& part, const std::uint32_t* columns,
                          std::size_t n_columns) {
  const BytePartition partition(part.left, part.n);
  for (std::size_t j = 0; j < n_columns; ++j)
    partition.run(part.items + std::size_t{columns[j]} * FewScan::max_rows);
}

}  // namespace ramify::RAMIFY_KERNELS

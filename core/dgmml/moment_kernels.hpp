// SPDX-License-Identifier: BSD-3-Clause
// First and second moments of many columns in one pass over rows that lie side by side, and what
// they say of each column.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramify {

/// Adds the first and second moments of some rows, class by class, for columns begin .. end - 1.
struct MomentCall {
  const double* block;  // row-major values, NaN where missing
  std::size_t stride;   // columns of the block and of the sums
  const std::uint32_t* rows;
  std::uint32_t n;
  const std::uint32_t* classes;  // by row
  const std::uint32_t* channel;  // by class
  const double* weight;          // by row; null if all rows weigh 1
  const double* const* centre;   // by channel: what is taken from the value of each column
  std::size_t begin, end;
  double *first, *second;  // [channel][column]
  double* known;           // the same, weight of the rows with a value; null if none is missing
};

/// How far the classes lie apart in each column, and how wide each is; from their moments.
struct SpreadCall {
  std::size_t n_columns, n_channels;
  bool has_missing;                          // then weights are [channel][column], else [channel]
  const double *weight, *mean, *deviation;   // [channel][column]
  double *total, *within, *pairs, *scatter;  // [column], see Spreads
};

struct MomentKernels {
  void (*sum_moments)(const MomentCall&);
  void (*find_spreads)(const SpreadCall&);
};

const MomentKernels& moment_kernels();

}  // namespace ramify

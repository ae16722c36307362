// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of gradient boosting, as plain functions over plain memory. They are compiled
// once per instruction set (see CMakeLists.txt); `boost_kernels()` returns those for this
// processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "boost/pair.hpp"

namespace ramify {

/// A histogram has a sum for every code that a byte can hold, column after column. Columns are
/// counted in blocks, whose sums stay in the first-level cache.
inline constexpr std::size_t histogram_codes = 256;
inline constexpr int block_columns = 8;

/// Some rows of a node: their indices (null: first, first + 1 ...), and their pairs in that order.
struct RowSpan {
  const std::uint32_t* rows;
  const Pair* pairs;
  std::size_t first, size;
};

/// Constraints of a cut, in units.
struct CutRules {
  double l2;
  double min_hessian;
  std::uint32_t min_rows;  // 1 needs no counts
};

/// One column's sums in a node.
struct ColumnSums {
  const Pair* sums;             // of each code; the one after the last is of missing values
  const std::uint32_t* counts;  // of rows; null if not needed
  std::uint32_t n_codes;
  Pair total;
  std::uint32_t n_rows;
};

/// Codes up to `code` go left. The score of a node is G^2 / (H + l2), that of a cut the sum of
/// its sides.
struct BinCut {
  double score = -std::numeric_limits<double>::infinity();
  std::uint32_t code = 0;
  bool missing_left = false;
  Pair left = 0;
};

struct BoostKernels {
  /// Adds the pairs of rows to the sums of `width` adjacent columns from `codes` on.
  void (*add_rows)(const std::uint8_t* codes, std::size_t stride, int width, const RowSpan& rows,
                   Pair* sums);
  /// Adds one per row.
  void (*count_rows)(const std::uint8_t* codes, std::size_t stride, int width, const RowSpan& rows,
                     std::uint32_t* counts);
  /// The best cut of a column in ascending order of its codes; the lowest of equals.
  BinCut (*find_cut)(const ColumnSums& column, const CutRules& rules);
  /// Which rows go left, as 0 or 1. Returns how many do.
  std::size_t (*divide_rows)(const std::uint8_t* codes, std::size_t stride,
                             const std::uint8_t* goes, const RowSpan& rows, std::uint8_t* is_left);
  /// Rounds gradients and hessians to pairs; `factor` may be null.
  void (*make_pairs)(const double* gradient, const double* hessian, const double* factor,
                     std::size_t n, double gradient_scale, double hessian_scale, Pair* pairs);
};

const BoostKernels& boost_kernels();

}  // namespace ramify

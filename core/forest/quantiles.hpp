// SPDX-License-Identifier: BSD-3-Clause
// Quantiles, distributions and weights of the training rows that trees hold against a new row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/leaf_rows.hpp"

namespace ramify {

/// The target of the training rows, one output: equal numbers have one rank.
struct RankedTarget {
  std::span<const std::uint32_t> rank;  // of each training row
  std::span<const double> value;        // of each rank, ascending
};

/// What is asked of many rows at once.
struct AskedRows {
  const RawMatrix& X;
  bool has_missing;
  std::span<const std::uint8_t> skip;  // as in LeafValues
  int n_threads;
};

/// Writes quantiles, [row][level][output]: the smallest number up to which `level` of the weight
/// lies. Where that is exactly the level (to 1e-10), the middle between it and the next, unless
/// `is_lower`. NaN for a row that all trees skip.
void forest_quantiles(const ForestRows& forest, const AskedRows& rows,
                      std::span<const RankedTarget> targets, std::span<const double> levels,
                      bool is_lower, double* out, Stop& stop);

/// Writes the weight of the numbers up to each point, [row][point][output].
void forest_cdf(const ForestRows& forest, const AskedRows& rows,
                std::span<const RankedTarget> targets, std::span<const double> points, double* out,
                Stop& stop);

/// A sparse matrix: what each training row weighs for each new row.
struct SparseWeights {
  std::vector<std::int64_t> begin;  // of each new row, and the end of the last
  std::vector<std::int32_t> row;    // ascending in each
  std::vector<double> weight;
};
SparseWeights forest_weights(const ForestRows& forest, const AskedRows& rows, Stop& stop);

}  // namespace ramify

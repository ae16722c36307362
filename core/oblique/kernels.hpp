// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of methods that fit a direction, as plain functions over plain memory. They are
// compiled once per instruction set (see CMakeLists.txt); `oblique_kernels()` returns those for
// this processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ramify {

/// Rows are kept in tiles of four rows of one class, tiles in the order of their class. Where a
/// class does not fill its last tile, its last row is repeated with a weight of 0. Arrays by row
/// follow the same order.
inline constexpr std::size_t tile_rows = 4;

/// values[(tile * n_columns + column) * tile_rows + row in tile].
struct TileMatrix {
  const double* values;
  std::size_t n_columns;
};

/// Some of the tiles, begin .. end - 1; the first is of class `first_class`.
struct TileRange {
  std::size_t begin, end, first_class;
  const std::size_t* class_end;  // of each class: the tile after its last one
};

/// Beyond this |t|, 1 / (1 + exp(-|t|)) is 1.
inline constexpr double far_away = 40;

/// Rows that go right by a fraction r = 1 / (1 + exp(-t)), at t = place + step * change.
struct SigmoidRows {
  const double *weight, *place, *change;
  double step;
  double* t;
  double* steepness;  // weight * r * (1 - r)
  // For each range, from its begin on: the tiles that count. If |t| > 40 in all rows of a tile,
  // their r is 0 or 1 and their steepness 0. As theta grows, these become the majority.
  std::uint32_t* active;
};

/// Sums over rows of a class: weight * r, weight * (1 - r), steepness * change.
struct SigmoidSums {
  double right, left, rate, unused;
};

struct Sweep {
  std::size_t n_active;
  double min_distance;  // the smallest |t|
};

struct WeightedEntropySums {
  double entropy = 0;
  double slope = 0;  // of the entropy as the step grows
};

struct ObliqueKernels {
  /// change = row . direction + bias.
  void (*project)(const TileMatrix&, const TileRange&, const double* direction, double bias,
                  double* change);
  /// sum = sum over the rows of some tiles of factor * row. `work` has space for four values per
  /// column; both arrays have space for full packs of columns.
  void (*add_rows)(const TileMatrix&, std::span<const std::uint32_t> tiles, const double* factor,
                   double* work, double* sum);
  /// Fills in t, the steepness, the active tiles, and the sums of each class from the range's first
  /// on. `work` has space for two values per row.
  Sweep (*sweep)(const TileRange&, const SigmoidRows&, double* work, SigmoidSums* sums);
  /// ratio = log2(W_R W_L^k / (W_L W_R^k)) of each class. Both arrays have space for full packs of
  /// classes, and sums beyond the last class are 0.
  WeightedEntropySums (*find_entropy)(const SigmoidSums* sums, std::size_t n_classes,
                                      double* ratio);
  /// Multiplies the steepness of some tiles of a range by the ratio of their class. Returns the sum
  /// of the products.
  double (*scale)(const TileRange&, std::span<const std::uint32_t> tiles, const double* ratio,
                  double* steepness);
};

const ObliqueKernels& oblique_kernels();

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of methods that fit a direction, as plain functions over plain memory. They are
// compiled once per instruction set (see CMakeLists.txt); `oblique_kernels()` gives the set for
// this processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramify {

/// Rows are handled in groups of this size, and arrays by row have room for whole groups.
inline constexpr std::size_t rows_per_group = 8;

/// A matrix by rows, of four columns at least.
template <class Real>
struct RowBlock {
  const Real* values;
  std::size_t n_rows, n_columns;

  /// Columns are handled in packs of four. If they do not come out even, the last pack overlaps the
  /// one before, and arrays by column keep it apart: in four places that follow the whole packs.
  std::size_t n_whole() const { return n_columns / 4 * 4; }
  std::size_t n_overlapping() const { return (4 - n_columns % 4) % 4; }
  std::size_t n_places() const { return (n_columns + 3) / 4 * 4; }
};

/// One sweep over the rows of the sigmoid split; `begin` and `end` are whole groups.
struct SigmoidCall {
  std::size_t begin, end;
  const double *place, *change;  // by row: the projection is place + step * change
  double step;
  const double* weight;        // by row; null if all weigh one
  const std::uint32_t* label;  // by row: 0 .. n_classes, the last for rows that do not count
  std::size_t n_classes;
  double* steepness;            // by row, written: weight * r * (1 - r)
  double* work;                 // room for 16 (n_classes + 1) numbers
  double *right, *left, *rate;  // by class, written: sums of weights, and of steepness * change
};

/// What follows from sums by class; arrays have room for whole packs of classes.
struct EntropyCall {
  std::size_t n_classes;
  const double *right, *left, *rate;
  double* ratio;  // by class, written: log2(W_R W_L^k / (W_L W_R^k))
  double entropy, slope;
};

struct ObliqueKernels {
  template <class Real>
  struct Block {
    /// out[row] = row . theta + bias, for whole groups of rows; `theta` by place.
    void (*project)(const RowBlock<Real>&, std::size_t begin, std::size_t end, const double* theta,
                    double bias, double* out);
    /// Adds factor[row] * row to `sum`, by place.
    void (*add_rows)(const RowBlock<Real>&, std::size_t begin, std::size_t end,
                     const double* factor, double* sum);
  };
  Block<float> floats;
  Block<double> doubles;
  /// Returns the least distance of a projection from 0.
  double (*sweep)(const SigmoidCall&);
  void (*find_entropy)(EntropyCall&);
  /// Multiplies the steepness by the ratio of the row's class, and place += step * change. Returns
  /// the sum of the products.
  double (*advance)(const SigmoidCall&, const double* ratio, double* place);
};

const ObliqueKernels& oblique_kernels();

}  // namespace ramify

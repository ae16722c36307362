// SPDX-License-Identifier: BSD-3-Clause
// The inner loop of Shapley values along paths, as a plain function over plain memory. It is
// compiled once per instruction set (see CMakeLists.txt); `shap_kernels()` returns the one for this
// processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramify {

/// Rows whose edges are classified together.
inline constexpr std::size_t shap_block = 32;

/// One step of the way down into every leaf of a tree and up again.
struct ShapStep {
  enum Kind : std::uint8_t { down, leaf, up };

  std::uint32_t edge;    // of a node: the edge from its parent
  std::uint32_t column;  // its index among the columns that the tree uses
  std::uint32_t number;  // index among the leaves
  std::uint32_t depth;   // of the node; the root has 0
  Kind kind;
};

/// A tree prepared for many rows.
struct ShapWalk {
  const ShapStep* steps;
  std::size_t n_steps, n_packs;  // four points of the quadrature each
  std::size_t depth, n_columns, n_values;
  const double* start;  // weights of the points
  const double* table;  // [edge][case][ratio, change][point]
  const double* value;  // [leaf][k]

  std::size_t n_points() const { return 4 * n_packs; }
  /// Size of the scratch memory for a walk of `n_rows` rows in parallel.
  std::size_t work_size(std::size_t n_rows) const {
    return n_rows * n_points() * ((depth + 1) * (1 + n_values) + n_columns * n_values);
  }
};

struct ShapKernels {
  /// Computes the Shapley values of `shap_block` rows, [row][column][k], from the case of each of
  /// their edges, [edge][row]. `work` has space for four rows.
  void (*walk)(const ShapWalk& tree, const std::uint8_t* cases, double* work, double* values);
  /// right[row] = x[row] > threshold, or missing_right where x is NaN.
  void (*compare)(const double* x, double threshold, std::uint8_t missing_right,
                  std::uint8_t* right);
};

const ShapKernels& shap_kernels();

}  // namespace ramify

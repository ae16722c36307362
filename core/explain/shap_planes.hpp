// SPDX-License-Identifier: BSD-3-Clause
// Shapley values of trees with hyperplanes, against background rows: exact unless that is too much
// work, else sampled, with their standard errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/shap.hpp"

namespace ramify {

/// A tree, and the output that its first value is added to.
struct ShapTerm {
  const ShapTree* tree;
  std::size_t first;
};

struct PlaneOptions {
  std::size_t max_pieces = 65536;  // of a pair of rows, over all trees
  std::size_t n_samples = 0;       // sampled pairs of orders; 0: as many as needed
  std::uint64_t seed = 0;
};

struct PlaneReport {
  std::vector<std::uint8_t> is_exact;  // of each row
  std::vector<double> error;           // standard error of each value, same layout; 0 if exact
};

/// Adds the Shapley values of rows, each the mean over all background rows. Throws
/// std::invalid_argument if interactions are requested and cannot be exact.
PlaneReport explain_planes(std::span<const ShapTerm> parts, const RowMatrix& X,
                           const RowMatrix& others, const ShapSums& sums,
                           const PlaneOptions& planes, const ShapOptions& options);

}  // namespace ramify

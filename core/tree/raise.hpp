// SPDX-License-Identifier: BSD-3-Clause
// Error-based pruning with subtree raising (Quinlan 1993; WEKA's J48).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/counting.hpp"
#include "tree/route.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// What was done with a node of the grown tree.
enum class Decision : std::uint8_t { kept, cut, raised, gone };

/// The remaining tree, in preorder: the node of the grown tree that each node was, whether it is a
/// leaf now, how many children it has, and its current class weights and number of rows. For each
/// node of the grown tree: its estimates as a leaf, with its subtree and as its largest branch,
/// when it was last judged, and the decision.
struct Raised {
  std::vector<std::int64_t> origin, n_children, n_rows;
  std::vector<double> weight;  // [node][class]
  std::vector<double> as_leaf, as_subtree, as_branch;
  std::vector<std::uint8_t> decision;
};

/// Training rows: their values, classes and weights.
struct ClassRows {
  RowMatrix X;
  std::span<const std::uint32_t> codes;
  std::span<const double> weight;
  std::size_t n_classes = 0;
};

/// A node becomes a leaf, is replaced by its largest branch with all its rows, or stays, whichever
/// has the fewest estimated errors. `is_leaf` marks nodes that were collapsed before.
Raised prune_raising(const TreeView& tree, const ClassRows& rows, const ErrorBound& bound,
                     double slack, std::span<const std::uint8_t> is_leaf);

}  // namespace ramify

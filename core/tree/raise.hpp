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

/// The tree that is left, in preorder: the node of the grown tree that each node was, whether it is
/// a leaf now, how many children it has, and the class weights and number of rows that it has now.
/// Of each node of the grown tree: what it was worth as a leaf, with its subtree and as its largest
/// branch, when it was last judged, and what became of it.
struct Raised {
  std::vector<std::int64_t> origin, n_children, n_rows;
  std::vector<double> weight;  // [node][class]
  std::vector<double> as_leaf, as_subtree, as_branch;
  std::vector<std::uint8_t> decision;
};

/// Training rows: what they hold, their classes and weights.
struct ClassRows {
  RowMatrix X;
  std::span<const std::uint32_t> codes;
  std::span<const double> weight;
  std::size_t n_classes = 0;
};

/// A node becomes a leaf, its largest branch with all its rows, or stays, whatever is estimated to
/// make the fewest errors. `is_leaf` marks what was collapsed before.
Raised prune_raising(const TreeView& tree, const ClassRows& rows, const ErrorBound& bound,
                     double slack, std::span<const std::uint8_t> is_leaf);

}  // namespace ramify

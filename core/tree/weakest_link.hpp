// SPDX-License-Identifier: BSD-3-Clause
// The whole sequence of cost-complexity pruning at once: the alpha at which each node collapses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace ramify {

/// For each node the alpha from which on it is a leaf, or lies below one: infinite for the leaves
/// of the tree itself. It never decreases from a node to its parent, so the leaves of the smallest
/// best subtree for some alpha are the highest nodes with a value of at most alpha, and the
/// remaining leaves. `risk` is each node's own, as a share of the total; a leaf without weight does
/// not count. O(n log n).
std::vector<double> weakest_links(const TreeView& tree, std::span<const double> risk);

}  // namespace ramify

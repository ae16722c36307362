// SPDX-License-Identifier: BSD-3-Clause
// The whole sequence of cost-complexity pruning at once: at which alpha does a node collapse?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace ramify {

/// For each node the alpha from which on it is a leaf, or lies below one: infinite for the leaves
/// of the tree itself. It never falls from a node to its parent, so the leaves of the smallest best
/// subtree for some alpha are the highest nodes with a value of at most alpha, and what remains of
/// the leaves. `risk` is each node's own, as a share of the whole; a leaf without weight counts for
/// no leaf. O(n log n).
std::vector<double> weakest_links(const TreeView& tree, std::span<const double> risk);

}  // namespace ramify

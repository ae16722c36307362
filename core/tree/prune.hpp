// SPDX-License-Identifier: BSD-3-Clause
// Minimal cost-complexity pruning (Breiman et al. 1984, section 3.3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace ramify {

/// The weakest-link sequence: the cost of complexity at each step, the risk of the remaining tree,
/// and which nodes are leaves at the end.
struct PruningPath {
  std::vector<double> alphas, risks;
  std::vector<std::uint8_t> is_leaf;
};

/// Cuts the weakest link while its alpha is at most `up_to`. `risk` is each node's own, as a share
/// of the total.
PruningPath prune(const TreeView& tree, std::span<const double> risk, double up_to);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Several trees in one call: the trees of a forest share a table, a target and a plan, and differ
// in their seeds and row weights.
#pragma once

#include <span>
#include <vector>

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "tree/packed.hpp"

namespace ramify {

struct TreeBatch {
  const Table& table;
  std::span<const std::uint32_t> rows;  // of the table, in the order of the target
  const Target& target;
  std::span<const std::uint64_t> seeds;  // of each tree
  /// [tree][row]: rows of weight 0 are left out; null if the weights are the target's.
  const double* weights;
};

/// Returns the trees, packed; candidate splits are not recorded. Throws as `grow` does.
std::vector<PackedTree> grow_batch(const TreeBatch& batch, const Plan& plan);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Several trees in one go: those of a forest share a table, a target and a plan, and differ in
// their seeds and in how heavy rows are.
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
  /// [tree][row]: rows that weigh nothing are not seen; null if the weights are the target's.
  const double* weights;
};

/// The trees, packed; candidate splits are not recorded. Throws as `grow` does.
std::vector<PackedTree> grow_batch(const TreeBatch& batch, const Plan& plan);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Grows trees whose nodes look at a few drawn columns, as those of forests do.
#pragma once

#include <span>
#include <vector>

#include "grow/fragment.hpp"

namespace ramify {

struct DrawnTask {
  const Table& table;
  std::span<const std::uint32_t> rows;  // of the table
  const Target& target;
  const Plan& plan;
};

/// Is this such a tree, and of the plain kind: one thread, depth first, one output of classes that
/// are counted, numbers without gaps, and a built-in criterion with no rules besides? Others grow
/// in the general way; where both can, the trees are the same.
bool looks_at_few(const Table& table, const Target& target, const Plan& plan);

/// Grows all that follows from a root. Throws Stopped.
void grow_drawn(const DrawnTask& task, Node root, std::vector<Fragment>& fragments);

}  // namespace ramify

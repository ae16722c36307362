// SPDX-License-Identifier: BSD-3-Clause
// Grows a tree from a table, a target and a plan: a splitter finds the best split of each waiting
// node and partitions its rows; the grown fragments are assembled into a tree.
#pragma once

#include <span>

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// Grows a tree on the given rows of the table; entry i of `target` belongs to rows[i]. Throws
/// Stopped, and whatever a user's criterion throws.
Tree grow(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
          const Plan& plan);

}  // namespace ramify

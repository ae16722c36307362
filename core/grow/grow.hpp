// SPDX-License-Identifier: BSD-3-Clause
// Room `grow`: which node next, and when to stop? Table × target × plan → tree: nodes wait, a
// splitter finds the best split of one and parts its rows, what has grown is written down and
// assembled.
#pragma once

#include <span>

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// Grows a tree on the given rows of the table; `target` speaks of rows[0], rows[1] ... in that
/// order. `may_count`: the shares of classes may be given as counts. Throws Stopped, and whatever a
/// user's criterion throws.
Tree grow(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
          const Plan& plan, bool may_count = false);

}  // namespace ramify

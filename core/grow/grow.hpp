// SPDX-License-Identifier: BSD-3-Clause
// Table × target × plan → tree.
#pragma once

#include <span>

#include "data/table.hpp"
#include "split/plan.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// Grows a tree on the given rows of the table; `target` speaks of rows[0], rows[1] ... in that
/// order. Throws Stopped, and whatever a user's criterion throws.
Tree grow(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
          const Plan& plan);

}  // namespace ramify

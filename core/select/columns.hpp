// SPDX-License-Identifier: BSD-3-Clause
// Chooses one split among the best of each column.
#pragma once

#include <span>

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "select/split.hpp"

namespace ramify {

/// Returns the first of the best, or the choice of C4.5's rules.
Split choose(const Table& table, const Target& target, const Plan& plan, const Node& node,
             std::span<const Split> found);

}  // namespace ramify

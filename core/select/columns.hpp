// SPDX-License-Identifier: BSD-3-Clause
// One split from the best of each column.
#pragma once

#include <span>

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "select/split.hpp"

namespace ramify {

/// The first of the best, or what the rules of C4.5 say.
Split choose(const Table& table, const Target& target, const Plan& plan, const Node& node,
             std::span<const Split> found);

}  // namespace ramify

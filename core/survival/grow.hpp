// SPDX-License-Identifier: BSD-3-Clause
// Grows survival trees: the growing loop of all trees with the splitter of this module.
#pragma once

#include <span>
#include <vector>

#include "plan/plan.hpp"
#include "survival/curves.hpp"
#include "survival/rules.hpp"
#include "survival/target.hpp"
#include "tree/packed.hpp"

namespace ramify {

struct Table;

/// A tree whose nodes predict their risk, and the curves of its leaves.
struct GrownSurvival {
  Tree tree;
  LeafCurves curves;
};

/// Grows a tree on the given rows of the table; entry i of `target` belongs to rows[i]. Throws
/// Stopped, and whatever a user's criterion throws.
GrownSurvival grow_survival(const Table& table, std::span<const std::uint32_t> rows,
                            const SurvivalTarget& target, const Plan& plan,
                            const SurvivalRules& rules);

/// A packed tree of a forest, with brief curves.
struct PackedSurvival {
  PackedTree tree;
  std::vector<PackedArray> curves;
};
PackedSurvival pack(const GrownSurvival& grown);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Grows model trees: trees with a line in every leaf.
#pragma once

#include <span>
#include <vector>

#include "data/table.hpp"
#include "model_trees/grown.hpp"
#include "model_trees/rules.hpp"

namespace ramify {

/// Grows a tree on some rows of a table; entry i of `target`, which has one output, belongs to
/// rows[i]. Every code of the table stands for one value. Throws what `rules.pause` throws.
ModelTree grow_model_tree(const Table& table, std::span<const std::uint32_t> rows,
                          const Target& target, const ModelTreeRules& rules);

// --- the methods: nodes in preorder --------------------------------------------------------------
std::vector<GrownNode> grow_pilot(LineSample& sample, const ModelTreeRules& rules);
std::vector<GrownNode> grow_m5(LineSample& sample, const ModelTreeRules& rules);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a boosted tree, the rules for them, and how they are written.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "boost/binned.hpp"
#include "boost/search.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// What limits a tree.
struct GrowthLimits {
  int max_depth = 6;
  std::uint32_t max_leaves = 0;  // 0 = no limit; else best-first
  std::uint32_t min_leaf_rows = 1;
  double min_child_weight = 1;  // sum of hessians
  double l2 = 1;
  double min_gain = 0;
  double learning_rate = 0.1;
};

/// Statistics of a node. Its children, if it has any, are first_child and the next.
struct BoostNode {
  int depth = 0, first_child = -1;
  std::uint32_t n_rows = 0;
  Pair sums = 0;
  double weight = 0, value = 0, score = 0;
  BoostSplit split;  // the best, or the one that was made
  double gain() const { return split.score - score; }
};

/// The rules for the nodes of a tree.
class GrowthRules {
 public:
  GrowthRules() = default;
  GrowthRules(const GrowthLimits& limits, const Scales& scales, double weight_unit);

  /// Sets what follows from the sums of a node.
  void note_sums(BoostNode& node, Pair sums) const;
  bool may_split(const BoostNode& node) const;
  bool is_worth_it(const BoostNode& node) const;
  /// The two children of a node. Their rows are not known yet: they have at most those of the node.
  std::pair<BoostNode, BoostNode> children_of(const BoostNode& node) const;

  const CutRules& cut_rules() const { return cut_rules_; }
  /// What a unit of scores, and of weights, is worth.
  double score_unit() const { return scales_.hessian / (scales_.gradient * scales_.gradient) / 2; }
  double weight_unit() const { return weight_unit_; }

 private:
  GrowthLimits limits_;
  Scales scales_;
  double weight_unit_ = 1;
  CutRules cut_rules_{};
};

/// The tree in preorder, in the values of the table. Nodes that are not `is_split` are leaves.
Tree write_tree(const BinnedColumns& columns, const GrowthRules& rules,
                std::span<const BoostNode> nodes, const std::function<bool(int)>& is_split);

}  // namespace ramify

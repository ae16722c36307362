// SPDX-License-Identifier: BSD-3-Clause
// One tree of a boosted model while it grows: its nodes and the rules for them, without any rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

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
};

/// The rules for the nodes of a tree, and how they are written.
class Growth {
 public:
  Growth() = default;
  Growth(const BinnedColumns& columns, const GrowthLimits& limits, const Scales& scales,
         double weight_unit);

  /// Sets what follows from the sums of a node.
  void note_sums(BoostNode& node, Pair sums) const;
  bool may_split(const BoostNode& node) const;
  bool is_worth_it(const BoostNode& node) const;
  double gain_of(const BoostNode& node) const { return node.split.score - node.score; }
  /// The two children of a node, whose rows are not known yet.
  std::pair<BoostNode, BoostNode> children_of(const BoostNode& node) const;

  const CutRules& rules() const { return rules_; }
  /// Writes the tree in preorder, in the values of the table.
  Tree tree(const std::function<const BoostNode&(int)>& node_at) const;

 private:
  void write_split(Tree& tree, const BoostNode& node) const;

  const BinnedColumns* columns_ = nullptr;
  GrowthLimits limits_;
  Scales scales_;
  double weight_unit_ = 1;
  CutRules rules_{};
};

}  // namespace ramify

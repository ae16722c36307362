// SPDX-License-Identifier: BSD-3-Clause
#include "boost/growth.hpp"

#include <limits>
#include <vector>

namespace ramify {
namespace {

constexpr double min_relative_gain = 1e-12;  // less is rounding

/// Writes the split of a node, in the values of the table.
void write_split(Tree& tree, const BinnedColumns& columns, const BoostNode& node, bool is_leaf) {
  SplitKind kind = SplitKind::threshold;
  double threshold = -2;
  std::int64_t missing = 0, heavier = 0;
  if (!is_leaf) {
    const BoostSplit& split = node.split;
    const Column& column = columns.column(split.column);
    heavier = hessian_of(split.left) < hessian_of(node.sums - split.left);
    missing = !split.goes[column.n_codes()];
    if (column.is_categorical) {
      kind = SplitKind::categories;
      threshold = std::numeric_limits<double>::quiet_NaN();
      for (std::uint32_t code = 0; code < column.n_codes(); ++code)
        if (split.seen[code]) {
          tree.split_value.push_back(code);
          tree.split_branch.push_back(!split.goes[code]);
        }
    } else {
      std::uint32_t next = split.code + 1;
      while (next < column.n_codes() && !columns.occurs[split.column][next]) ++next;
      threshold = column.midpoint(split.code, next);
    }
  }
  tree.kind.push_back(static_cast<std::uint8_t>(kind));
  tree.threshold.push_back(threshold);
  tree.optimal.push_back(!is_leaf && node.split.is_optimal);
  tree.missing_branch.push_back(missing);
  tree.default_branch.push_back(heavier);
}

}  // namespace

GrowthRules::GrowthRules(const GrowthLimits& limits, const Scales& scales, double weight_unit)
    : limits_(limits),
      scales_(scales),
      weight_unit_(weight_unit),
      cut_rules_{limits.l2 * scales.hessian, limits.min_child_weight * scales.hessian,
                 limits.min_leaf_rows} {}

void GrowthRules::note_sums(BoostNode& node, Pair sums) const {
  node.sums = sums;
  const double units = gradient_of(sums), below_units = hessian_of(sums) + cut_rules_.l2;
  node.score = below_units > 0 ? units * units / below_units : 0;
  const double gradient = gradient_of(sums) / scales_.gradient;
  const double below = hessian_of(sums) / scales_.hessian + limits_.l2;
  node.value = below > 0 ? -gradient / below * limits_.learning_rate : 0;
}

bool GrowthRules::may_split(const BoostNode& node) const {
  return node.depth < limits_.max_depth && node.n_rows >= 2 * limits_.min_leaf_rows &&
         node.n_rows >= 2 && hessian_of(node.sums) >= 2 * cut_rules_.min_hessian;
}

bool GrowthRules::is_worth_it(const BoostNode& node) const {
  return node.split.exists() && node.gain() > min_relative_gain * node.score &&
         node.gain() * score_unit() > limits_.min_gain;
}

std::pair<BoostNode, BoostNode> GrowthRules::children_of(const BoostNode& node) const {
  std::pair<BoostNode, BoostNode> children;
  children.first.depth = children.second.depth = node.depth + 1;
  children.first.n_rows = children.second.n_rows = node.n_rows;
  note_sums(children.first, node.split.left);
  note_sums(children.second, node.sums - node.split.left);
  return children;
}

Tree write_tree(const BinnedColumns& columns, const GrowthRules& rules,
                std::span<const BoostNode> nodes, const std::function<bool(int)>& is_split) {
  Tree tree;
  tree.n_outputs = tree.max_classes = 1;
  struct Visit {
    int node;
    std::int64_t parent;
  };
  const double unit = rules.score_unit();
  std::vector<Visit> stack{{0, Tree::no_child}};
  while (!stack.empty()) {  // in preorder
    const Visit visit = stack.back();
    stack.pop_back();
    const BoostNode& node = nodes[static_cast<std::size_t>(visit.node)];
    const auto id = static_cast<std::int64_t>(tree.size());
    if (visit.parent >= 0) {
      if (tree.children_left[visit.parent] == Tree::no_child)
        tree.children_left[visit.parent] = id;
      else
        tree.next_sibling[tree.children_left[visit.parent]] = id;
      tree.children_right[visit.parent] = id;
    }
    const bool is_leaf = !is_split(visit.node);
    const double weight = node.weight * rules.weight_unit();
    tree.children_left.push_back(Tree::no_child);
    tree.children_right.push_back(Tree::no_child);
    tree.next_sibling.push_back(Tree::no_child);
    tree.feature.push_back(is_leaf ? Tree::no_feature : node.split.column);
    tree.n_node_samples.push_back(node.n_rows);
    tree.weighted_n_node_samples.push_back(weight);
    tree.impurity.push_back(0 - node.score * unit / weight);
    tree.gain.push_back(is_leaf ? std::numeric_limits<double>::quiet_NaN()
                                : node.gain() * unit / weight);
    tree.value.push_back(node.value);
    write_split(tree, columns, node, is_leaf);
    tree.split_begin.push_back(static_cast<std::int64_t>(tree.split_value.size()));
    tree.term_begin.push_back(0);
    if (is_leaf) continue;
    stack.push_back({node.first_child + 1, id});
    stack.push_back({node.first_child, id});
  }
  return tree;
}

}  // namespace ramify

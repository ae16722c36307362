// SPDX-License-Identifier: BSD-3-Clause
#include "boost/growth.hpp"

#include <limits>
#include <utility>
#include <vector>

namespace ramify {
namespace {

constexpr double min_relative_gain = 1e-12;  // less is rounding

}  // namespace

Growth::Growth(const BinnedColumns& columns, const GrowthLimits& limits, const Scales& scales,
               double weight_unit)
    : columns_(&columns),
      limits_(limits),
      scales_(scales),
      weight_unit_(weight_unit),
      rules_{limits.l2 * scales.hessian, limits.min_child_weight * scales.hessian,
             limits.min_leaf_rows} {}

void Growth::note_sums(BoostNode& node, Pair sums) const {
  node.sums = sums;
  const double units = gradient_of(sums), below_units = hessian_of(sums) + rules_.l2;
  node.score = below_units > 0 ? units * units / below_units : 0;
  const double gradient = gradient_of(sums) / scales_.gradient;
  const double below = hessian_of(sums) / scales_.hessian + limits_.l2;
  node.value = below > 0 ? -gradient / below * limits_.learning_rate : 0;
}

bool Growth::may_split(const BoostNode& node) const {
  return node.depth < limits_.max_depth && node.n_rows >= 2 * limits_.min_leaf_rows &&
         node.n_rows >= 2 && hessian_of(node.sums) >= 2 * rules_.min_hessian;
}

bool Growth::is_worth_it(const BoostNode& node) const {
  const double unit = scales_.hessian / (scales_.gradient * scales_.gradient);
  return node.split.exists() && gain_of(node) > min_relative_gain * node.score &&
         gain_of(node) * unit / 2 > limits_.min_gain;
}

std::pair<BoostNode, BoostNode> Growth::children_of(const BoostNode& node) const {
  std::pair<BoostNode, BoostNode> children;
  children.first.depth = children.second.depth = node.depth + 1;
  note_sums(children.first, node.split.left);
  note_sums(children.second, node.sums - node.split.left);
  return children;
}

Tree Growth::tree(const std::function<const BoostNode&(int)>& node_at) const {
  Tree tree;
  tree.n_outputs = tree.max_classes = 1;
  struct Visit {
    int node;
    std::int64_t parent;
  };
  const double unit = scales_.hessian / (scales_.gradient * scales_.gradient) / 2;
  std::vector<Visit> stack{{0, Tree::no_child}};
  while (!stack.empty()) {  // in preorder
    const Visit visit = stack.back();
    stack.pop_back();
    const BoostNode& node = node_at(visit.node);
    const auto id = static_cast<std::int64_t>(tree.size());
    if (visit.parent >= 0) {
      if (tree.children_left[visit.parent] == Tree::no_child)
        tree.children_left[visit.parent] = id;
      else
        tree.next_sibling[tree.children_left[visit.parent]] = id;
      tree.children_right[visit.parent] = id;
    }
    const bool is_leaf = node.first_child < 0;
    const double weight = node.weight * weight_unit_;
    tree.children_left.push_back(Tree::no_child);
    tree.children_right.push_back(Tree::no_child);
    tree.next_sibling.push_back(Tree::no_child);
    tree.feature.push_back(is_leaf ? Tree::no_feature : node.split.column);
    tree.n_node_samples.push_back(node.n_rows);
    tree.weighted_n_node_samples.push_back(weight);
    tree.impurity.push_back(0 - node.score * unit / weight);
    tree.gain.push_back(is_leaf ? std::numeric_limits<double>::quiet_NaN()
                                : gain_of(node) * unit / weight);
    tree.value.push_back(node.value);
    write_split(tree, node);
    tree.split_begin.push_back(static_cast<std::int64_t>(tree.split_value.size()));
    tree.term_begin.push_back(0);
    if (is_leaf) continue;
    stack.push_back({node.first_child + 1, id});
    stack.push_back({node.first_child, id});
  }
  return tree;
}

/// Writes the split of a node, in the values of the table.
void Growth::write_split(Tree& tree, const BoostNode& node) const {
  SplitKind kind = SplitKind::threshold;
  double threshold = -2;
  std::int64_t missing = 0, heavier = 0;
  if (node.first_child >= 0) {
    const BoostSplit& split = node.split;
    const Column& column = columns_->column(split.column);
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
      while (next < column.n_codes() && !columns_->occurs[split.column][next]) ++next;
      threshold = column.midpoint(split.code, next);
    }
  }
  tree.kind.push_back(static_cast<std::uint8_t>(kind));
  tree.threshold.push_back(threshold);
  tree.optimal.push_back(node.first_child >= 0 && node.split.is_optimal);
  tree.missing_branch.push_back(missing);
  tree.default_branch.push_back(heavier);
}

}  // namespace ramify

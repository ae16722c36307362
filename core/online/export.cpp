// SPDX-License-Identifier: BSD-3-Clause
// The tree of a moment as flat arrays, for all that is done with trees.
#include <limits>
#include <numeric>

#include "grow/fragment.hpp"
#include "online/tree.hpp"

namespace ramify::online {
namespace {

/// Rows, weight and class shares of a node, from its leaves.
struct Totals {
  double rows = 0, weight = 0;
  std::vector<double> by_class;
};

}  // namespace

Tree OnlineTree::tree() const {
  // Places in the fragment, parents before their children, which stand side by side.
  std::vector<std::int32_t> order{state_.root};
  std::vector<int> first_child;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Node& each = node(order[place]);
    first_child.push_back(static_cast<int>(order.size()));
    if (!each.is_leaf()) order.insert(order.end(), {each.left, each.right});
  }
  std::vector<Totals> totals(order.size());
  for (std::size_t place = order.size(); place-- > 0;) {
    const Node& each = node(order[place]);
    Totals& own = totals[place];
    if (each.is_leaf()) {
      const Leaf& leaf = state_.leaves[static_cast<std::size_t>(each.leaf)];
      own.by_class = leaf.class_weights;
      // Inherited weight stands for the rows that the parent saw on this side.
      const double answers = leaf.weight();
      own.rows = leaf.n_rows + each.born_rows;
      own.weight = leaf.own_weight + each.born_weight;
      if (!(answers > 0)) {
        own.by_class.assign(n_classes_, 1.0 / static_cast<double>(n_classes_));
        own.weight = std::max(own.weight, 1.0);
      }
      const double sum = std::accumulate(own.by_class.begin(), own.by_class.end(), 0.0);
      for (double& weight : own.by_class) weight *= own.weight / sum;
      continue;
    }
    own.by_class.assign(n_classes_, 0);
    for (int side = 0; side < 2; ++side) {
      const Totals& child = totals[static_cast<std::size_t>(first_child[place] + side)];
      own.rows += child.rows;
      own.weight += child.weight;
      for (std::size_t k = 0; k < n_classes_; ++k) own.by_class[k] += child.by_class[k];
    }
  }
  Fragment fragment;
  fragment.n_statistics = n_classes_;
  for (const Totals& own : totals)
    fragment.add(static_cast<std::uint64_t>(own.rows), own.by_class, {});
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Node& each = node(order[place]);
    if (each.is_leaf()) continue;
    Fragment::Grown& grown = fragment.nodes[place];
    const Column& column = columns_.all[static_cast<std::size_t>(each.column)];
    grown.first_child = first_child[place];
    grown.n_children = 2;
    grown.column = each.column;
    grown.gain = each.gain;
    grown.missing_branch = each.sides.is_left(0) ? 0 : 1;
    grown.default_branch = each.heavier_left ? 0 : 1;
    if (!column.is_categorical) {
      grown.threshold = each.code < column.cuts.size() ? column.cuts[each.code]
                                                       : std::numeric_limits<double>::infinity();
      continue;
    }
    grown.kind = SplitKind::categories;
    grown.threshold = std::numeric_limits<double>::quiet_NaN();
    grown.list_begin = static_cast<std::uint32_t>(fragment.listed.size());
    const bool has_others = column.n_categories > column.max_categories;
    const std::uint32_t n_named = has_others ? column.max_categories : column.n_categories;
    for (std::uint32_t code = 0; code < n_named; ++code) {
      fragment.listed.push_back(code);
      fragment.branches.push_back(each.sides.is_left(static_cast<std::uint8_t>(code + 1)) ? 0 : 1);
    }
    grown.list_end = static_cast<std::uint32_t>(fragment.listed.size());
    // Categories without a code of their own follow "other".
    if (has_others)
      grown.default_branch =
          each.sides.is_left(static_cast<std::uint8_t>(column.max_categories + 1)) ? 0 : 1;
  }
  Target target;
  target.n_classes = {static_cast<int>(n_classes_)};
  Plan plan;
  plan.impurity = rules_.contests[0].plan.impurity;
  return assemble({fragment}, target, plan);
}

}  // namespace ramify::online

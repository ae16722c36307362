// SPDX-License-Identifier: BSD-3-Clause
#include "model_trees/grown.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ramify {

void NodeLine::add(const LineTerm& term, double times) {
  for (LineTerm& own : terms)
    if (own.column == term.column && own.low == term.low && own.high == term.high &&
        own.fill == term.fill) {
      own.slope += times * term.slope;
      own.gain += term.gain;
      return;
    }
  terms.push_back(term);
  terms.back().slope *= times;
}

double mean_squared_residual(const NodeLine& line, const LineSample& sample,
                             std::span<const std::uint32_t> rows, double y_low, double y_high) {
  double sum = 0, total = 0;
  for (const std::uint32_t row : rows) {
    const double rest = sample.y[row] - std::clamp(line.at(sample, row), y_low, y_high);
    sum += sample.weight[row] * rest * rest;
    total += sample.weight[row];
  }
  return total > 0 ? sum / total : 0;
}

namespace {

/// Adds the categories that a node has seen, with their branches.
void list_categories(Tree& tree, const GrownNode& node, const LineSample& sample) {
  const std::uint32_t column = node.division.column;
  std::vector<std::uint8_t> occurs(sample.n_categories[column]);
  for (const std::uint32_t row : sample.rows(node.rows)) {
    const double code = sample.x[column][row];
    if (code == code) occurs[static_cast<std::size_t>(code)] = 1;
  }
  for (std::size_t code = 0; code < occurs.size(); ++code) {
    if (!occurs[code]) continue;
    tree.split_value.push_back(static_cast<double>(code));
    tree.split_branch.push_back(node.division.is_left[code] ? 0 : 1);
  }
}

}  // namespace

ModelTree assemble_lines(std::span<const GrownNode> nodes, const LineSample& sample, double y_low,
                         double y_high) {
  ModelTree made{};
  Tree& tree = made.tree;
  TreeLines& lines = made.lines;
  lines.y_low = y_low;
  lines.y_high = y_high;
  tree.n_outputs = tree.max_classes = 1;
  for (std::size_t id = 0; id < nodes.size(); ++id) {
    const GrownNode& node = nodes[id];
    const auto own = static_cast<std::int64_t>(id);
    if (node.parent >= 0) {
      const auto parent = static_cast<std::size_t>(node.parent);
      if (node.is_first)
        tree.children_left[parent] = own;
      else
        tree.next_sibling[static_cast<std::size_t>(tree.children_left[parent])] = own;
      tree.children_right[parent] = own;
    }
    const bool is_leaf = node.is_leaf;
    const Division& by = node.division;
    const bool by_category = !is_leaf && by.by_category;
    const bool apart = by_category && std::ranges::all_of(by.is_left, [](auto c) { return c; });
    for (auto* links : {&tree.children_left, &tree.children_right, &tree.next_sibling})
      links->push_back(Tree::no_child);
    tree.feature.push_back(is_leaf ? Tree::no_feature : by.column);
    const double threshold = apart         ? std::numeric_limits<double>::infinity()
                             : by_category ? std::numeric_limits<double>::quiet_NaN()
                                           : by.threshold;
    tree.threshold.push_back(is_leaf ? -2 : threshold);
    tree.kind.push_back(static_cast<std::uint8_t>(by_category && !apart ? SplitKind::categories
                                                                        : SplitKind::threshold));
    tree.optimal.push_back(!is_leaf);
    if (by_category && !apart) list_categories(tree, node, sample);
    tree.split_begin.push_back(static_cast<std::int64_t>(tree.split_value.size()));
    tree.term_begin.push_back(0);
    tree.missing_branch.push_back(is_leaf || by.missing_left ? 0 : 1);
    tree.default_branch.push_back(is_leaf || 2 * node.left_weight >= node.weight ? 0 : 1);
    tree.gain.push_back(is_leaf ? std::numeric_limits<double>::quiet_NaN() : node.gain);
    tree.impurity.push_back(node.impurity);
    tree.n_node_samples.push_back(static_cast<std::int64_t>(node.rows.size()));
    tree.weighted_n_node_samples.push_back(node.weight);
    tree.value.push_back(node.line.intercept);
    lines.mean.push_back(node.mean);
    for (const LineTerm& term : node.line.terms) {
      lines.column.push_back(term.column);
      lines.slope.push_back(term.slope);
      lines.low.push_back(term.low);
      lines.high.push_back(term.high);
      lines.fill.push_back(term.fill);
      lines.gain.push_back(term.gain);
    }
    lines.begin.push_back(static_cast<std::int64_t>(lines.column.size()));
  }
  return made;
}

}  // namespace ramify

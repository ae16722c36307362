// SPDX-License-Identifier: BSD-3-Clause
// What splitters of trees of one number have in common: a node is measured when it is made, and
// answers by that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include "regression/target.hpp"
#include "search/non_constant_columns.hpp"
#include "select/admissible.hpp"
#include "splitters/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

struct MeasuredNode {
  int depth = 0, place = 0;
  std::uint64_t key = 0;
  NonConstantColumns::Range non_constant{};
  bool is_leaf = false;  // there is nothing left to split, or nothing that may be split
  RegressionStatistics::Output output{};
  double impurity = 0, sums[2] = {};
};

class MeasuredSplitter {
 public:
  std::size_t expected_nodes(std::uint32_t n_rows) const {
    return std::min(std::size_t{2} * n_rows, std::size_t{1} << 18);
  }
  bool is_leaf(const MeasuredNode& node, std::span<const double>) const {
    return node.is_leaf || node.non_constant.n == 0;
  }
  bool is_worth(const MeasuredNode& node, std::span<const double>, const Split& split) const {
    return pays(plan_, target_, split, node.impurity, node.sums[0]);
  }
  double gain_unit(const MeasuredNode& node) const { return node.impurity; }
  Bounds bounds(const MeasuredNode&) const {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  void finish(MeasuredNode&, Workers) const {}

 protected:
  MeasuredSplitter(const Target& target, const Plan& plan)
      : target_(target), plan_(plan), regression_(target, plan) {}

  /// Learns the numbers of a node of these rows, and makes it ready to be split unless it is a
  /// leaf.
  void measure(MeasuredNode& node, std::span<const std::uint32_t> rows,
               RegressionBuffers& buffers) {
    if (rows.size() == 1)  // half of all nodes of a full tree
      return measure_row(node, target_.values[rows[0]], target_.weight_of(rows[0]));
    buffers.y.resize(rows.size());
    buffers.weight.resize(target_.weight.empty() ? 0 : rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) buffers.y[i] = target_.values[rows[i]];
    for (std::size_t i = 0; i < buffers.weight.size(); ++i)
      buffers.weight[i] = target_.weight[rows[i]];
    learn(node, buffers);
    if (!node.is_leaf)
      node.sums[1] = regression_.quantise_one(buffers, node.sums[0], node.output.fixed_point, rows);
  }
  static void measure_row(MeasuredNode& node, double y, double weight) {
    node.output = {.fixed_point = {.centre = y}, .value = y};
    node.impurity = 0;
    node.sums[0] = weight;
    node.sums[1] = 0;
    node.is_leaf = true;
  }
  /// The same of numbers that are in the buffers, but for their marks.
  void learn(MeasuredNode& node, RegressionBuffers& buffers) const {
    const auto n = static_cast<std::uint32_t>(buffers.y.size());
    node.sums[0] = buffers.weight.empty()
                       ? n
                       : std::accumulate(buffers.weight.begin(), buffers.weight.end(), 0.0);
    node.sums[1] = 0;
    node.output = {};
    node.impurity = regression_.learn_one(buffers, node.sums[0], node.output);
    ask_leaf(node, n, buffers.node);
  }
  /// What the loop knows of the root.
  static void write_root(const MeasuredNode& root, Node& node) {
    node.regression.outputs = {root.output};
    node.regression.impurity = root.impurity;
    node.sums.assign(root.sums, root.sums + 2);
  }
  /// Is a node that was measured a leaf? `as_node` stands for it.
  void ask_leaf(MeasuredNode& node, std::uint32_t n_rows, Node& as_node) const {
    as_node.end = n_rows;
    as_node.depth = node.depth;
    as_node.non_constant.resize(1);
    as_node.regression.impurity = node.impurity;
    as_node.sums.assign(node.sums, node.sums + 2);
    node.is_leaf = node.non_constant.n == 0 || ramify::is_leaf(plan_, target_, as_node);
  }

  const Target& target_;
  const Plan& plan_;
  RegressionTarget regression_;
};

}  // namespace ramify

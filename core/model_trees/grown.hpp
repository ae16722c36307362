// SPDX-License-Identifier: BSD-3-Clause
// What a model tree is while it grows: nodes with a line each, and how they become the arrays of a
// tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model_trees/sample.hpp"
#include "tree/lines.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// An intercept and terms; before it is clipped to the range of y.
struct NodeLine {
  double intercept = 0;
  std::vector<LineTerm> terms{};

  /// What it says of a training row.
  double at(const LineSample& sample, std::uint32_t row) const {
    double sum = intercept;
    for (const LineTerm& term : terms)
      sum += term.value(sample.x[static_cast<std::size_t>(term.column)][row]);
    return sum;
  }
  /// Adds a multiple of a term: to one that looks at the column in the same way, if there is one.
  void add(const LineTerm& term, double times = 1);
};

struct GrownNode {
  int parent = -1, depth = 0;
  bool is_first = false;  // child of its parent
  Segment rows{};
  double weight = 0;
  bool is_leaf = true;
  Division division{};  // of an inner node
  double left_weight = 0;
  double gain = 0;
  double mean = 0;      // of y
  double impurity = 0;  // mean squared residual of the line
  NodeLine line{};
};

struct ModelTree {
  Tree tree;
  TreeLines lines;
};

/// The arrays of a tree; the nodes are in preorder. `sample` says which categories a node has seen.
ModelTree assemble_lines(std::span<const GrownNode> nodes, const LineSample& sample, double y_low,
                         double y_high);

/// The mean squared residual of a line over rows, as it answers: clipped.
double mean_squared_residual(const NodeLine& line, const LineSample& sample,
                             std::span<const std::uint32_t> rows, double y_low, double y_high);

}  // namespace ramify

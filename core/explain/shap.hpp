// SPDX-License-Identifier: BSD-3-Clause
// Exact Shapley values: how much each column adds to a tree's prediction for a row.
//
// The players are the columns. Without background rows, a column outside the coalition goes down
// every branch by its share of the training weight: the path-dependent game. With background rows,
// it takes their values: the interventional game, one for each pair of rows. In both, the worth of
// a coalition S is a sum over leaves of products over the columns on the way, v(S) = sum_L v_L
// prod_j (o_j if j in S else z_j), where o_j and z_j are the shares in which the row and its
// replacement pass the nodes of j.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tree/route.hpp"

namespace ramify {

/// A tree, the values of its nodes, and the relations of its edges. An edge has the index of the
/// node that it leads to; "edge 0" stands for none.
struct ShapTree {
  ShapTree(const TreeView& view, std::span<const double> values, std::size_t n);

  static constexpr std::int64_t every_branch = Tree::every_branch;

  /// The branch of a node that tests one column, or `every_branch`.
  std::int64_t branch(std::size_t node, double x) const { return branch_of_value(tree, node, x); }
  bool is_leaf(std::size_t node) const { return tree.children_left[node] < 0; }
  const double* value_of(std::size_t node) const { return value.data() + node * n_values; }

  TreeView tree;
  std::span<const double> value;  // [node][k]
  std::size_t n_values = 1;
  std::vector<std::uint32_t> order;  // of the nodes on the way down into every leaf and back
  std::vector<std::uint32_t> parent, depth;
  std::vector<double> share;          // of a node in the weight of its siblings
  std::vector<std::uint32_t> above;   // the nearest edge above that tests the same column, or 0
  std::vector<std::uint32_t> column;  // of an edge: its place in `used`
  std::vector<double> outside;        // share in which a column outside passes: z of the edge
  std::vector<std::uint32_t> used;    // columns that the tree tests
  std::size_t n_on_path = 0;          // maximum number of different columns on a path
  std::size_t max_depth = 0;
  bool has_planes = false, is_fractional = false;
};

/// Options besides the computation itself.
struct ShapOptions {
  int n_threads = 1;
  std::function<void()> poll = [] {};  // called now and then by the calling thread; may throw
};

/// Where explanations are added up: values[(row * n_columns + column) * n_outputs + first + k],
/// and, if requested, interactions[((row * n_columns + column) * n_columns + other) * n_outputs +
/// first + k] for column != other, both ways.
struct ShapSums {
  double* values = nullptr;
  double* interactions = nullptr;
  std::size_t n_columns = 0, n_outputs = 1, first = 0;

  double* of(std::size_t row, std::size_t column) const {
    return values + (row * n_columns + column) * n_outputs + first;
  }
  double* of(std::size_t row, std::size_t column, std::size_t other) const {
    return interactions + ((row * n_columns + column) * n_columns + other) * n_outputs + first;
  }
  /// Adds to both entries of a pair of columns.
  void add(std::size_t row, std::size_t one, std::size_t other, double factor, const double* value,
           std::size_t n) const {
    double *here = of(row, one, other), *there = of(row, other, one);
    for (std::size_t k = 0; k < n; ++k) {
      here[k] += factor * value[k];
      there[k] += factor * value[k];
    }
  }
};

/// Points and weights of the Gauss-Legendre quadrature on [0, 1]: exact for polynomials of degree
/// below 2 n. The points exclude the ends.
struct Quadrature {
  explicit Quadrature(std::size_t n);
  std::vector<double> point, weight;
};

/// The prediction of the tree if no column takes part, along paths.
std::vector<double> shap_expectation(const ShapTree& tree);

/// Adds the prediction of the tree if some columns have the values of a row and the others take no
/// part.
void add_marginal(const ShapTree& tree, const double* x, std::span<const std::uint8_t> takes_part,
                  double* sum);

/// Adds the Shapley values of rows along the paths of a tree without hyperplanes, and half of each
/// interaction if requested.
void explain_paths(const ShapTree& tree, const RowMatrix& X, const ShapSums& sums,
                   const ShapOptions& options);

/// Adds the Shapley values of rows, each against each background row, times `factor`; for a tree
/// without hyperplanes.
void explain_pairs(const ShapTree& tree, const RowMatrix& X, const RowMatrix& others, double factor,
                   const ShapSums& sums, const ShapOptions& options);

}  // namespace ramify

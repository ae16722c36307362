// SPDX-License-Identifier: BSD-3-Clause
// Routes rows down a tree and sums over the rows of each node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace ramify {

/// Rows as prediction sees them: numeric values, and codes of categories; NaN where missing.
struct RowMatrix {
  std::span<const double> values;
  std::size_t n_rows = 0, n_columns = 0;

  const double* row(std::size_t i) const { return values.data() + i * n_columns; }
};

/// The branch of a value at a node that tests one column; Tree::every_branch if it is missing and
/// such rows go down every branch.
std::int64_t branch_of_value(const TreeView& tree, std::size_t node, double x);

/// Whether a row is above the hyperplane of a node, summing the terms in their order as everywhere;
/// value(column) returns its values.
template <class Value>
bool is_above(const TreeView& tree, std::size_t node, Value value) {
  double sum = 0;
  for (std::int64_t i = tree.term_begin[node]; i < tree.term_begin[node + 1]; ++i) {
    const Term term = tree.term(i);
    sum += term.value(value(term.column));
  }
  return sum > tree.threshold[node];
}

/// The branch of a row at an internal node, of any kind.
template <class Value>
std::int64_t branch_of(const TreeView& tree, std::size_t node, Value value) {
  if (tree.kind_of(node) == SplitKind::hyperplane) return is_above(tree, node, value);
  return branch_of_value(tree, node, value(tree.feature[node]));
}
inline std::int64_t branch_of(const TreeView& tree, std::size_t node, const double* row) {
  return branch_of(tree, node, [row](std::size_t column) { return row[column]; });
}

/// The child of a node at one of its branches.
inline std::size_t child_at(const TreeView& tree, std::size_t node, std::int64_t branch) {
  std::size_t child = tree.children_left[node];
  for (; branch > 0; --branch) child = tree.next_sibling[child];
  return child;
}

/// The children of every node, in the order of their branches.
std::vector<std::vector<std::size_t>> children_of(const TreeView& tree);

/// Sums the items of rows, [row][item], in every node that they pass; a row that goes down every
/// branch counts by the branch's share of the training weight. Returns [node][item].
std::vector<double> sums_by_node(const TreeView& tree, const RowMatrix& X,
                                 std::span<const double> carried, std::size_t n_items);
/// For the rows in each node that tests one column: how many distinct values they have there, and
/// how many are missing.
struct TestedValues {
  std::vector<std::int64_t> n_distinct, n_missing;
};
TestedValues tested_values(const TreeView& tree, const RowMatrix& X);

}  // namespace ramify

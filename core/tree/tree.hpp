// SPDX-License-Identifier: BSD-3-Clause
// The grown tree: flat arrays in preorder that never change. Prediction, checks and pruning live
// beside it; growing does not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ramify {

/// How a node splits its rows.
enum class SplitKind : std::uint8_t {
  threshold,   // two branches: values up to the threshold, and above; also set in leaves
  categories,  // each category that occurs in the node is listed with its branch
  intervals,   // upper bounds, ascending, with the branch of the values up to each
  hyperplane   // two branches: a sum of terms up to the threshold, and above
};

/// A term of a hyperplane: a multiple of a value, or a constant for one category of a column. The
/// terms are added in their order wherever a tree is evaluated, so that results are identical.
struct Term {
  static constexpr std::int64_t number = -1;

  std::int64_t column = 0;
  std::int64_t category = number;
  double weight = 0;
  double fill = 0;   // replaces a missing value
  double share = 0;  // of the term in the spread of the sum; the shares of a hyperplane sum to 1

  double value(double x) const {
    if (category == number) return weight * (x != x ? fill : x);
    return x == static_cast<double>(category) ? weight : 0;  // 0 for other categories
  }
};

/// The candidate splits of nodes, best first, as a table with one entry per candidate.
struct Ledger {
  std::vector<std::int64_t> node, feature;
  std::vector<double> threshold, score;
  std::vector<std::uint8_t> missing_left, chosen;
  std::vector<std::int64_t> left_begin{0}, left_codes;  // categories on the left
  std::vector<double> also;                             // [candidate][criterion]
};

struct Tree {
  static constexpr std::int64_t no_child = -1;
  static constexpr std::int64_t no_feature = -2;
  static constexpr std::int64_t every_branch = -1;  // of missing values: by share of weight

  int n_outputs = 0, max_classes = 0;
  std::vector<std::int64_t> children_left, children_right;  // the first and the last child
  std::vector<std::int64_t> next_sibling, feature, n_node_samples;
  std::vector<double> threshold, impurity, weighted_n_node_samples, gain;
  std::vector<std::uint8_t> kind, optimal;
  std::vector<std::int64_t> missing_branch, default_branch;
  std::vector<std::int64_t> split_begin{0};  // of each node in the two arrays below, and the end
  std::vector<double> split_value;
  std::vector<std::int64_t> split_branch;
  std::vector<std::int64_t> term_begin{0};  // of each node in the arrays below, and the end
  std::vector<std::int64_t> term_column, term_category;
  std::vector<double> term_weight, term_fill, term_share;
  std::vector<double> value;  // [node][output][class], shares that sum to 1; or one value

  Ledger ledger;  // empty unless requested

  std::size_t size() const { return feature.size(); }
  std::vector<std::size_t> value_shape() const {
    return {size(), static_cast<std::size_t>(n_outputs), static_cast<std::size_t>(max_classes)};
  }
};

/// Calls visit(name, array) for the arrays of a tree besides `value`, by their public names.
template <class T, class Visit>
void each_array(T& tree, Visit visit) {
  visit("children_left", tree.children_left);
  visit("children_right", tree.children_right);
  visit("next_sibling", tree.next_sibling);
  visit("feature", tree.feature);
  visit("kind", tree.kind);
  visit("threshold", tree.threshold);
  visit("split_begin", tree.split_begin);
  visit("split_value", tree.split_value);
  visit("split_branch", tree.split_branch);
  visit("term_begin", tree.term_begin);
  visit("term_column", tree.term_column);
  visit("term_category", tree.term_category);
  visit("term_weight", tree.term_weight);
  visit("term_fill", tree.term_fill);
  visit("term_share", tree.term_share);
  visit("missing_branch", tree.missing_branch);
  visit("default_branch", tree.default_branch);
  visit("optimal", tree.optimal);
  visit("gain", tree.gain);
  visit("impurity", tree.impurity);
  visit("n_node_samples", tree.n_node_samples);
  visit("weighted_n_node_samples", tree.weighted_n_node_samples);
}

/// The arrays that route rows down a tree, in anyone's memory.
struct TreeView {
  std::span<const std::int64_t> children_left, children_right, next_sibling, feature;
  std::span<const double> threshold, weight;
  std::span<const std::uint8_t> kind;
  std::span<const std::int64_t> missing_branch, default_branch;
  std::span<const std::int64_t> split_begin;
  std::span<const double> split_value;
  std::span<const std::int64_t> split_branch;
  std::span<const std::int64_t> term_begin, term_column, term_category;
  std::span<const double> term_weight, term_fill, term_share;

  std::size_t size() const { return feature.size(); }
  Term term(std::size_t i) const {
    return {term_column[i], term_category[i], term_weight[i], term_fill[i], term_share[i]};
  }
  SplitKind kind_of(std::size_t node) const { return static_cast<SplitKind>(kind[node]); }
  /// Calls visit(child, branch) for each child of a node, in order.
  template <class Visit>
  void each_child(std::size_t node, Visit visit) const {
    std::int64_t branch = 0;
    for (std::int64_t child = children_left[node]; child >= 0; child = next_sibling[child])
      visit(child, branch++);
  }
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Pruning by what nodes cost: one pass from the leaves to the root, and the upper limits of errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace ramify {

inline constexpr double weka_small = 1e-6;  // a <= b means a - b < weka_small there

/// The result of pruning: the cost of each node as a leaf, that of its pruned subtree (NaN in
/// leaves), how much worse a leaf may be, and which nodes are leaves in the end (nodes below them
/// are removed).
struct Judged {
  explicit Judged(std::size_t n_nodes)
      : as_leaf(n_nodes),
        as_subtree(n_nodes, unknown),
        allowance(n_nodes, unknown),
        is_leaf(n_nodes) {}

  std::vector<double> as_leaf, as_subtree, allowance;
  std::vector<std::uint8_t> is_leaf;

 private:
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
};

/// What a node costs, by node. It becomes a leaf if that costs no more than its pruned subtree, up
/// to an allowance of allowance[t] + of_size[t] sqrt(before[t] + per_node n), with n nodes in the
/// pruned subtree, the node included; empty leaves do not count.
struct NodeCosts {
  std::span<const double> as_leaf, of_test;  // the subtree costs its test and its children
  std::span<const double> allowance;
  std::span<const double> of_size, before;  // empty if sizes do not matter
  double per_node = 0;
  bool averages = false;  // children count by their share of the weight, and not in full
};

/// Prunes from the leaves to the root. `is_leaf` may mark nodes that are leaves already.
Judged prune_bottom_up(const TreeView& tree, const NodeCosts& costs,
                       std::span<const std::uint8_t> is_leaf);

/// The upper confidence limit of a leaf's errors at confidence 1 - cf (Quinlan 1993).
class ErrorBound {
 public:
  enum class Kind : std::uint8_t { j48, c45, exact };
  ErrorBound(Kind kind, double cf);
  /// What is added to `errors` of `n` rows.
  double added(double n, double errors) const;

 private:
  double without_errors(double n) const { return n * (1 - std::pow(cf_, 1 / n)); }
  double with_errors(double n, double errors) const;
  double exact(double n, double errors) const;

  Kind kind_;
  double cf_, z_;
};

/// The errors of a leaf (Quinlan 1993), with what `bound` adds; its class weights may include rows
/// that arrive by raising.
double estimated_errors(const ErrorBound& bound, std::span<const double> weight);

}  // namespace ramify

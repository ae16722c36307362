// SPDX-License-Identifier: BSD-3-Clause
// Pruning by the class counts of the nodes: one pass from the leaves to the root, many rules.
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

/// The class weights of every node.
struct NodeCounts {
  std::span<const double> weight;  // [node][class]
  std::size_t n_classes = 0;

  std::span<const double> of(std::size_t t) const {
    return weight.subspan(t * n_classes, n_classes);
  }
  double total(std::size_t t) const {
    double sum = 0;
    for (const double w : of(t)) sum += w;
    return sum;
  }
  double errors(std::size_t t) const {
    double sum = 0, max = 0;
    for (const double w : of(t)) {
      sum += w;
      max = std::max(max, w);
    }
    return sum - max;
  }
};

/// The result of a rule: the cost of each node as a leaf, that of its pruned subtree (NaN in
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

/// What is known of a node's subtree once its children are done.
struct Below {
  double cost = 0;
  std::int64_t n_nodes = 0;  // of the pruned subtree, the node included; empty leaves do not count
};

/// A node becomes a leaf if that costs no more than its pruned subtree, up to an allowance. A rule
/// has:
///   cost_as_leaf(t), cost_of_test(t): the subtree costs its test and its children;
///   averages: whether children count by their share of the weight, and not in full;
///   allowance(t, below): how much worse a leaf may be.
/// `is_leaf` may mark nodes that are leaves already.
template <class Rule>
Judged prune_bottom_up(const TreeView& tree, const Rule& rule,
                       std::vector<std::uint8_t> is_leaf = {}) {
  const std::size_t n = tree.size();
  Judged found(n);
  if (!is_leaf.empty()) found.is_leaf = std::move(is_leaf);
  std::vector<double> cost(n);
  std::vector<std::int64_t> n_nodes(n);
  for (std::size_t t = n; t-- > 0;) {  // children come after their parent
    cost[t] = found.as_leaf[t] = rule.cost_as_leaf(t);
    n_nodes[t] = tree.weight[t] > 0;
    if (tree.children_left[t] < 0) found.is_leaf[t] = 1;
    if (found.is_leaf[t]) continue;
    Below below{rule.cost_of_test(t), 1};
    double weight = 0;
    if constexpr (Rule::averages)
      tree.each_child(t, [&](std::size_t child, std::int64_t) { weight += tree.weight[child]; });
    tree.each_child(t, [&](std::size_t child, std::int64_t) {
      below.cost += (weight > 0 ? tree.weight[child] / weight : 1) * cost[child];
      below.n_nodes += n_nodes[child];
    });
    found.as_subtree[t] = below.cost;
    found.allowance[t] = rule.allowance(t, below);
    if (found.as_leaf[t] <= below.cost + found.allowance[t]) {
      found.is_leaf[t] = 1;
    } else {
      cost[t] = below.cost;
      n_nodes[t] = below.n_nodes;
    }
  }
  return found;
}

/// Reduced error (Quinlan 1987), and any other cost that is known for each node: held-out errors.
struct ReducedError {
  static constexpr bool averages = false;
  std::span<const double> error;    // of held-out rows, were the node a leaf
  std::span<const double> arrived;  // weight of held-out rows
  bool keeps_unreached = false;
  double slack = 0;

  double cost_as_leaf(std::size_t t) const { return error[t]; }
  double cost_of_test(std::size_t) const { return 0; }
  double allowance(std::size_t t, const Below&) const {
    return keeps_unreached && arrived[t] <= 0 ? -1 : slack;
  }
};

/// Minimum error by the m-estimate of class shares (Cestnik, Bratko 1991).
struct MinimumError {
  static constexpr bool averages = true;
  std::span<const double> static_error;
  double slack = 0;

  double cost_as_leaf(std::size_t t) const { return static_error[t]; }
  double cost_of_test(std::size_t) const { return 0; }
  double allowance(std::size_t, const Below&) const { return slack; }
};

/// 1 - the largest estimated share, or the minimum expected cost ([true][predicted], if not empty).
std::vector<double> static_errors(const NodeCounts& counts, double m, std::span<const double> prior,
                                  std::span<const double> costs);

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

/// Error-based (Quinlan 1993) without raising.
struct ErrorBased {
  static constexpr bool averages = false;
  NodeCounts counts;
  const ErrorBound& bound;
  double slack = 0.1;

  double cost_as_leaf(std::size_t t) const { return of(counts.of(t)); }
  double cost_of_test(std::size_t) const { return 0; }
  double allowance(std::size_t, const Below&) const;
  /// The estimate for some class weights, which may include rows that arrive by raising.
  double of(std::span<const double> weight) const;
};

/// Cuts, from the root down, subtrees with (almost) no fewer training errors than a leaf.
std::vector<std::uint8_t> collapsed(const TreeView& tree, const NodeCounts& counts);

/// Description length in bits (Mehta, Rissanen, Agrawal 1995).
struct DescriptionLength {
  static constexpr bool averages = false;
  NodeCounts counts;
  std::span<const double> test_bits;
  double slack = 0;

  double cost_as_leaf(std::size_t t) const;
  double cost_of_test(std::size_t t) const { return 1 + test_bits[t]; }
  double allowance(std::size_t, const Below&) const { return slack; }
};

/// Kearns, Mansour (1998).
struct KearnsMansour {
  static constexpr bool averages = false;
  NodeCounts counts;
  std::span<const std::int64_t> depth;
  double log_tests = 0, c = 1, delta = 0.05, slack = 0;

  double cost_as_leaf(std::size_t t) const { return counts.errors(t); }
  double cost_of_test(std::size_t) const { return 0; }
  double allowance(std::size_t t, const Below& below) const;
};

/// Pessimistic errors (Quinlan 1987), from the root down, comparing each node with its unpruned
/// subtree. `allowance` is that of the standard error.
Judged prune_pessimistic(const TreeView& tree, const NodeCounts& counts, double n_se,
                         double correction);

/// The strength of each node's split, from its table of branches and classes; NaN in leaves.
enum class Strength : std::uint8_t { chi2, gini, entropy };
std::vector<double> strengths(const TreeView& tree, const NodeCounts& counts, Strength measure);

/// Critical values (Mingers 1987): `as_subtree` is the strongest split at or below a node, which
/// stays if that reaches `critical`.
Judged prune_critical(const TreeView& tree, std::span<const double> strength, double critical);

}  // namespace ramify

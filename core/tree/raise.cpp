// SPDX-License-Identifier: BSD-3-Clause
#include "tree/raise.hpp"

#include <limits>
#include <memory>
#include <utility>

namespace ramify {
namespace {

bool no_more(double a, double b) { return a - b < weka_small; }

/// A row, or the fraction of one that came down one of several branches.
struct Piece {
  std::uint32_t row;
  double weight;
};
using PieceList = std::vector<Piece>;

struct Node {
  std::size_t test = 0;  // the node of the grown tree whose test it has
  std::vector<std::unique_ptr<Node>> sons;
  PieceList pieces;
  std::vector<double> counts;

  bool is_leaf() const { return sons.empty(); }
};

class Raising {
 public:
  Raising(const TreeView& tree, const ClassRows& rows, const ErrorBound& bound, double slack)
      : tree_(tree), rows_(rows), bound_(bound), slack_(slack) {
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    for (auto* values : {&found.as_leaf, &found.as_subtree, &found.as_branch})
      values->assign(tree.size(), unknown);
    found.decision.assign(tree.size(), static_cast<std::uint8_t>(Decision::gone));
  }

  std::unique_ptr<Node> grown(std::size_t t, std::span<const std::uint8_t> is_leaf) const {
    auto node = std::make_unique<Node>();
    node->test = t;
    if (!is_leaf[t])
      tree_.each_child(
          t, [&](std::size_t child, std::int64_t) { node->sons.push_back(grown(child, is_leaf)); });
    return node;
  }

  /// Recomputes a subtree for other rows.
  void fill(Node& node, PieceList pieces) const {
    node.counts = counts_of(pieces);
    if (!node.is_leaf()) {
      std::vector<PieceList> parts = partitioned(node, pieces);
      for (std::size_t b = 0; b < parts.size(); ++b) fill(*node.sons[b], std::move(parts[b]));
    }
    node.pieces = std::move(pieces);
  }

  void prune(Node& node) {
    while (!node.is_leaf()) {
      for (auto& son : node.sons) prune(*son);
      Node& largest = *node.sons[largest_branch(node)];
      const double as_leaf = estimated_errors(bound_, node.counts), as_subtree = estimate(node),
                   as_branch = estimate(largest, node.pieces);
      const std::size_t t = node.test;
      found.as_leaf[t] = as_leaf;
      found.as_subtree[t] = as_subtree;
      found.as_branch[t] = as_branch;
      if (no_more(as_leaf, as_subtree + slack_) && no_more(as_leaf, as_branch + slack_)) {
        node.sons.clear();
      } else if (no_more(as_branch, as_subtree + slack_)) {
        found.decision[t] = static_cast<std::uint8_t>(Decision::raised);
        node.test = largest.test;
        auto sons = std::move(largest.sons);  // of a branch that is merged with the others
        node.sons = std::move(sons);
        fill(node, std::move(node.pieces));
      } else {
        break;
      }
    }
  }

  void write(const Node& node) {
    const bool has_test = tree_.children_left[node.test] >= 0;
    if (found.decision[node.test] != static_cast<std::uint8_t>(Decision::raised))
      found.decision[node.test] =
          static_cast<std::uint8_t>(node.is_leaf() && has_test ? Decision::cut : Decision::kept);
    found.origin.push_back(static_cast<std::int64_t>(node.test));
    found.n_children.push_back(static_cast<std::int64_t>(node.sons.size()));
    found.n_rows.push_back(static_cast<std::int64_t>(node.pieces.size()));
    found.weight.insert(found.weight.end(), node.counts.begin(), node.counts.end());
    for (const auto& son : node.sons) write(*son);
  }

  Raised found;

 private:
  std::vector<double> counts_of(const PieceList& pieces) const {
    std::vector<double> counts(rows_.n_classes);
    for (const Piece& piece : pieces) counts[rows_.codes[piece.row]] += piece.weight;
    return counts;
  }

  /// The rows of each branch. Rows with a missing value go to all branches, by the shares of the
  /// rows that have a value.
  std::vector<PieceList> partitioned(const Node& node, const PieceList& pieces) const {
    std::vector<PieceList> parts(node.sons.size());
    std::vector<double> known(parts.size());
    PieceList unknown;
    double total = 0;
    for (const Piece& piece : pieces) {
      const std::int64_t branch = branch_of(tree_, node.test, rows_.X.row(piece.row));
      if (branch == Tree::every_branch) {
        unknown.push_back(piece);
        continue;
      }
      parts[branch].push_back(piece);
      known[branch] += piece.weight;
      total += piece.weight;
    }
    for (std::size_t b = 0; b < parts.size() && !unknown.empty(); ++b) {
      const double share = total > 0 ? known[b] / total : 1.0 / static_cast<double>(parts.size());
      if (share <= weka_small) continue;
      for (const Piece& piece : unknown) parts[b].push_back({piece.row, piece.weight * share});
    }
    return parts;
  }

  /// The last of the heaviest.
  std::size_t largest_branch(const Node& node) const {
    std::size_t largest = 0;
    double max = 0;
    for (std::size_t b = 0; b < node.sons.size(); ++b) {
      double weight = 0;
      for (const double w : node.sons[b]->counts) weight += w;
      if (no_more(max, weight)) {
        max = weight;
        largest = b;
      }
    }
    return largest;
  }

  double estimate(const Node& node) const {
    if (node.is_leaf()) return estimated_errors(bound_, node.counts);
    double sum = 0;
    for (const auto& son : node.sons) sum += estimate(*son);
    return sum;
  }

  /// The estimate of a subtree for other rows than its own.
  double estimate(const Node& node, const PieceList& pieces) const {
    if (node.is_leaf()) return estimated_errors(bound_, counts_of(pieces));
    const std::vector<PieceList> parts = partitioned(node, pieces);
    double sum = 0;
    for (std::size_t b = 0; b < parts.size(); ++b) sum += estimate(*node.sons[b], parts[b]);
    return sum;
  }

  const TreeView& tree_;
  const ClassRows& rows_;
  const ErrorBound& bound_;
  double slack_;
};

}  // namespace

Raised prune_raising(const TreeView& tree, const ClassRows& rows, const ErrorBound& bound,
                     double slack, std::span<const std::uint8_t> is_leaf) {
  Raising raising(tree, rows, bound, slack);
  const std::unique_ptr<Node> root = raising.grown(0, is_leaf);
  PieceList all(rows.X.n_rows);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {static_cast<std::uint32_t>(i), rows.weight[i]};
  raising.fill(*root, std::move(all));
  raising.prune(*root);
  raising.write(*root);
  return std::move(raising.found);
}

}  // namespace ramify

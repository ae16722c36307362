// SPDX-License-Identifier: BSD-3-Clause
// Fragments of a growing tree, and how they become one.
#pragma once

#include <span>
#include <vector>

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "select/split.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// Nodes grown by one thread from one store; children are identified by their place in the same
/// fragment.
struct Fragment {
  struct Grown {                           // small: there may be as many as rows
    int first_child = -1, n_children = 0;  // consecutive children; none: a leaf
    int continued_in = -1;  // or the fragment that holds its subtree, from its first node on
    int column = -1;
    double threshold = 0, gain = 0;
    std::uint64_t n_rows = 0;
    std::uint32_t list_begin = 0, list_end = 0;  // in the fragment's lists
    std::uint32_t term_begin = 0, term_end = 0;  // in the fragment's terms
    std::int32_t missing_branch = 0, default_branch = 0;
    SplitKind kind = SplitKind::threshold;
    bool is_optimal = false;
    double lower = 0, upper = 1;  // bounds of the second class's share from monotonic splits above
  };
  std::vector<Grown> nodes;
  // Class weights of every node, one after the other. In regression: the value of each output, then
  // impurity and weight.
  std::vector<double> sums;
  double unit = 1;  // what a weight of 1 is worth
  // The codes or upper bounds of splits that list them, and the branch of each.
  std::vector<double> listed;
  std::vector<std::int64_t> branches;
  std::vector<Term> terms;  // of hyperplanes
  /// Candidate splits of nodes, by place, if they are recorded.
  struct Entry {
    int place;
    std::vector<Recorded> candidates;
  };
  std::vector<Entry> ledger;

  std::size_t n_statistics = 0;  // of each node, in `sums`

  /// Adds a node; returns its place.
  int add(std::uint64_t n_rows, std::span<const double> statistics, Bounds bounds) {
    nodes.push_back({});
    nodes.back().n_rows = n_rows;
    nodes.back().lower = bounds.lower;
    nodes.back().upper = bounds.upper;
    sums.insert(sums.end(), statistics.begin(), statistics.end());
    return static_cast<int>(nodes.size()) - 1;
  }
  std::span<const double> statistics(int place) const {
    return std::span(sums).subspan(static_cast<std::size_t>(place) * n_statistics, n_statistics);
  }
  Bounds bounds(int place) const {
    const Grown& node = nodes[place];
    return {node.lower, node.upper};
  }
};

/// Assembles one tree in preorder from the first fragment and those that continue it.
Tree assemble(const std::vector<Fragment>& fragments, const Target& target, const Plan& plan);

}  // namespace ramify

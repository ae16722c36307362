// SPDX-License-Identifier: BSD-3-Clause
// Missing values that go down every branch, each with the branch's share of its weight: the
// subtrees below grow on their own rows and weights.
#pragma once

#include <mutex>
#include <vector>

#include "grow/steps.hpp"
#include "splitters/axis.hpp"

namespace ramify {

/// Rows from which a subtree is to grow separately, since some of them have only a fraction of
/// their weight here.
struct Problem {
  std::vector<std::uint32_t> rows;  // of the table
  Target target;
  Node root;
  int fragment = 0, place = 0;  // the node of the tree that it continues
};

/// The sums over all rows of a target, for a node that contains all rows.
void sum_all(const Target& target, const Plan& plan, Node& node);

class Fractions {
 public:
  /// Partitions a node and stores the subtrees that grow from its children later; thread-safe.
  void partition(const AxisSplitter& splitter, const Plan& plan, const Recorder& recorder,
                 std::span<const std::uint32_t> rows, const Target& target, const Node& node,
                 const Split& split, Fragment& fragment, int fragment_index, int place);

  bool empty() const { return waiting_.empty(); }
  Problem next() {
    Problem problem = std::move(waiting_.back());
    waiting_.pop_back();
    return problem;
  }

 private:
  std::vector<Problem> waiting_;
  std::mutex lock_;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// A boosted tree while it grows, wherever its rows are: its nodes, which of them is split next, and
// the histograms in which their best splits are found. `BoostedGrower` counts these from rows in
// memory, `LevelBooster` receives them.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "boost/growth.hpp"
#include "boost/histogram.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// Grows trees one after the other in the same memory. It has many small steps because rows, which
/// others move, are placed and counted between them.
class GrowingTree {
 public:
  /// A node whose histogram is counted, and its sibling, whose histogram is the difference to that
  /// of the parent; or a node alone.
  struct Family {
    int counted, other = -1, parent = -1;
  };
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  /// `max_kept`: how many nodes may keep their histograms for their children.
  GrowingTree(const BinnedColumns& columns, const GrowthLimits& limits, std::size_t max_kept = all);

  /// Begins a tree that is a root without rows. `is_used`: columns; empty for all.
  void start(const Scales& scales, double weight_unit, std::span<const std::uint8_t> is_used);

  BoostNode& operator[](int number) { return nodes_[number]; }
  const BoostNode& operator[](int number) const { return nodes_[number]; }
  int n_nodes() const { return static_cast<int>(nodes_.size()); }
  const GrowthRules& rules() const { return rules_; }
  bool counts_rows() const { return limits_.min_leaf_rows > 1; }

  /// The nodes that are split next, as far as it is known; all that are open, at most `max`, the
  /// last ones first so that few histograms are kept; or, if leaves are limited, the best.
  std::vector<int> take(std::size_t max);
  /// Whether no node will be taken any more.
  bool is_complete() const;
  /// Whether the split of a node was taken. Others may have children in advance.
  bool is_taken(int number) const { return states_[number].is_taken; }
  /// Whether a node has a split worth making, which is not made yet.
  bool is_open(int number) const {
    return states_[number].is_open && nodes_[number].first_child < 0;
  }

  /// Makes the two children of a node. Returns the first.
  int add_children(int number);
  /// The families that are searched for the best splits of the children of a node.
  std::vector<Family> families_of(int number);
  /// Provides a family with histograms. That of `counted` is to be filled.
  void open(std::span<const Family> families);
  HistogramView histogram_of(int number) { return slots_[states_[number].slot]->view(); }
  std::unique_ptr<BoostHistogram> make_histogram() const;
  /// Derives the histogram of the sibling and finds the best splits of both, in one block of
  /// columns while it is in the cache. Threads may share families and blocks.
  void search(const Family& family, std::size_t block);
  /// Chooses the best splits of all blocks; a node without one is a leaf.
  void settle(const Family& family);

  /// Writes the tree in preorder, in the values of the table.
  Tree tree() const;

 private:
  struct State {
    int order = -1;  // in which nodes are made by splits that were taken; -1 if in advance
    int slot = -1;   // of the histogram
    int found = -1;  // index into found_
    bool is_known = false, is_open = false, is_taken = false;
  };

  void reach(int number);
  void learn(int number);
  void take_slot(int number);
  void free_slot(int number);
  void find(int number, std::size_t block);
  void choose(int number);

  const BinnedColumns& columns_;
  GrowthLimits limits_;
  GrowthRules rules_;
  std::span<const std::uint8_t> is_used_;
  std::vector<BoostNode> nodes_;
  std::vector<State> states_;  // of nodes
  std::vector<int> open_;      // nodes that may be taken
  std::uint32_t n_leaves_ = 1;
  int n_reached_ = 0, n_unknown_ = 0;  // nodes with an order; those whose best split is not known
  std::vector<std::unique_ptr<BoostHistogram>> slots_;
  std::vector<int> free_slots_;
  std::size_t max_kept_, n_kept_ = 0;
  std::vector<BoostSplit> found_;  // [State::found][block]
};

}  // namespace ramify

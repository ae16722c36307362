// SPDX-License-Identifier: BSD-3-Clause
// A grower that asks for the sums of many nodes and is told them: the rows may lie in files or on
// other machines. What it decides, it decides by the very search that grows trees in memory, so
// that the tree has the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grow/steps.hpp"
#include "rows/block.hpp"
#include "split/search.hpp"
#include "util/parallel.hpp"

namespace ramify {

/// What a part of a tree inherits from what lies above it.
struct NodeContext {
  std::uint64_t key = 0;
  int depth = 0;
  double unit = 1;             // of weights
  double training_weight = 0;  // of the whole tree
  std::uint32_t n_training_rows = 0;
  double lower = 0, upper = 1;
  std::vector<std::uint32_t> live;  // columns that are not known to be constant
};

/// A part of a tree that was grown apart.
struct Part {
  std::vector<Fragment> fragments;
};

/// Grows what follows from a node on the rows it has. Throws as `grow` does.
Part grow_part(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
               const Plan& plan, const NodeContext& context);

class AskedGrower {
 public:
  /// `table` has codebooks and no rows. Classes of one output; weights are whole multiples of
  /// `unit`. Throws std::invalid_argument if the plan asks for more than sums can tell.
  AskedGrower(Table table, int n_classes, double unit, const Plan& plan, std::uint32_t n_rows,
              double training_weight);

  /// The nodes whose sums are wanted, one slot each, in this order; none if the tree is grown.
  std::vector<int> ask() const;
  /// Where the rows of the nodes go that were split since the grower was told last.
  const std::vector<Route>& routes() const { return routes_; }
  /// What a subtree needs that is grown elsewhere.
  NodeContext context(int node) const;
  /// The sums of all nodes asked for, as `count` makes them.
  void tell(std::span<const std::int64_t> sums);
  /// What was grown elsewhere from one of them; it is asked for no more.
  void tell(int node, Part part);
  Tree tree() const;

  const std::vector<std::size_t>& first_cell() const { return first_cell_; }
  std::size_t n_cells() const { return n_cells_; }

 private:
  struct Open {
    Node node;
    int place;
  };
  void sum_root(Open& root, const NodeSums& sums) const;
  void split(Open& open, const NodeSums& sums, std::vector<Open>& next);
  std::vector<Node> children_of(const Node& node, const Split& split, const NodeSums& sums,
                                std::span<const std::uint32_t> branch) const;

  Table table_;
  Target target_;  // its weights say no more than that there are some
  Plan plan_;
  Pool pool_{1};
  Store store_;
  std::unique_ptr<Search> search_;
  std::vector<Scratch> scratch_{1};
  Recorder recorder_;
  std::vector<std::size_t> first_cell_;
  std::size_t n_cells_ = 0;
  std::vector<Fragment> fragments_{1};
  std::vector<Open> open_;
  std::vector<Route> routes_;
  bool is_root_known_ = false;
};

}  // namespace ramify

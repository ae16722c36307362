// SPDX-License-Identifier: BSD-3-Clause
// The splitter of plain trees of one column per node: rows lie in flagged lists, every node looks
// at its columns along them, and to part a node is to part every list.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "search/column_sampler.hpp"
#include "search/list_search.hpp"
#include "select/admissible.hpp"
#include "splitters/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

class ListSplitter {
 public:
  using Waiting = ListNode;
  static constexpr unsigned nodes_per_request = 32;  // to look at the clock takes time

  ListSplitter(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
               const Plan& plan, Pool& pool);

  Waiting root(const Node& node);
  double unit() const { return target_.unit; }
  std::uint32_t min_shared_rows() const { return 2048; }
  std::size_t expected_nodes(std::uint32_t n_rows) const { return n_rows / 2; }
  bool is_leaf(const Waiting& node, std::span<const double> statistics) const {
    return ramify::is_leaf(plan_, target_, node.depth, node.n_rows(), node.n_non_constant > 0,
                           statistics);
  }
  Split best(Waiting& node, std::span<const double> statistics, Workers workers,
             const std::function<bool()>& must_stop);
  bool is_worth(const Waiting&, std::span<const double> statistics, const Split& split) const {
    return pays(plan_, target_, split, 1, weight_of(target_, statistics));
  }
  double gain_unit(const Waiting&) const { return 1; }
  void partition(Waiting& node, std::span<const double> statistics, Split& split, Workers workers,
                 std::vector<Waiting>& children);
  std::span<const double> statistics(const Waiting&, std::size_t branch, Workers workers) const {
    return desks_[static_cast<std::size_t>(workers.first)]->statistics[branch];
  }
  Bounds bounds(const Waiting& node) const { return {node.lower, node.upper}; }
  void finish(Waiting&, Workers) const {}
  void hand_over(Waiting& node);
  void take_over(Waiting& node, Workers workers);

 private:
  /// What one thread needs.
  struct Desk {
    explicit Desk(ListSearch its_search) : search(std::move(its_search)) {}

    ListSearch search;
    ColumnSampler sampler;
    std::vector<std::uint32_t> non_constant;   // columns of the nodes that wait, none twice
    std::vector<std::uint8_t> is_constant;     // of each column, in the node at hand
    std::vector<std::uint32_t> moved;          // a bit for each row of one side; else all are zero
    std::vector<std::uint32_t> spare, counts;  // the latter by class
    std::vector<double> statistics[2];         // of the children
    std::uint32_t moved_short[64];
  };
  Desk& desk(Workers workers) { return *desks_[static_cast<std::size_t>(workers.first)]; }
  void keep_short(Waiting& node, Desk& mine);
  static void forget_constant(Waiting& node, Desk& mine);
  Split best_of(const Waiting& node, std::span<const std::uint32_t> columns, Workers workers,
                Desk& mine);
  template <class Visit>
  void each_item(const Waiting& node, const Split& split, bool left, Visit visit) const;
  bool mark(const Waiting& node, std::span<const double> statistics, const Split& split,
            std::uint32_t n_left, Desk& mine);
  void unmark(const Waiting& node, const Split& split, bool is_left, Desk& mine);
  void partition_lists(const Waiting& node, const Split& split, bool marked_left, Keep keep,
                       Workers workers, Desk& mine);
  void set_bounds(const Split& split, std::span<Waiting> children, const Desk& mine) const;

  const Table& table_;
  const Target& target_;
  const Plan& plan_;
  Pool& pool_;
  Weighing weighing_;
  FlaggedLists lists_;
  Store no_store_;
  ClassScores scores_;
  std::vector<std::unique_ptr<Desk>> desks_;             // by thread
  std::vector<std::vector<std::uint32_t>> handed_over_;  // live columns of nodes for other threads
};

}  // namespace ramify

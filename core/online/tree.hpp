// SPDX-License-Identifier: BSD-3-Clause
// A tree that learns row by row: walks, answers, adds to a leaf, and splits it when that is
// certain. All that changes is one state, which is copied and written as a whole.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "online/nodes.hpp"
#include "tree/tree.hpp"

namespace ramify::online {

class OnlineTree {
 public:
  /// `columns` belong to the model and must outlive its trees. `seed` draws columns.
  OnlineTree(const Rules& rules, const Columns& columns, std::size_t n_classes, std::uint64_t seed);
  OnlineTree(OnlineTree&&) = default;

  /// The class of a row.
  std::uint32_t answer(const Row& row);
  /// The logarithms of class probabilities, up to a constant, or the probabilities of a leaf.
  void probabilities(const Row& row, double* to);
  /// Learns a row and returns what the tree would have answered before.
  std::uint32_t learn(const Row& row);

  /// After the columns or the number of classes changed; `old` cells are those before.
  void rearrange(const Cells& old, const Cells& old_categories, std::size_t n_classes);
  /// After cuts were learnt: nothing has been counted before.
  void restart_search() { judge_.reset(); }

  Tree tree() const;
  const std::vector<Event>& history() const { return state_.history; }
  std::size_t n_leaves() const;
  std::size_t n_bytes() const;
  std::uint64_t n_rows() const { return state_.n_rows; }

  /// Everything that learning changes.
  struct State {
    std::vector<Node> nodes;
    std::vector<Leaf> leaves;
    std::vector<std::int32_t> free_nodes, free_leaves;
    std::vector<Monitor> monitors;
    std::vector<std::int32_t> free_monitors;
    std::vector<Event> history;
    std::int32_t root = 0;
    std::uint64_t seed = 0, n_rows = 0, n_born = 0;

    template <class Bytes>
    void transfer(Bytes& bytes) {
      transfer_all(bytes, nodes);
      transfer_all(bytes, leaves);
      transfer_all(bytes, monitors);
      transfer_all(bytes, history);
      bytes(free_nodes, free_leaves, free_monitors, root, seed, n_rows, n_born);
    }
  };
  const State& state() const { return state_; }
  State take_state() { return std::move(state_); }
  void set(State state);

 private:
  Node& node(std::int32_t id) { return state_.nodes[static_cast<std::size_t>(id)]; }
  const Node& node(std::int32_t id) const { return state_.nodes[static_cast<std::size_t>(id)]; }
  Leaf& leaf_of(std::int32_t id) { return state_.leaves[static_cast<std::size_t>(node(id).leaf)]; }
  Monitor& monitor_of(std::int32_t id) {
    return state_.monitors[static_cast<std::size_t>(node(id).monitor)];
  }
  std::int32_t add_node();
  std::int32_t add_leaf(Leaf leaf);
  Leaf new_leaf() const;
  void free_subtree(std::int32_t id);
  std::int32_t walk(std::int32_t id, const std::uint8_t* cells) const {
    while (!node(id).is_leaf()) id = node(id).child(cells);
    return id;
  }
  std::uint32_t answer_at(std::int32_t id, const Row& row);
  std::uint32_t learn_at(std::int32_t id, const Row& row);
  void attempt(std::int32_t id);
  void split(std::int32_t id, const Verdict& verdict);
  void add_monitor(std::int32_t id);
  void note(Event::Kind kind, std::int32_t id, const Verdict* verdict, std::uint64_t attempt);
  // drift.cpp
  bool watch(std::int32_t id, const Row& row, std::uint32_t answer);
  void take_over(std::int32_t id);
  bool reevaluate(std::int32_t id, const Row& row);
  // memory.cpp
  void limit_memory();
  SplitJudge& judge();
  Question question_of(const LeafSums& sums, const RecentRows& recent, const LeafSums::Table& table,
                       std::uint64_t attempts, std::int32_t id) const;

  const Rules& rules_;
  const Columns& columns_;
  std::size_t n_classes_;
  std::unique_ptr<SplitJudge> judge_;
  State state_;
  std::vector<std::int32_t> path_;  // of the row at hand
};

}  // namespace ramify::online

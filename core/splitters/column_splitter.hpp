// SPDX-License-Identifier: BSD-3-Clause
// The splitter of plain trees of one column per node: each node samples its columns, the first of
// the best cuts is kept, and columns that are constant are not looked at again below. How rows lie,
// what is learnt and how columns are searched is the policy `Learns`: SortedLayout or coded rows,
// of classes or regression.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "search/column_sampler.hpp"
#include "search/non_constant_columns.hpp"
#include "splitters/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

template <class Learns>
class ColumnSplitter : public Learns {
 public:
  using Waiting = typename Learns::Waiting;
  static constexpr unsigned nodes_per_request = 32;  // to look at the clock takes time

  ColumnSplitter(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                 const Plan& plan, Pool& pool)
      : Learns(table, rows, target, plan, pool), target_(target), plan_(plan) {
    for (int worker = 0; worker < pool.size(); ++worker)
      desks_.push_back(std::make_unique<Desk>(table.columns.size()));
  }

  /// Measures the node, too.
  Waiting root(Node& node) {
    handed_over_.begin(node.non_constant);
    Waiting root;
    root.end = node.end;
    root.depth = node.depth;
    root.key = node.key;
    root.non_constant.n = static_cast<std::uint32_t>(node.non_constant.size());
    Learns::measure_root(node, root);
    return root;
  }
  double unit() const { return target_.unit; }
  std::uint32_t min_shared_rows() const { return 2048; }

  Split best(Waiting& node, std::span<const double> statistics, Workers workers,
             const std::function<bool()>&) {
    Desk& mine = desk(workers);
    std::vector<std::uint32_t>& non_constant = mine.non_constant.take(node.non_constant);
    Learns::start(node, statistics, non_constant, workers);
    Split split;
    mine.sampler.fill(non_constant, plan_.max_columns, node.key);
    for (auto sampled = mine.sampler.draw(); !sampled.empty() && !split.exists();
         sampled = mine.sampler.draw())
      split = Learns::best_of(node, sampled, mine.is_constant, workers);
    std::erase_if(non_constant, [&](std::uint32_t column) {
      return std::exchange(mine.is_constant[column], std::uint8_t{0}) != 0;
    });
    if (!split.exists()) return split;
    mine.non_constant.keep(node.non_constant);
    Learns::prefetch_cut(node, split, workers);
    return split;
  }

  void partition(Waiting& node, std::span<const double> statistics, Split& split, Workers workers,
                 std::vector<Waiting>& children) {
    const std::uint32_t n_left = Learns::begin_partition(node, split, workers);
    children.clear();
    for (std::size_t branch = 0; branch < 2; ++branch) {
      Waiting child = node;
      (branch == 0 ? child.end : child.begin) = node.begin + n_left;
      child.depth = node.depth + 1;
      child.key = child_key(node.key, branch);
      children.push_back(child);
    }
    Learns::end_partition(node, statistics, split, children,
                          desk(workers).non_constant.view(node.non_constant), workers);
  }

  /// What a node has besides its rows and columns stays with its thread.
  void hand_over(Waiting& node) {
    Learns::finish(node, {});
    handed_over_.give(desks_[0]->non_constant, node.non_constant);
  }
  void take_over(Waiting& node, Workers workers) {
    handed_over_.take(node.non_constant, desk(workers).non_constant);
  }

 private:
  /// What one thread needs.
  struct Desk {
    explicit Desk(std::size_t n_columns) : is_constant(n_columns) {}

    NonConstantColumns non_constant{};
    ColumnSampler sampler{};
    std::vector<std::uint8_t> is_constant;  // of each column, in the node at hand
  };
  Desk& desk(Workers workers) { return *desks_[static_cast<std::size_t>(workers.first)]; }

  const Target& target_;
  const Plan& plan_;
  std::vector<std::unique_ptr<Desk>> desks_;  // by thread
  HandedOver handed_over_;
};

}  // namespace ramify

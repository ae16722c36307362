// SPDX-License-Identifier: BSD-3-Clause
// Classes as SortedLayout learns them.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rows/sorted_lists.hpp"
#include "search/sorted_class_search.hpp"
#include "select/admissible.hpp"
#include "splitters/list_partition.hpp"

namespace ramify {

class SortedClasses {
 public:
  using Waiting = ClassNode;

  std::size_t expected_nodes(std::uint32_t n_rows) const { return n_rows / 2; }
  bool is_leaf(const Waiting& node, std::span<const double> statistics) const {
    return ramify::is_leaf(plan_, target_, node.depth, node.n_rows(), node.non_constant.n > 0,
                           statistics);
  }
  bool is_worth(const Waiting&, std::span<const double> statistics, const Split& split) const {
    return pays(plan_, target_, split, 1, weight_of(target_, statistics));
  }
  double gain_unit(const Waiting&) const { return 1; }
  std::span<const double> statistics(const Waiting&, std::size_t branch, Workers workers) const {
    return desks_[static_cast<std::size_t>(workers.first)]->statistics[branch];
  }
  Bounds bounds(const Waiting& node) const { return {node.lower, node.upper}; }
  void finish(Waiting&, Workers) const {}

 protected:
  SortedClasses(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                const Plan& plan, Pool& pool);

  const SortedLists& lists() const { return lists_; }
  void measure_root(const Node& node, Waiting& root) const {
    root.lower = node.lower;
    root.upper = node.upper;
  }
  void start(Waiting& node, std::span<const double> statistics,
             std::span<const std::uint32_t> columns, Workers workers);
  Split best_of(const Waiting& node, std::span<const std::uint32_t> columns,
                std::span<std::uint8_t> is_constant, Workers workers);
  std::uint32_t row_at(const Waiting& node, std::uint32_t column, std::uint32_t place,
                       Workers) const {
    return lists_.row_at(node, column, place);
  }
  std::uint32_t n_left(const Waiting& node, const Split& split) const {
    return ListCut(lists_, node, split).n_left();
  }
  /// Counts the classes of the children; whether the left and the right one go on.
  std::pair<bool, bool> measure(const Waiting& node, std::span<const double> statistics,
                                const Split& split, std::span<Waiting> children, Workers workers);
  void partition_lists(const Waiting& node, const Split& split,
                       std::span<const std::uint32_t> columns, Keep keep, Workers workers) {
    partitions_.run(node, ListCut(lists_, node, split), columns, keep, workers);
  }

 private:
  /// What one thread needs.
  struct Desk {
    Desk(const Training& training, const SortedLists& lists, const ClassScores& scores)
        : search(training, lists, scores), peaks(training.table.columns.size()) {
      for (auto& own : statistics) own.resize(training.target.n_all_classes());
    }

    SortedClassSearch search;
    std::vector<float> peaks;
    std::vector<double> statistics[2];  // of the children
  };
  Desk& desk(Workers workers) { return *desks_[static_cast<std::size_t>(workers.first)]; }
  void set_bounds(const Split& split, std::span<Waiting> children, const Desk& mine) const;

  const Target& target_;
  const Plan& plan_;
  Pool& pool_;
  SortedLists lists_;
  ListPartitions partitions_;
  Store no_store_;
  ClassScores scores_;
  std::vector<std::unique_ptr<Desk>> desks_;  // by thread
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Rows of a ColumnSplitter that lie in sorted lists: every node looks at its columns along them,
// and to partition a node is to partition every list. What is learnt is the policy `Learns`:
// SortedClasses or SortedRegression.
#pragma once

#include <span>
#include <vector>

#include "select/judge.hpp"
#include "splitters/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

template <class Learns>
class SortedLayout : public Learns {
 public:
  using Waiting = typename Learns::Waiting;

 protected:
  SortedLayout(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
               const Plan& plan, Pool& pool)
      : Learns(table, rows, target, plan, pool),
        table_(table),
        plan_(plan),
        beside_(static_cast<std::size_t>(pool.size())) {}

  /// The codes beside the cut are far away: they are read when the rows are partitioned.
  void prefetch_cut(const Waiting& node, const Split& split, Workers workers) {
    const auto column = static_cast<std::uint32_t>(split.column);
    const auto place = static_cast<std::uint32_t>(split.rows_left);
    for (std::uint32_t side = 0; side < 2; ++side) {
      const std::uint32_t row = Learns::row_at(node, column, place - 1 + side, workers);
      beside(workers).row[side] = row;
      Learns::lists().prefetch_at(column, row);
    }
  }

  std::uint32_t begin_partition(const Waiting& node, Split& split, Workers workers) {
    const auto column = static_cast<std::uint32_t>(split.column);
    const Column& info = table_.columns[column];
    split.code = Learns::lists().row_code(column, beside(workers).row[0]);
    split.next_code = Learns::lists().row_code(column, beside(workers).row[1]);
    info.lowest.prefetch_at(split.code);
    if (split.next_code < info.n_codes()) info.lowest.prefetch_at(split.next_code);
    return Learns::n_left(node, split);
  }

  void end_partition(const Waiting& node, std::span<const double> statistics, Split& split,
                     std::span<Waiting> children, std::span<const std::uint32_t> columns,
                     Workers workers) {
    const auto [left, right] = Learns::measure(node, statistics, split, children, workers);
    if (left || right)
      Learns::partition_lists(node, split, columns,
                              left && right ? Keep::both
                              : left        ? Keep::left
                                            : Keep::right,
                              workers);
    // Last: its values are on their way.
    set_threshold(plan_, table_.columns[static_cast<std::size_t>(split.column)], split);
  }

 private:
  /// The rows beside the cut that a thread has found.
  struct alignas(64) Beside {
    std::uint32_t row[2];
  };
  Beside& beside(Workers workers) { return beside_[static_cast<std::size_t>(workers.first)]; }

  const Table& table_;
  const Plan& plan_;
  std::vector<Beside> beside_;  // by thread
};

}  // namespace ramify

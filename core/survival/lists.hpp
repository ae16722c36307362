// SPDX-License-Identifier: BSD-3-Clause
// The rows of a survival tree: a sorted list for each column, and one more in the order of time. A
// node is a segment of all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rows/sorted_lists.hpp"
#include "select/split.hpp"
#include "survival/target.hpp"
#include "survival/walk.hpp"

namespace ramify {

class SurvivalLists {
 public:
  SurvivalLists(const Table& table, const TimeOrder& order, const Target& target, Pool& pool);

  /// The rows of a node, in the order of time.
  std::span<const std::uint32_t> rows(const ListSegment& node) const {
    return std::span(by_time_).subspan(node.begin, node.n_rows());
  }
  /// The rows of a node by the values of a column; sides and limits are left open.
  WalkedList column(const ListSegment& node, std::uint32_t column) const {
    return {.items = lists_.items(node, column),
            .n = node.n_rows(),
            .n_valued = lists_.n_valued(node, column),
            .layout = lists_.layout(),
            .missing_left = false,
            .stands_apart = false,
            .min_rows = 1};
  }
  std::uint32_t code(std::uint32_t column, std::uint32_t row) const {
    return lists_.row_code(column, row);
  }
  std::uint32_t row(std::uint32_t item) const { return lists_.layout().row(item); }

  /// Room that a thread needs to partition a node.
  struct Room {
    std::vector<std::uint32_t> moved, spare;
  };
  /// Partitions the lists of some columns, and the order of time. Returns the rows on the left.
  std::uint32_t partition(const ListSegment& node, const Split& split,
                          std::span<const std::uint32_t> columns, Room& room);

 private:
  template <class Visit>
  void each_left(const ListSegment& node, const Split& split, Visit visit) const;

  const Table& table_;
  SortedLists lists_;
  std::vector<std::uint32_t> by_time_;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Partition of all sorted lists of a node by a cut of one of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rows/sorted_lists.hpp"
#include "scan/sorted_scan.hpp"
#include "select/split.hpp"
#include "splitters/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

/// Do several threads share the columns of a node?
inline bool is_shared(const ListSegment& node, std::size_t n_columns, Workers workers) {
  return workers.n > 1 && std::size_t{node.n_rows()} * n_columns >= shared_cells;
}

/// Calls visit(i, worker) for each of these columns.
template <class Visit>
void each_column(const ListSegment& node, std::size_t n_columns, Pool& pool, Workers workers,
                 Visit visit) {
  if (!is_shared(node, n_columns, workers))
    for (std::size_t i = 0; i < n_columns; ++i) visit(i, workers.first);
  else
    pool.run(static_cast<int>(n_columns),
             [&](int i, int worker) { visit(static_cast<std::size_t>(i), worker); });
}

/// A cut of a node of sorted lists: which places of the list of its column are on which side.
struct ListCut {
  std::uint32_t column, rows_left, n_valued, n_rows;
  bool missing_left;

  ListCut(const SortedLists& lists, const ListSegment& node, const Split& split)
      : column(static_cast<std::uint32_t>(split.column)),
        rows_left(static_cast<std::uint32_t>(split.rows_left)),
        n_valued(lists.n_valued(node, column)),
        n_rows(node.n_rows()),
        missing_left(split.missing_left) {}

  std::uint32_t n_left() const { return rows_left + (missing_left ? n_rows - n_valued : 0); }
  bool is_left_smaller() const { return 2 * n_left() <= n_rows; }
  /// Calls visit(begin, end) for the places of one side.
  template <class Visit>
  void each_range(bool left, Visit visit) const {
    left ? visit(0u, rows_left) : visit(rows_left, n_valued);
    if (left == missing_left) visit(n_valued, n_rows);
  }
};

class ListPartitions {
 public:
  ListPartitions(SortedLists& lists, std::uint32_t n_rows, Pool& pool)
      : lists_(lists),
        pool_(pool),
        n_rows_(n_rows),
        desks_(static_cast<std::size_t>(pool.size())) {}

  void run(const ListSegment& node, const ListCut& cut, std::span<const std::uint32_t> columns,
           Keep keep, Workers workers) {
    Desk& mine = desks_[static_cast<std::size_t>(workers.first)];
    if (mine.moved.empty()) mine.moved.resize(n_rows_ / 32 + 1);
    std::uint32_t* moved = mine.moved.data();
    const bool marks_left = cut.is_left_smaller();
    const auto each_moved = [&](auto visit) {
      cut.each_range(marks_left, [&](std::uint32_t begin, std::uint32_t end) {
        lists_.each_row(node, cut.column, begin, end, visit);
      });
    };
    each_moved([&](std::uint32_t row) { moved[row >> 5] |= 1u << (row & 31); });
    each_column(node, columns.size(), pool_, workers, [&](std::size_t i, int worker) {
      constexpr std::size_t vector_items = 16;
      std::vector<std::uint32_t>& spare = desks_[static_cast<std::size_t>(worker)].spare;
      if (spare.size() < cut.n_rows + vector_items) spare.resize(cut.n_rows + vector_items);
      if (columns[i] != cut.column)
        sorted_kernels().partition({lists_.items(node, columns[i]), cut.n_rows, lists_.layout(),
                                    moved, marks_left, keep, spare.data()});
    });
    each_moved([&](std::uint32_t row) { moved[row >> 5] = 0; });
    if (cut.missing_left) lists_.move_missing(node, cut.column, cut.rows_left, cut.n_valued);
  }

 private:
  struct Desk {
    std::vector<std::uint32_t> moved;  // a bit for each row of one side; else all are zero
    std::vector<std::uint32_t> spare;
  };

  SortedLists& lists_;
  Pool& pool_;
  std::uint32_t n_rows_;
  std::vector<Desk> desks_;  // by thread
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "survival/lists.hpp"

#include <algorithm>
#include <numeric>

#include "scan/sorted_scan.hpp"
#include "select/admissible.hpp"

namespace ramify {

SurvivalLists::SurvivalLists(const Table& table, const TimeOrder& order, const Target& target,
                             Pool& pool)
    : table_(table), lists_(table, order.table_row, target, pool), by_time_(order.n_rows()) {
  std::iota(by_time_.begin(), by_time_.end(), 0u);
}

/// Calls visit(row) for the rows that a split sends left.
template <class Visit>
void SurvivalLists::each_left(const ListSegment& node, const Split& split, Visit visit) const {
  const auto at = static_cast<std::uint32_t>(split.column);
  const WalkedList list = column(node, at);
  if (split.kind == SplitKind::threshold) {
    const auto n_left = static_cast<std::uint32_t>(split.rows_left);
    for (std::uint32_t i = 0; i < n_left; ++i) visit(row(list.items[i]));
    for (std::uint32_t i = list.n_valued; split.missing_left && i < list.n; ++i)
      visit(row(list.items[i]));
    return;
  }
  const std::vector<std::uint32_t> branch = branch_of_codes(split, table_.columns[at].n_codes());
  for (std::uint32_t i = 0; i < list.n; ++i) {
    const std::uint32_t own = row(list.items[i]);
    if (branch[lists_.row_code(at, own)] == 0) visit(own);
  }
}

namespace {

ListPartition part_of(std::uint32_t* items, const ListSegment& node, FlagLayout layout, Keep keep,
                      SurvivalLists::Room& room) {
  return {.items = items,
          .n = node.n_rows(),
          .layout = layout,
          .moved = room.moved.data(),
          .marked_left = true,
          .keep = keep,
          .spare = room.spare.data()};
}

}  // namespace

std::uint32_t SurvivalLists::partition_times(const ListSegment& node, const Split& split,
                                             Room& room) {
  constexpr std::size_t vector_items = 16;
  if (room.moved.empty()) room.moved.resize(by_time_.size() / 32 + 1);
  if (room.spare.size() < node.n_rows() + vector_items)
    room.spare.resize(node.n_rows() + vector_items);
  std::uint32_t n_left = 0;
  each_left(node, split, [&](std::uint32_t row) {
    room.moved[row >> 5] |= 1u << (row & 31);
    ++n_left;
  });
  const FlagLayout layout = lists_.layout();
  std::uint32_t* rows = by_time_.data() + node.begin;
  sorted_kernels().partition(part_of(rows, node, layout, Keep::both, room));
  for (std::uint32_t i = 0; i < node.n_rows(); ++i) rows[i] &= layout.row_mask();
  return n_left;
}

void SurvivalLists::partition_columns(const ListSegment& node,
                                      std::span<const std::uint32_t> columns, Keep keep,
                                      Room& room) {
  for (const std::uint32_t each : columns)
    sorted_kernels().partition(
        part_of(lists_.items(node, each), node, lists_.layout(), keep, room));
}

void SurvivalLists::forget(const ListSegment& node, Room& room) {
  for (const std::uint32_t row : rows(node)) room.moved[row >> 5] = 0;
}

}  // namespace ramify

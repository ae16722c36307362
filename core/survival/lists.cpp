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

std::uint32_t SurvivalLists::partition(const ListSegment& node, const Split& split,
                                       std::span<const std::uint32_t> columns, Room& room) {
  constexpr std::size_t vector_items = 16;
  if (room.moved.empty()) room.moved.resize(by_time_.size() / 32 + 1);
  if (room.spare.size() < node.n_rows() + vector_items)
    room.spare.resize(node.n_rows() + vector_items);
  std::uint32_t* moved = room.moved.data();
  std::uint32_t n_left = 0;
  each_left(node, split, [&](std::uint32_t row) {
    moved[row >> 5] |= 1u << (row & 31);
    ++n_left;
  });
  const auto part = [&](std::uint32_t* items) {
    sorted_kernels().partition({.items = items,
                                .n = node.n_rows(),
                                .layout = lists_.layout(),
                                .moved = moved,
                                .marked_left = true,
                                .keep = Keep::both,
                                .spare = room.spare.data()});
  };
  for (const std::uint32_t each : columns) part(lists_.items(node, each));
  part(by_time_.data() + node.begin);
  const std::uint32_t mask = lists_.layout().row_mask();
  for (std::uint32_t i = node.begin; i < node.end; ++i) {
    by_time_[i] &= mask;
    const std::uint32_t row = by_time_[i];
    moved[row >> 5] = 0;
  }
  return n_left;
}

}  // namespace ramify

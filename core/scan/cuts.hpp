// SPDX-License-Identifier: BSD-3-Clause
// How a search goes along the cuts of one column of numbers, block by block: by sorted list, or by
// code where the column is narrow.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "scan/channels.hpp"
#include "scan/class_scores.hpp"
#include "scan/training.hpp"

namespace ramify {

/// A block of cuts with its sums and scores; kept by each thread for the next column.
struct CutBuffers {
  CutBlock block{};
  std::vector<double> left, running;
  std::vector<double> missing;         // sums of the rows without a value
  double scores[2][CutBlock::stride];  // missing rows on the right, on the left
  double ties[2][CutBlock::stride];
  double to_beat = 0;  // a column whose best score is below cannot win

  /// Prepares the block for the sums of some channels.
  CutBlock& start(int n_channels) {
    left.resize(static_cast<std::size_t>(n_channels) * CutBlock::stride);
    missing.resize(static_cast<std::size_t>(n_channels) * 2);
    block.left = left.data();
    block.items = nullptr;
    block.missing_moved = false;
    return block;
  }
};

/// Counts the missing rows as left of every cut of the block, or as right.
inline void move_missing(CutBlock& block, bool to_left, std::span<const double> missing,
                         int n_channels) {
  if (block.missing_moved == to_left) return;
  block.missing_moved = to_left;
  for (int k = 0; k < n_channels; ++k)
    for (int i = 0; i < padded(block.n_cuts); ++i)
      block.left[k * CutBlock::stride + i] += to_left ? missing[k] : -missing[k];
}

/// What is known of a column in a node before its first cut.
struct ColumnRange {
  std::uint32_t first_code = 0, last_code = 0;  // of the rows with a value
  std::uint64_t n_missing = 0;
};

/// The list of a column in a node: rows with a value first, then those without.
struct ListView {
  const std::uint64_t* items;
  std::uint32_t n, n_missing;
  ItemLayout layout;
  std::uint32_t missing_code;

  std::uint32_t first_code() const { return layout.code(items[0]); }
  std::uint32_t last_code() const { return layout.code(items[n - 1]); }
  bool is_constant() const { return n == 0 || (n_missing == 0 && first_code() == last_code()); }
  ColumnRange range() const { return {first_code(), last_code(), n_missing}; }

  /// Has the cuts of a block read their codes here.
  void prepare(CutBlock& block) const {
    block.is_supplied = false;
    block.items = items;
    block.layout = layout;
    block.n_valued = n;
    block.missing_code = missing_code;
  }
};

inline ListView list_of(const Training& training, const NodeColumn& column) {
  const Column& info = training.column(column.number);
  const ItemLayout layout = training.store.layout();
  const std::uint64_t* items = training.store.list(column.number) + column.node.begin;
  auto n = static_cast<std::uint32_t>(column.node.n_rows());
  if (info.n_missing > 0)
    n = static_cast<std::uint32_t>(
        std::lower_bound(items, items + n, layout.make(info.n_codes(), 0, 0)) - items);
  return {items, n, static_cast<std::uint32_t>(column.channels.n_rows - n), layout, info.n_codes()};
}

/// Visits the cuts of a low-cardinality column: all in one block. See each_block.
template <class Start, class Visit>
bool visit_codes(const Training& training, const NodeColumn& column, CutBuffers& buffers,
                 Start start, Visit visit) {
  const Column& info = training.column(column.number);
  CutBlock& block = buffers.start(column.channels.size());
  kernels().walk_codes(*column.sums, static_cast<int>(info.n_codes()), column.channels.channels,
                       info.n_missing > 0, block, buffers.missing.data());
  std::uint64_t n_missing = 0;
  if (info.n_missing > 0 && block.n_cuts > 0) {
    // The column has missing rows, this node perhaps none.
    n_missing = column.channels.n_rows - block.n_left(block.n_cuts - 1);
    if (n_missing == 0) --block.n_cuts;
  }
  if (block.n_cuts == 0) return false;
  const int last = block.n_cuts - 1;
  start(ColumnRange{block.code[0], n_missing > 0 ? block.code[last] : block.next_code[last],
                    n_missing});
  visit(n_missing);
  return true;
}

/// Visits the cuts of a sorted list.
template <class Start, class Visit>
bool visit_list(const Training& training, const NodeColumn& column, CutBuffers& buffers,
                Start start, Visit visit) {
  const ListView list = list_of(training, column);
  if (list.is_constant()) return false;
  const NodeChannels& channels = column.channels;
  const Kernels& kernel = kernels();
  CutBlock& block = buffers.start(channels.size());
  buffers.running.assign(static_cast<std::size_t>(channels.size()), 0);
  if (list.n_missing > 0)
    kernel.sum_items(list.items + list.n, list.n_missing, list.layout, channels.channels,
                     buffers.missing.data());
  start(list.range());
  list.prepare(block);
  ListWalk walk{list.items,
                list.n,
                0,
                list.n_missing > 0,
                list.layout,
                channels.channels,
                buffers.running.data()};
  for (kernel.walk_list(walk, block); block.n_cuts > 0; kernel.walk_list(walk, block)) {
    visit(list.n_missing);
    block.missing_moved = false;
  }
  return true;
}

/// Visits the cuts of a column of numbers, block by block: first start(range), then
/// visit(number of missing rows) with the block in `buffers` and the sums of the missing rows
/// beside it. False if the column is constant in the node.
template <class Start, class Visit>
bool each_block(const Training& training, const NodeColumn& column, CutBuffers& buffers,
                Start start, Visit visit) {
  return training.column(column.number).is_low_cardinality()
             ? visit_codes(training, column, buffers, start, visit)
             : visit_list(training, column, buffers, start, visit);
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// How a search goes along the cuts of one column.
#pragma once

#include "split/search.hpp"

namespace ramify {

/// Scores are written in whole packs.
inline int padded(int n_cuts) {
  constexpr int width = RAMIFY_KERNELS::pack_width;
  return (n_cuts + width - 1) / width * width;
}

/// Counts the missing rows as left of every cut of the block, or as right.
inline void move_missing(CutBlock& block, bool to_left, std::span<const double> missing,
                         int n_channels) {
  if (block.missing_moved == to_left) return;
  block.missing_moved = to_left;
  for (int k = 0; k < n_channels; ++k)
    for (int i = 0; i < padded(block.n_cuts); ++i)
      block.left[k * CutBlock::stride + i] += to_left ? missing[k] : -missing[k];
}

/// Calls score_output(output, scores) for the only output, or averages over several: they count
/// equally.
template <class ScoreOutput>
void Search::mean_of_outputs(const NodeChannels& channels, int n_cuts, double* mean,
                             ScoreOutput score_output) {
  if (channels.outputs.size() == 1) return score_output(channels.outputs[0], mean);
  double part[CutBlock::stride];
  std::fill_n(mean, padded(n_cuts), 0.0);
  for (const auto& output : channels.outputs) {
    if (output.n_present < 2) continue;
    score_output(output, part);
    for (int i = 0; i < padded(n_cuts); ++i)
      mean[i] += part[i] / static_cast<double>(channels.outputs.size());
  }
}

/// The list of a column in a node: rows with a value first, then those without.
struct Search::ListView {
  const std::uint64_t* items;
  std::uint32_t n, n_missing;
  ItemLayout layout;

  std::uint32_t first_code() const { return layout.code(items[0]); }
  std::uint32_t last_code() const { return layout.code(items[n - 1]); }
  bool is_constant() const { return n == 0 || (n_missing == 0 && first_code() == last_code()); }
};

/// Visits the cuts of a column, block by block: first start(first code, last code, number of
/// missing rows), then visit(number of missing rows) with the block in `scratch` and the sums of
/// the missing rows in scratch.missing. False if the column is constant in the node.
template <class Start, class Visit>
bool Search::each_block(const Node& node, const NodeChannels& channels, int column, CodeSums* sums,
                        Scratch& scratch, Start start, Visit visit) const {
  const Column& info = table.columns[column];
  CutBlock& block = scratch.block;
  scratch.left.resize(static_cast<std::size_t>(channels.size()) * CutBlock::stride);
  scratch.missing.resize(static_cast<std::size_t>(channels.size()) * 2);
  block.left = scratch.left.data();
  block.missing_moved = false;

  if (info.is_categorical) {
    block.items = nullptr;
    if (!start_subsets(node, channels, column, sums, scratch)) return false;
    start(0, 0, 0);
    for (scratch.subsets.next(block); block.n_cuts > 0; scratch.subsets.next(block)) visit(0);
    return true;
  }
  if (info.is_narrow()) {
    block.items = nullptr;
    kernels_.walk_codes(*sums, static_cast<int>(info.n_codes()), channels.channels,
                        info.n_missing > 0, block, scratch.missing.data());
    std::uint32_t n_missing = 0;
    if (info.n_missing > 0 &&
        block.n_cuts > 0) {  // the column has missing rows, this node perhaps none
      n_missing = channels.n_rows - block.rows_left[block.n_cuts - 1];
      if (n_missing == 0) --block.n_cuts;
    }
    if (block.n_cuts == 0) return false;
    const int last = block.n_cuts - 1;
    start(block.code[0], n_missing > 0 ? block.code[last] : block.next_code[last], n_missing);
    visit(n_missing);
    return true;
  }

  const ListView list = list_of(node, channels, column);
  if (list.is_constant()) return false;
  scratch.running.assign(static_cast<std::size_t>(channels.size()), 0);
  if (list.n_missing > 0)
    kernels_.sum_items(list.items + list.n, list.n_missing, list.layout, channels.channels,
                       scratch.missing.data());
  start(list.first_code(), list.last_code(), list.n_missing);
  start_block(list, column, block);
  ListWalk walk{list.items,
                list.n,
                0,
                list.n_missing > 0,
                list.layout,
                channels.channels,
                scratch.running.data()};
  for (kernels_.walk_list(walk, block); block.n_cuts > 0; kernels_.walk_list(walk, block)) {
    visit(list.n_missing);
    block.missing_moved = false;
  }
  return true;
}

}  // namespace ramify

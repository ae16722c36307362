// SPDX-License-Identifier: BSD-3-Clause
// How nodes are laid out anew when they are small enough, and parted then: lists and bits of a
// block.
#pragma once

#include <algorithm>
#include <bit>

#include "select/judge.hpp"
#include "splitters/sampled_splitter.hpp"

namespace ramify {

/// Lays the rows of a node out anew, if it is small enough and they do not lie so yet.
template <class Key>
void SampledSplitter<Key>::start_block(Waiting& node, std::span<const double> statistics,
                                       std::span<const std::uint32_t> non_constant, Desk& mine) {
  SampledSearch<Key>& search = mine.search;
  if (node.items.size() == 0) {
    if (search.may_list(node.n_rows(), weight_of(target_, statistics)))
      node.items = {0, search.lists().start(rows_.row_indices(node.begin, node.end),
                                            records(node, mine), non_constant)};
    else if (!search.may_stretch(node.n_rows()))
      move_to_cache(node, mine);
  }
  if (node.items.size() > 0 && node.items.size() <= BitLists::max_items)
    node.mask =
        search.bits().start(search.lists(), node.items, non_constant, table_.columns.size());
}

/// Marks the rows of one side and counts them, by class and in all.
template <class Key>
std::uint32_t SampledSplitter<Key>::mark(const Waiting& node, const Split& split, bool left,
                                         Desk& mine) {
  SampledBlock& lists = mine.search.lists();
  const FlagLayout layout = lists.layout();
  const std::uint16_t* items =
      lists.items(static_cast<std::uint32_t>(split.column), node.items.begin);
  const std::uint32_t begin = left ? 0 : split.rows_left,
                      end = left ? split.rows_left : node.items.size();
  std::ranges::fill(mine.marks, 0u);
  std::uint32_t n_rows = 0, before = ~0u;
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t row = layout.row(items[i]);
    mine.marks[row >> 5] |= 1u << (row & 31);
    mine.counts[layout.label(items[i])] += 1;
    n_rows += row != before;  // a row that counts several times lies side by side
    before = row;
  }
  return n_rows;
}

template <class Key>
void SampledSplitter<Key>::part_block(const Waiting& node, std::span<const double> statistics,
                                      Split& split, Desk& mine, std::vector<Waiting>& children) {
  const auto column = static_cast<std::uint32_t>(split.column);
  const Column& info = table_.columns[column];
  const std::uint64_t left_bits = mine.search.left_bits();
  // The smaller side is counted, by class and in rows.
  mine.counts.assign(n_classes_, 0);
  const bool is_left = node.mask != 0 || 2 * split.rows_left <= node.items.size();
  std::uint32_t n_counted = 0;
  if (node.mask != 0) {
    n_counted = static_cast<std::uint32_t>(std::popcount(left_bits));
    const auto [both, second] = mine.search.bits().count(column, left_bits);
    mine.counts[0] = static_cast<Sum>(both - second);
    mine.counts[1] = static_cast<Sum>(second);
  } else {
    n_counted = mark(node, split, is_left, mine);
  }
  const std::uint32_t middle = is_left ? node.begin + n_counted : node.end - n_counted;
  std::vector<double>&counted = mine.statistics[is_left ? 0 : 1],
  &others = mine.statistics[is_left ? 1 : 0];
  counted.assign(mine.counts.begin(), mine.counts.end());
  others.resize(n_classes_);
  for (std::size_t k = 0; k < n_classes_; ++k) others[k] = statistics[k] - counted[k];
  children.clear();
  for (std::size_t branch = 0; branch < 2; ++branch) {
    Waiting& child = children.emplace_back(node);
    (branch == 0 ? child.end : child.begin) = middle;
    child.depth = node.depth + 1;
    child.key = child_key(node.key, branch);
    if (node.mask != 0)
      child.mask = branch == 0 ? left_bits : node.mask & ~left_bits;
    else
      (branch == 0 ? child.items.end : child.items.begin) = node.items.begin + split.rows_left;
  }
  if (node.mask == 0) partition_lists(node, split, children, is_left, mine);
  set_threshold(plan_, info, split);
}

/// Parts every list for the children that will be split again; the rows of one side are marked.
template <class Key>
void SampledSplitter<Key>::partition_lists(const Waiting& node, const Split& split,
                                           std::span<const Waiting> children, bool is_left,
                                           Desk& mine) {
  SampledBlock& lists = mine.search.lists();
  const bool left = !is_leaf(children[0], mine.statistics[0]);
  const bool right = !is_leaf(children[1], mine.statistics[1]);
  if (!left && !right) return;
  const Keep keep = left && right ? Keep::both : left ? Keep::left : Keep::right;
  for (const std::uint32_t column : mine.non_constant.view(node.non_constant))
    if (column != static_cast<std::uint32_t>(split.column))
      flag_kernels().partition_short({lists.items(column, node.items.begin), node.items.size(),
                                      lists.layout(), mine.marks, is_left, keep, lists.spare()});
}

}  // namespace ramify

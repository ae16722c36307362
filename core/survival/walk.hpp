// SPDX-License-Identifier: BSD-3-Clause
// The walk along the list of a column by which the log-rank family is searched: U and V of the rows
// on the left of each cut. It is compiled for several instruction sets; all sums are of whole
// numbers, so all give the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "rows/layout.hpp"
#include "survival/log_rank.hpp"

namespace ramify {

/// The rows of a node by the values of a column, those without a value at the end.
struct WalkedList {
  const std::uint32_t* items;
  std::uint32_t n;  // rows
  std::uint32_t n_valued;
  FlagLayout layout;
  bool missing_left;       // whether rows without a value go left
  bool stands_apart;       // whether to try all values against the missing ones
  std::uint32_t min_rows;  // on each side
};

/// A cut: how many rows with a value are on its left, and their sums.
struct LogRankCut {
  Wide u;
  double v;
  std::uint32_t place;
};

/// Room for prefix sums over ranks, by levels; each thread has its own.
struct PrefixRoom {
  std::vector<std::uint32_t> weight;
  std::vector<std::uint64_t> product;
  std::vector<Wide> wide;
};

struct SurvivalKernels {
  /// Writes the cuts of a column, whose room must hold one per row; returns how many there are.
  std::uint32_t (*walk)(const WalkedList&, const LogRankRow* rows,
                        const LogRankRank<std::uint64_t>* ranks, std::uint32_t n_times,
                        PrefixRoom& room, LogRankCut* cuts);
};

/// The kernels for this processor.
const SurvivalKernels& survival_kernels();

/// The same of weights that are not whole, by sums of 128 bits.
std::uint32_t walk_wide(const WalkedList&, const LogRankRow* rows, const LogRankRank<Wide>* ranks,
                        std::uint32_t n_times, PrefixRoom& room, LogRankCut* cuts);

/// Calls add(row) for each row that comes to the left, and cut(place) between two values.
template <class Add, class Cut>
inline void walk_list(const WalkedList& list, Add add, Cut cut) {
  const std::uint32_t mask = list.layout.row_mask();
  const std::uint32_t n_missing = list.n - list.n_valued;
  if (list.missing_left)
    for (std::uint32_t i = list.n_valued; i < list.n; ++i) add(list.items[i] & mask);
  const std::uint32_t before = list.missing_left ? n_missing : 0;
  for (std::uint32_t i = 0; i < list.n_valued; ++i) {
    const std::uint32_t item = list.items[i], n_left = i + before;
    if ((item & FlagLayout::flag) && i > 0 && n_left >= list.min_rows &&
        list.n - n_left >= list.min_rows)
      cut(i);
    add(item & mask);
  }
  if (list.stands_apart && n_missing > 0 && !list.missing_left && list.n_valued >= list.min_rows &&
      n_missing >= list.min_rows && list.n_valued > 0)
    cut(list.n_valued);
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The walk along the list of a column by which the log-rank family is searched: U and V of the rows
// on the left of each cut. It is compiled for several instruction sets; all sums are of whole
// numbers, so all give the same bits. Before it, one pass bounds the scores of blocks of cuts, so
// that few need the walk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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
  // Only cuts of so many rows with a value on the left are wanted.
  std::uint32_t from = 0, to = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t n_missing() const { return n - n_valued; }
  bool is_cut(std::uint32_t place) const {
    const std::uint32_t n_left = place + (missing_left ? n_missing() : 0);
    return place > 0 && n_left >= min_rows && n - n_left >= min_rows;
  }
  bool has_last_cut() const {
    return stands_apart && n_missing() > 0 && !missing_left && is_cut(n_valued);
  }
};

/// A cut: how many rows with a value are on its left, and their sums.
struct LogRankCut {
  Wide u;
  double v;
  std::uint32_t place;
};

/// Room for prefix sums over ranks, by levels; each thread has its own.
struct PrefixRoom {
  std::vector<std::uint32_t> weight, counts;
  std::vector<std::uint64_t> product;
  std::vector<Wide> wide;
};

/// The event times of a node in groups of about equal variance, for bounds. V is at least the sum
/// over the groups of their b times the weights at risk on both sides when the group ends.
struct TimeGroups {
  static constexpr int max = 64;

  std::vector<std::uint8_t> of_rank;  // how many groups end up to each rank
  int n = 0;
  float b[max] = {};        // in units of the squared steps of U
  float at_risk[max] = {};  // of the node, when the group ends

  void set(const LogRankNode& node, const std::vector<std::uint64_t>& units_at_risk);
};

/// Cuts between two places of a list, and what none of them scores more than.
struct CutRange {
  std::uint32_t begin, end;
  float bound;
};

struct SurvivalKernels {
  /// Writes the cuts of a column, whose room must hold one per row; returns how many there are.
  std::uint32_t (*walk)(const WalkedList&, const LogRankRow* rows,
                        const LogRankRank<std::uint64_t>* ranks, std::uint32_t n_times,
                        PrefixRoom& room, LogRankCut* cuts);
  /// Writes bounds of all cuts of a column; `u` is that of the node.
  void (*bound)(const WalkedList&, const LogRankRow* rows, const TimeGroups&, std::int64_t u,
                std::vector<CutRange>& ranges);
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
  if (list.missing_left)
    for (std::uint32_t i = list.n_valued; i < list.n; ++i) add(list.items[i] & mask);
  const std::uint32_t end = std::min(list.n_valued, list.to);
  for (std::uint32_t i = 0; i < end; ++i) {
    const std::uint32_t item = list.items[i];
    if ((item & FlagLayout::flag) && list.is_cut(i)) cut(i);
    add(item & mask);
  }
  if (list.has_last_cut() && list.to > list.n_valued) cut(list.n_valued);
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Some rows of all, and what they answer to a boosted tree that grows elsewhere.
#pragma once

#include <cstdint>
#include <span>

#include "boost/asked_boosted.hpp"
#include "boost/kernels.hpp"

namespace ramify {

/// The codes of rows, row after row, a byte per column.
struct BoostCodes {
  const std::uint8_t* codes = nullptr;
  std::size_t n_rows = 0, n_columns = 0;
};

/// Nodes as `BoostWays` has them, in anybody's memory.
struct WaysView {
  std::span<const std::uint32_t> column;
  std::span<const std::int32_t> first_child;
  std::span<const std::uint8_t> goes;
};

/// Sends rows on from the nodes that they have reached. A row that the tree is not grown on has the
/// complement of its node.
void send_down(const BoostCodes& rows, const WaysView& ways, std::span<std::int32_t> node_of_row);

/// What is counted, and where to.
struct BoostCount {
  std::span<const std::int32_t> slot_of_node;  // -1 of those that are not counted
  std::size_t n_slots;
  std::span<const Pair> pairs;  // of rows
  std::span<Pair> sums;         // [slot][column][code]
  std::span<std::uint32_t> counts;
  std::span<std::int64_t> n_rows;  // of nodes
  std::span<const double> weight;  // of rows; empty if every row weighs one
  double unit = 1;
  std::span<double> node_weight;  // in units
};

/// Adds the rows that a tree is grown on to sums.
void count_nodes(const BoostCodes& rows, std::span<const std::int32_t> node_of_row,
                 const BoostCount& count);

}  // namespace ramify

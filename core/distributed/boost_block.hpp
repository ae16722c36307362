// SPDX-License-Identifier: BSD-3-Clause
// A block of rows, and its responses to a boosted tree that grows elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boost/kernels.hpp"
#include "distributed/level_booster.hpp"

namespace ramify {

/// The codes of rows, row-major, a byte per column.
struct BoostCodes {
  const std::uint8_t* codes = nullptr;
  std::size_t n_rows = 0, n_columns = 0;
};

/// The nodes of a `BoostWays`, in anyone's memory.
struct WaysView {
  std::span<const std::uint32_t> column;
  std::span<const std::int32_t> first_child;
  std::span<const std::uint8_t> goes;
};

/// Rows sorted by the nodes that they have reached; first the sampled rows, on which the tree is
/// grown.
struct BoostOrder {
  std::span<std::uint32_t> rows;
  std::size_t n_sampled;
  std::span<std::int32_t> n_left;  // rows of each node that go left; -1 if not known yet
};

/// What is counted, and where to.
struct BoostCount {
  std::span<const std::int32_t> slot_of_node;  // -1 for nodes that are not counted
  std::span<const Pair> pairs;                 // of rows
  std::span<Pair> sums;                        // [slot][column][code]
  std::span<std::uint32_t> counts;
  std::span<std::int64_t> n_rows;  // of nodes
  std::span<const double> weight;  // of rows; empty if every row weighs one
  double unit = 1;
  std::span<double> node_weight;  // in units, of nodes without children
};

/// Adds the sampled rows to sums.
void count_nodes(const BoostCodes& codes, const WaysView& ways, const BoostOrder& order,
                 const BoostCount& count);

/// Adds the leaf values of a tree to the scores of all rows.
void add_values(const BoostCodes& codes, const WaysView& ways, const BoostOrder& order,
                std::span<const double> values, std::span<double> scores);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Some rows of a table whose columns all have narrow codes, as plain buffers: they can travel and
// lie in files. Which node a row is in is kept beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ramify {

struct Block {
  std::uint64_t first_row = 0;  // of all rows
  std::uint32_t n_rows = 0;
  std::size_t n_columns = 0;
  const std::uint8_t* codes = nullptr;     // row-major
  const std::uint32_t* classes = nullptr;  // by row
  const double* weight = nullptr;          // by row, in units; null if all rows weigh one
};

/// A node that was split: where its rows go, by their code in a column.
struct Route {
  int node = 0, column = 0, first_child = 0;
  std::vector<std::uint32_t> branch;  // of each code, "missing" the last
};

/// Moves the rows of nodes that were split to the children; routes are sorted by node.
void route(const Block& block, std::span<const Route> routes, std::span<std::int32_t> node_of_row);

/// Adds the rows of a block to the sums of their slots, [slot][cell][class] and behind the classes
/// of each cell the number of rows. A slot below zero is not counted. Clears nothing, so that sums
/// of blocks add up in any order.
void count(const Block& block, std::span<const std::int32_t> slot_of_row,
           std::span<const std::size_t> first_cell, std::size_t n_cells, std::size_t n_classes,
           std::span<std::int64_t> sums);

}  // namespace ramify

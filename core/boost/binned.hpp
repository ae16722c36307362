// SPDX-License-Identifier: BSD-3-Clause
// The codes of some rows of a table, row-major, one byte each.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "util/parallel.hpp"

namespace ramify {

/// Columns that are counted together.
struct ColumnBlock {
  std::uint32_t first;
  int width;
};

/// Columns of codes, without the rows.
struct BinnedColumns {
  const Table* table = nullptr;
  std::vector<ColumnBlock> blocks;
  std::vector<std::bitset<256>> occurs;  // codes of each column that some row has

  const Column& column(std::size_t j) const { return table->columns[j]; }
  std::size_t n_columns() const { return table->columns.size(); }
};

struct Binned : BinnedColumns {
  std::size_t n_rows = 0, stride = 0;
  std::vector<std::uint8_t> codes;  // codes[row * stride + column]
};

/// Divides columns into blocks of even widths.
std::vector<ColumnBlock> column_blocks(std::size_t n_columns);

/// Copies the codes of rows of a table, all of whose columns are low-cardinality.
Binned bin(const Table& table, std::span<const std::uint32_t> rows, Pool& pool);

}  // namespace ramify

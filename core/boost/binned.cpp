// SPDX-License-Identifier: BSD-3-Clause
#include "boost/binned.hpp"

#include <algorithm>

#include "boost/kernels.hpp"

namespace ramify {

std::vector<ColumnBlock> column_blocks(std::size_t n_columns) {
  std::vector<ColumnBlock> blocks;
  const std::size_t n_blocks = (n_columns + block_columns - 1) / block_columns;
  for (std::size_t b = 0, first = 0; b < n_blocks; ++b) {
    const std::size_t next = n_columns * (b + 1) / n_blocks;
    blocks.push_back({static_cast<std::uint32_t>(first), static_cast<int>(next - first)});
    first = next;
  }
  return blocks;
}

Binned bin(const Table& table, std::span<const std::uint32_t> rows, Pool& pool) {
  const std::size_t n_columns = table.columns.size();
  Binned binned;
  binned.table = &table;
  binned.n_rows = rows.size();
  binned.stride = n_columns;
  binned.blocks = column_blocks(n_columns);
  binned.codes.resize(binned.n_rows * binned.stride);
  constexpr std::size_t part = 4096;  // rows: their lines stay in the cache for all columns
  pool.run(static_cast<int>((binned.n_rows + part - 1) / part), [&](int i, int) {
    const std::size_t begin = static_cast<std::size_t>(i) * part;
    const std::size_t end = std::min(binned.n_rows, begin + part);
    for (std::size_t j = 0; j < binned.stride; ++j) {
      const auto& codes = std::get<std::vector<std::uint8_t>>(table.columns[j].codes);
      std::uint8_t* to = binned.codes.data() + j;
      for (std::size_t row = begin; row < end; ++row) to[row * binned.stride] = codes[rows[row]];
    }
  });
  binned.occurs.resize(n_columns);
  pool.run(static_cast<int>(n_columns), [&](int j, int) {
    std::uint8_t occurs[256] = {};
    const auto& codes = std::get<std::vector<std::uint8_t>>(table.columns[j].codes);
    for (const std::uint32_t row : rows) occurs[codes[row]] = 1;
    for (std::size_t code = 0; code < 256; ++code) binned.occurs[j].set(code, occurs[code]);
  });
  return binned;
}

}  // namespace ramify

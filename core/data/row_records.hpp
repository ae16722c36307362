// SPDX-License-Identifier: BSD-3-Clause
// Writes the cells of a table in row-major order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <variant>

#include "data/column.hpp"

namespace ramify {

/// Memory for records, padded with zeros: readers that load complete packs read beyond the last
/// record.
class RecordMemory {
 public:
  /// Bytes that may be read from the begin of the last record on.
  static constexpr std::size_t beyond = 192;

  void* reserve(std::size_t n_bytes) {
    words_.reset(new std::uint64_t[(n_bytes + beyond) / sizeof(std::uint64_t) + 1]);
    std::memset(reinterpret_cast<char*>(words_.get()) + n_bytes, 0, beyond);
    return words_.get();
  }

 private:
  std::unique_ptr<std::uint64_t[]> words_;
};

/// Writes cell_of(column, code) of all columns side by side, one record per row. It writes a
/// stretch of rows at a time, so that the records stay in the cache while column after column is
/// written; the stretch is longer if what cell_of looks up should stay there, too.
template <class Cell, class CellOf>
void write_records(std::span<const Column> columns, std::size_t n_rows, std::size_t stretch,
                   Cell* to, CellOf cell_of) {
  const std::size_t stride = columns.size();
  for (std::size_t first = 0; first < n_rows; first += stretch) {
    const std::size_t last = std::min(n_rows, first + stretch);
    for (std::size_t j = 0; j < stride; ++j)
      std::visit(
          [&](const auto& codes) {
            for (std::size_t row = first; row < last; ++row)
              to[row * stride + j] = static_cast<Cell>(cell_of(columns[j], codes[row]));
          },
          columns[j].codes);
  }
}

}  // namespace ramify

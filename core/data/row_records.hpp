// SPDX-License-Identifier: BSD-3-Clause
// Row-major copies of a table's codes and values: reading a few columns of scattered rows then
// touches one or two cache lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>

#include "data/code_records.hpp"
#include "data/column.hpp"

namespace ramify {

/// Cells of all columns side by side, one record per row, padded with zeros: readers that load
/// complete packs read beyond the last record.
class RecordMemory {
 public:
  /// Bytes that may be read from the begin of the last record on.
  static constexpr std::size_t beyond = 192;

  /// Calls write(memory) at the first call, once for all trees that grow on the table.
  template <class Write>
  void* make(std::size_t n_bytes, Write write) {
    std::call_once(is_made_, [&] {
      words_.reset(new std::uint64_t[(n_bytes + beyond) / sizeof(std::uint64_t) + 1]);
      std::memset(reinterpret_cast<char*>(words_.get()) + n_bytes, 0, beyond);
      write(words_.get());
    });
    return words_.get();
  }

 private:
  std::once_flag is_made_;
  std::unique_ptr<std::uint64_t[]> words_;
};

/// Both records of the columns of a table, which must be the same at every call.
class RowRecords {
 public:
  CodeRecords codes(std::span<const Column> columns, std::size_t n_rows);
  /// Values, for comparison with arbitrary thresholds: such cuts need neither codes nor an order.
  /// There are none if a column has categories, bins or missing values.
  ValueRecords values(std::span<const Column> columns, std::size_t n_rows);

 private:
  RecordMemory codes_, values_;
};

}  // namespace ramify

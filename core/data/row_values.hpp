// SPDX-License-Identifier: BSD-3-Clause
// A row-major copy of a table's values, for comparison with arbitrary thresholds: such cuts need
// neither codes nor an order.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

#include "data/row_records.hpp"

namespace ramify {

/// Values of all columns side by side, one record per row, in `width` bytes each.
struct ValueRecords {
  const void* values = nullptr;  // null if there are none: see RowValues
  std::size_t n_columns = 0;
  int width = 4;  // float; 8: double
};

/// Made on first use, once for all trees that grow on the table.
class RowValues {
 public:
  /// Returns the records of these columns, which must be the same at every call. There are none if
  /// a column has categories, bins or missing values.
  ValueRecords of(std::span<const Column> columns, std::size_t n_rows);

 private:
  void make(std::span<const Column> columns, std::size_t n_rows);

  std::once_flag is_made_;
  RecordMemory memory_;
  ValueRecords records_{};
};

}  // namespace ramify

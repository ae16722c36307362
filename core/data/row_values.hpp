// SPDX-License-Identifier: BSD-3-Clause
// The values of a table row by row, for who compares them with thresholds that are no values: such
// cuts need no codes and no order.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

#include "data/row_records.hpp"

namespace ramify {

/// Values of all columns side by side, one record per row, in `width` bytes each.
struct ValueRecords {
  const void* values = nullptr;  // there are none: see RowValues
  std::size_t n_columns = 0;
  int width = 4;  // float; 8: double
};

/// Made when they are first asked for, once for all trees that grow on the table.
class RowValues {
 public:
  /// The records of these columns, which must be the same at every call. None if a column has
  /// categories, bins or gaps, or if all columns have few codes: these serve better then.
  ValueRecords of(std::span<const Column> columns, std::size_t n_rows);

 private:
  void make(std::span<const Column> columns, std::size_t n_rows);

  std::once_flag is_made_;
  RecordMemory memory_;
  ValueRecords records_{};
};

}  // namespace ramify

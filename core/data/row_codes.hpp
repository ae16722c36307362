// SPDX-License-Identifier: BSD-3-Clause
// A row-major copy of a table's codes: reading a few columns of scattered rows then touches one or
// two cache lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "data/code_records.hpp"
#include "data/row_records.hpp"

namespace ramify {

/// Made on first use, once for all trees that grow on the table.
class RowCodes {
 public:
  /// Returns the records of these columns, which must be the same at every call.
  CodeRecords of(std::span<const Column> columns, std::size_t n_rows);

 private:
  void make(std::span<const Column> columns, std::size_t n_rows);

  std::once_flag is_made_;
  RecordMemory memory_;
  CodeRecords records_{};
};

}  // namespace ramify

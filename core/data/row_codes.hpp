// SPDX-License-Identifier: BSD-3-Clause
// The codes of a table once more, row by row: who reads a few columns of scattered rows finds them
// in one or two lines of the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "data/code_records.hpp"
#include "data/row_records.hpp"

namespace ramify {

/// Made when it is first asked for, once for all trees that grow on the table.
class RowCodes {
 public:
  /// The records of these columns, which must be the same at every call.
  CodeRecords of(std::span<const Column> columns, std::size_t n_rows);

 private:
  void make(std::span<const Column> columns, std::size_t n_rows);

  std::once_flag is_made_;
  RecordMemory memory_;
  CodeRecords records_{};
};

}  // namespace ramify

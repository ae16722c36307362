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

/// Codes of a column in up to 256 stretches, each of about as many codes: what a byte can say.
class Stretches {
 public:
  explicit Stretches(const Codebook& column)
      : share_(column.n_codes() <= 256 ? std::uint64_t{1} << 32
                                       : (std::uint64_t{256} << 32) / column.n_codes()) {}
  std::uint32_t of(std::uint32_t code) const {
    return static_cast<std::uint32_t>(code * share_ >> 32);
  }

 private:
  std::uint64_t share_;
};

/// Made when it is first asked for, once for all trees that grow on the table.
class RowCodes {
 public:
  /// Or the stretch of each code, in columns without gaps.
  explicit RowCodes(bool has_stretches = false) : has_stretches_(has_stretches) {}

  /// The records of these columns, which must be the same at every call.
  CodeRecords of(std::span<const Column> columns, std::size_t n_rows);

 private:
  void make(std::span<const Column> columns, std::size_t n_rows);

  const bool has_stretches_;
  std::once_flag is_made_;
  RecordMemory memory_;
  CodeRecords records_{};
};

}  // namespace ramify

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

/// Groups the codes of a column into up to 256 stretches with about as many codes each, so that a
/// stretch fits in a byte.
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

/// Made on first use, once for all trees that grow on the table.
class RowCodes {
 public:
  /// With `has_stretches`, holds the stretch of each code instead, for columns without missing
  /// values.
  explicit RowCodes(bool has_stretches = false) : has_stretches_(has_stretches) {}

  /// Returns the records of these columns, which must be the same at every call.
  CodeRecords of(std::span<const Column> columns, std::size_t n_rows);

 private:
  void make(std::span<const Column> columns, std::size_t n_rows);

  const bool has_stretches_;
  std::once_flag is_made_;
  RecordMemory memory_;
  CodeRecords records_{};
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The order of rows that encoding a column finds, kept for the one tree that builds its lists from
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "util/big_array.hpp"

namespace ramify {

/// The rows of columns in ascending order of value: rows of one code in ascending order, and rows
/// with a missing value last. The highest bit of an entry is set where a code begins.
class SortedRows {
 public:
  static constexpr std::uint32_t begins = 0x80000000u;

  SortedRows() = default;
  SortedRows(std::size_t n_rows, std::size_t n_columns)
      : n_rows_(n_rows),
        rows_(big_array<std::uint32_t>(n_rows * n_columns)),
        is_known_(n_columns) {}

  /// Memory for the rows of a column, or null if there is none.
  std::uint32_t* room(std::size_t column) const {
    return rows_ ? rows_.get() + column * n_rows_ : nullptr;
  }
  void note(std::size_t column) { is_known_[column] = 1; }
  bool knows(std::size_t column) const { return column < is_known_.size() && is_known_[column]; }
  /// The memory, [column][place], with space for columns whose order is not known; empty if there
  /// is none.
  BigArrayOf<std::uint32_t> take() { return std::move(rows_); }

 private:
  std::size_t n_rows_ = 0;
  BigArrayOf<std::uint32_t> rows_;
  std::vector<std::uint8_t> is_known_;
};

/// Hands the order to the first caller.
class KeptOrder {
 public:
  void keep(SortedRows rows) { rows_ = std::move(rows); }
  SortedRows take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(rows_, {});
  }

 private:
  std::mutex mutex_;
  SortedRows rows_;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Layouts of the training rows. Every node is one segment of some arrays: lists of items sorted by
// code, one per high-cardinality column; records of bytes, one per row; or row indices into the
// row-major codes of a table. Nothing here knows a criterion or a cut. This header has the small
// types that these arrays hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramify {

/// A list item: the code of a row in some column, the row's class, how often the row counts, and
/// the row itself, from high to low bits. A scan needs only one read per row.
struct ItemLayout {
  int row_bits = 0;
  int times_bits = 0;  // 0: every row counts once, or by a weight stored elsewhere
  int class_bits = 0;

  std::uint32_t row(std::uint64_t item) const {
    return static_cast<std::uint32_t>(item & ((std::uint64_t{1} << row_bits) - 1));
  }
  std::uint32_t label(std::uint64_t item) const {
    return static_cast<std::uint32_t>(item >> (row_bits + times_bits) &
                                      ((std::uint64_t{1} << class_bits) - 1));
  }
  std::uint32_t times(std::uint64_t item) const {
    return static_cast<std::uint32_t>(item >> row_bits & ((std::uint64_t{1} << times_bits) - 1));
  }
  /// Returns how often a row counts.
  std::uint32_t often(std::uint64_t item) const { return times(item) + (times_bits == 0); }
  int code_shift() const { return row_bits + times_bits + class_bits; }
  std::uint32_t code(std::uint64_t item) const {
    return static_cast<std::uint32_t>(item >> code_shift());
  }
  std::uint64_t make(std::uint32_t code, std::uint32_t label, std::uint32_t row,
                     std::uint32_t times = 0) const {
    return std::uint64_t{code} << code_shift() | std::uint64_t{label} << (row_bits + times_bits) |
           std::uint64_t{times} << row_bits | row;
  }
};

/// An item without its code. The highest bit is set if its code differs from that of the previous
/// item; then follow class and row, from high to low bits.
struct FlagLayout {
  int row_bits = 0, class_bits = 0;

  static constexpr std::uint32_t flag = 1u << 31;
  std::uint32_t row_mask() const { return (1u << row_bits) - 1; }
  std::uint32_t class_mask() const { return ((1u << class_bits) - 1) << row_bits; }
  std::uint32_t row(std::uint32_t item) const { return item & row_mask(); }
  std::uint32_t label(std::uint32_t item) const { return (item & class_mask()) >> row_bits; }
};

/// Rows of a node with their one-byte codes side by side.
struct RecordView {
  const std::uint8_t* codes;
  std::int64_t stride;
  const std::uint32_t* rows;
  const std::uint32_t* labels;
  std::uint32_t n;
};

/// Which children of a node will be split again: the rows of the others need not be kept in order.
enum class Keep { both, left, right };

/// A row of a node that searches few columns: the bits of its keys below the code, and the row.
struct RowIndex {
  std::uint32_t low, row;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Columns that lie side by side in a row-major matrix, copied so that each is of one piece: to read
// them one by one would bring every line of memory into the cache once per column.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "data/column.hpp"
#include "util/big_array.hpp"

namespace ramify {

class RawBlock {
 public:
  static constexpr std::size_t most_columns = 8;

  /// How many of these columns, from the first on, a block can hold; at least one. Of long
  /// columns of eight bytes four, half a line of the cache: read twice, but half the memory.
  static std::size_t n_together(std::span<const RawColumn> raw, std::size_t most) {
    constexpr std::uint32_t many_rows = 1 << 20;
    const bool is_long = raw[0].n_rows >= many_rows && width_of(raw[0]) == 8;
    most = std::min({raw.size(), most, is_long ? most_columns / 2 : most_columns});
    std::size_t n = 1;
    while (n < most && follows(raw[n - 1], raw[n])) ++n;
    return n;
  }

  /// `room`, if there is some, has space for four bytes per row of each column, one after the
  /// other.
  explicit RawBlock(std::span<const RawColumn> raw, std::uint32_t* room = nullptr);
  const RawColumn& operator[](std::size_t i) const { return columns_[i]; }
  /// Gives the copy of a column back, which nobody reads any more.
  void release(std::size_t i) {
    if (!numbers_.empty()) numbers_[i].reset();
  }

 private:
  /// Of a number, if it may be copied; else 0.
  static std::ptrdiff_t width_of(const RawColumn& raw) {
    using Type = RawColumn::Type;
    if (raw.type == Type::f32 || raw.type == Type::i32 || raw.type == Type::u32) return 4;
    return raw.type == Type::f64 || raw.type == Type::i64 || raw.type == Type::u64 ? 8 : 0;
  }
  static bool follows(const RawColumn& a, const RawColumn& b) {
    const std::ptrdiff_t width = width_of(a);
    return width > 0 && a.type == b.type && a.stride == b.stride && a.stride != width &&
           a.n_rows == b.n_rows &&
           static_cast<const char*>(b.data) == static_cast<const char*>(a.data) + width;
  }

  template <class Word>
  void copy(Word* room);

  std::vector<RawColumn> columns_;
  std::unique_ptr<std::uint64_t[]> together_;       // of all columns, if these are copied;
  std::vector<BigArrayOf<std::uint64_t>> numbers_;  // or of each
};

}  // namespace ramify

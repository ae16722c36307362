// SPDX-License-Identifier: BSD-3-Clause
// Copies adjacent columns of a row-major matrix so that each is contiguous: reading them one by one
// would load every cache line once per column.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data/column.hpp"
#include "util/big_array.hpp"

namespace ramify {

class RawBlock {
 public:
  static constexpr std::size_t max_columns = 8;

  /// The first column of each block that all columns make: as many blocks for every thread.
  static std::vector<std::size_t> begins(std::span<const RawColumn> raw, int n_threads);

  /// `room`, if not null, has space for four bytes per row of each column, one after the other.
  explicit RawBlock(std::span<const RawColumn> raw, std::uint32_t* room = nullptr);
  const RawColumn& operator[](std::size_t i) const { return columns_[i]; }
  /// Frees the copy of a column that is not read any more.
  void release(std::size_t i) {
    if (!copies_.empty()) copies_[i].reset();
  }

 private:
  static std::size_t n_together(std::span<const RawColumn> raw, std::size_t max);
  /// Width of a value in bytes if the column can be copied, else 0.
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
  std::unique_ptr<std::uint64_t[]> together_;      // the copies of all columns,
  std::vector<BigArrayOf<std::uint64_t>> copies_;  // or of each column
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Cache-local copies of a node's records: scattered rows of a large table would wait for memory
// again in every node below.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include "simd/prefetch.hpp"

namespace ramify {

/// Padding behind the last record: packs are read beyond it.
inline constexpr std::size_t room_behind_records = 128;

/// Copies the records of n rows, row_of(i) for i from 0, side by side; returns where they end.
/// Records may have any length; the compiler knows the size of the chunks they are copied in, and
/// chunks may be read and written beyond the last record.
template <class RowOf>
char* copy_records(const void* from, std::size_t n_bytes, std::size_t n, RowOf row_of, char* to) {
  constexpr std::size_t chunk = 16, n_ahead = 32, line = 64;
  const auto* const source = static_cast<const char*>(from);
  for (std::size_t i = 0; i < n; ++i, to += n_bytes) {
    const char* const ahead = source + row_of(std::min(i + n_ahead, n - 1)) * n_bytes;
    for (std::size_t at = 0; at < n_bytes; at += line) prefetch(ahead + at);
    const char* const record = source + row_of(i) * n_bytes;
    for (std::size_t at = 0; at < n_bytes; at += chunk) std::memcpy(to + at, record + at, chunk);
  }
  return to;
}

/// Records of a few bytes each, copied when a node fits in the second-level cache, and again when
/// it fits in the first. Growth is depth-first: the subtree of one node is finished before the next
/// node is copied.
class CacheLocalRows {
 public:
  static constexpr int n_levels = 2;

  /// `n_bytes`: size of a record; `n_rows`: rows of the table.
  CacheLocalRows(std::size_t n_bytes, std::size_t n_rows) : n_bytes_(n_bytes) {
    constexpr std::array<std::size_t, n_levels> room{std::size_t{1} << 19, std::size_t{1} << 14};
    std::size_t n_before = n_rows;
    for (std::size_t level = 0; level < n_levels; ++level) {
      const std::size_t n = room[level] / n_bytes;
      max_[level] = 2 * n <= n_before ? n : 0;  // else it would not pay
      if (max_[level] > 0) n_before = max_[level];
    }
  }

  /// Returns the level of copies for a node of this size; 0: none.
  int wanted(std::size_t n_rows) const {
    for (int level = n_levels; level > 0; --level)
      if (n_rows <= max_[static_cast<std::size_t>(level - 1)]) return level;
    return 0;
  }

  /// Copies the records of n rows, row_of(i) for i from 0, to a level; returns the copies. There,
  /// row i is the i-th.
  template <class RowOf>
  const void* copy(int level, const void* from, std::size_t n, RowOf row_of) {
    auto& room = room_[static_cast<std::size_t>(level - 1)];
    if (!room)
      room.reset(
          new char[max_[static_cast<std::size_t>(level - 1)] * n_bytes_ + room_behind_records]);
    char* const end = copy_records(from, n_bytes_, n, row_of, room.get());
    std::memset(end, 0, room_behind_records);
    return room.get();
  }
  /// The copies at a level.
  const void* at(int level) const { return room_[static_cast<std::size_t>(level - 1)].get(); }

 private:
  std::size_t n_bytes_;
  std::array<std::size_t, n_levels> max_;  // rows that each level holds
  std::array<std::unique_ptr<char[]>, n_levels> room_;
};

}  // namespace ramify

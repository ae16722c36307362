// SPDX-License-Identifier: BSD-3-Clause
// A column as the engine sees it: ordered codes, and what each code stands for.
#pragma once

#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

namespace ramify {

/// Ordered codes of one column, of the smallest width that holds them.
using Codes =
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

/// The values of a column are replaced by 0, 1, 2 ... in ascending order; the code after the last
/// stands for "missing". With one code per distinct value `lower` and `upper` are the same number;
/// a bin has a range.
struct Column {
  Codes codes;                       // one per row
  std::vector<std::uint32_t> order;  // rows by code, missing last; only for wide columns
  std::vector<double> lower, upper;  // smallest and largest value of each code
  std::uint32_t n_missing = 0;

  std::uint32_t n_codes() const { return static_cast<std::uint32_t>(lower.size()); }
  /// Narrow columns are counted into small histograms, wide ones are kept as sorted lists.
  bool is_narrow() const { return n_codes() < 256; }

  /// The threshold that parts code a from the next higher code b that occurs.
  double midpoint(std::uint32_t a, std::uint32_t b) const {
    if (b >= n_codes())
      return std::numeric_limits<double>::infinity();  // all values against the missing ones
    const double low = upper[a], high = lower[b];
    double middle = low / 2 + high / 2;  // each half first: the difference may overflow
    if (high - low <= std::numeric_limits<double>::max()) middle = low + (high - low) / 2;
    return middle < high ? middle : low;
  }
};

/// Column-wise or row-wise numbers as they lie in memory.
struct RawColumn {
  enum class Type { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };
  const void* data;
  std::int64_t stride;  // in bytes, from row to row
  std::uint32_t n_rows;
  Type type;
};

/// Why a column cannot be encoded: row and value of the first infinite number.
struct InfiniteValue {
  std::uint32_t row;
  double value;
};

/// Learns the codes of a column. `max_codes` = 0 keeps every distinct value, else quantile bins.
/// Throws InfiniteValue.
Column encode(const RawColumn& raw, std::uint32_t max_codes);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// A column as the core sees it: ordered codes, and what each code stands for.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "simd/prefetch.hpp"

namespace ramify {

namespace encoding {
struct SortRoom;  // data/sorted_column.hpp
}

/// Ordered codes of one column, in the smallest integer type that holds them.
using Codes =
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

/// Ascending values; stored as float32, in half the space, if that holds them all exactly.
class Values {
 public:
  Values() = default;
  explicit Values(std::vector<float> numbers) : floats_(std::move(numbers)) {}
  explicit Values(std::vector<double> numbers) {
    for (const double x : numbers)
      if (static_cast<double>(static_cast<float>(x)) != x) {
        doubles_ = std::move(numbers);
        return;
      }
    floats_.assign(numbers.begin(), numbers.end());
  }
  std::size_t size() const { return floats_.empty() ? doubles_.size() : floats_.size(); }
  double operator[](std::size_t i) const { return floats_.empty() ? doubles_[i] : floats_[i]; }
  /// Loads all values into the cache, in memory order; returns a sum so that the reads are not
  /// optimised away.
  double touch() const {
    double sum = 0;
    for (std::size_t i = 0; i < size(); i += 8) sum += (*this)[i];
    return sum;
  }
  /// Prefetches a value that is read soon.
  void prefetch_at(std::size_t i) const {
    floats_.empty() ? prefetch(doubles_.data() + i) : prefetch(floats_.data() + i);
  }
  /// Whether float32 holds all values exactly.
  bool are_floats() const { return doubles_.empty(); }
  std::size_t n_bytes() const {
    return floats_.size() * sizeof(float) + doubles_.size() * sizeof(double);
  }

 private:
  std::vector<float> floats_;
  std::vector<double> doubles_;
};

/// What the codes of a column stand for, without the rows. The values of a column are replaced by
/// 0, 1, 2 ... in ascending order; the code after the last stands for "missing". A code stands for
/// one distinct value, for a bin of values, or for a category, whose order means nothing.
struct Codebook {
  Values lowest;   // value of each code; empty if they are categories
  Values highest;  // of each bin; empty if every code stands for one value
  std::uint32_t n_categories = 0;
  bool is_categorical = false;

  std::uint32_t n_codes() const {
    return is_categorical ? n_categories : static_cast<std::uint32_t>(lowest.size());
  }
  /// Low-cardinality columns are counted into small histograms, high-cardinality ones are kept as
  /// sorted lists.
  bool is_low_cardinality() const { return n_codes() < 256; }

  double lower(std::uint32_t code) const { return lowest[code]; }
  double upper(std::uint32_t code) const {
    return highest.size() > 0 ? highest[code] : lowest[code];
  }

  /// Returns the last of the codes first .. last whose lowest value is at most x; the first one's
  /// is.
  std::uint32_t last_up_to(double x, std::uint32_t first, std::uint32_t last) const {
    while (first < last) {
      const std::uint32_t middle = last - (last - first) / 2;
      if (lower(middle) <= x)
        first = middle;
      else
        last = middle - 1;
    }
    return first;
  }

  /// Returns the threshold between code a and the next higher code b that occurs.
  double midpoint(std::uint32_t a, std::uint32_t b) const {
    if (b >= n_codes())
      return std::numeric_limits<double>::infinity();  // all values against the missing ones
    const double low = upper(a), high = lower(b);
    double middle = low / 2 + high / 2;  // each half first: the difference may overflow
    if (high - low <= std::numeric_limits<double>::max()) middle = low + (high - low) / 2;
    return middle < high ? middle : low;
  }
};

/// A codebook and the codes of all rows.
struct Column : Codebook {
  Codes codes;  // one per row
  std::uint32_t n_missing = 0;
};

/// Column-major or row-major values in the caller's memory.
struct RawColumn {
  enum class Type { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };
  const void* data;
  std::int64_t stride;  // in bytes, from row to row
  std::uint32_t n_rows;
  Type type;
};

/// Why a column cannot be encoded: row and value of the first infinite value.
struct InfiniteValue {
  std::uint32_t row;
  double value;
};

/// Learns the codes of a column. `max_codes` = 0 keeps every distinct value, else makes quantile
/// bins. Throws InfiniteValue. Calls `pause` every few milliseconds, which may throw to interrupt.
/// `order`, if not null, is memory for the sorted rows (see SortedRows); it may overlap the values
/// of the column. It is filled if the column is not low-cardinality. `room` is scratch memory that
/// may be reused.
Column encode(const RawColumn& raw, std::uint32_t max_codes, const std::function<void()>& pause,
              encoding::SortRoom& room, std::uint32_t* order = nullptr);

/// The lowest value of each code that `encode` would learn from these values, none of them missing.
std::vector<double> learn_bins(std::vector<double> values, std::uint32_t max_codes);

/// Encodes with known codes: x gets the code of the last of `lowest` that is at most x, or the
/// first code. The codebook records the smallest and the largest value that the rows have within
/// each code; for a code without rows both are its `lowest`. Throws InfiniteValue.
Column encode_with(const RawColumn& raw, std::span<const double> lowest);

/// Encodes categories that are numbered already, -1 for missing. Throws std::invalid_argument if a
/// number is out of range.
Column encode_categories(std::span<const std::int32_t> numbers, std::uint32_t n_categories);

}  // namespace ramify

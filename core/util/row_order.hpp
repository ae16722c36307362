// SPDX-License-Identifier: BSD-3-Clause
// Sorts rows by a value.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace ramify {

/// Sorts rows by value, then by index. Keeps its memory for the next call.
class RowOrder {
 public:
  /// Returns the row indices in ascending order of their values, which must be finite. Valid until
  /// the next call.
  std::span<const std::uint32_t> sort(std::span<const double> value) {
    const std::size_t n = value.size();
    row_.resize(n);
    if (n == 0) return row_;
    const auto [low, high] = std::ranges::minmax(value);
    // The position between lowest and highest as a 32-bit integer, with the row index in the lower
    // half: integers sort fast. Rounding never reverses an order, it only makes neighbours equal.
    const double scale = 4294967295.0 / (high - low);
    const bool has_scale = scale > 0 && scale < std::numeric_limits<double>::infinity();
    item_.resize(n);
    for (std::size_t row = 0; row < n; ++row) {
      const auto place =
          has_scale ? static_cast<std::uint64_t>((value[row] - low) * scale) : std::uint64_t{0};
      item_[row] = place << 32 | row;
    }
    if (n < few)
      std::ranges::sort(item_);
    else if (n < many)
      sort_by_digits<8, 4>();
    else
      sort_by_digits<11, 3>();
    for (std::size_t i = 0; i < n; ++i) row_[i] = static_cast<std::uint32_t>(item_[i]);
    settle_equal_places(value);
    return row_;
  }

 private:
  static constexpr std::size_t few = 64;     // below this a comparison sort is as fast
  static constexpr std::size_t many = 2048;  // from here on larger digits pay off

  /// Radix sort from the last digit on. Each pass is stable, and the first keeps the order of the
  /// rows.
  template <int n_bits, int n_digits>
  void sort_by_digits() {
    constexpr std::size_t n_buckets = std::size_t{1} << n_bits;
    const auto digit_of = [](std::uint64_t item, int digit) {
      return item >> (32 + digit * n_bits) & (n_buckets - 1);
    };
    spare_.resize(item_.size());
    std::array<std::array<std::uint32_t, n_buckets>, n_digits> first{};
    for (const std::uint64_t item : item_)
      for (int digit = 0; digit < n_digits; ++digit) ++first[digit][digit_of(item, digit)];
    for (int digit = 0; digit < n_digits; ++digit) {
      std::uint32_t before = 0;
      for (std::uint32_t& at : first[digit]) before += std::exchange(at, before);
      for (const std::uint64_t item : item_) spare_[first[digit][digit_of(item, digit)]++] = item;
      item_.swap(spare_);
    }
  }

  /// Rows at the same 32-bit position may still differ in value.
  void settle_equal_places(std::span<const double> value) {
    const std::size_t n = item_.size();
    for (std::size_t begin = 0, end; begin < n; begin = end) {
      bool is_sorted = true;
      for (end = begin + 1; end < n && item_[end] >> 32 == item_[begin] >> 32; ++end)
        is_sorted = is_sorted && value[row_[end - 1]] <= value[row_[end]];
      if (is_sorted) continue;
      std::sort(row_.begin() + begin, row_.begin() + end, [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(value[a], a) < std::pair(value[b], b);
      });
    }
  }

  std::vector<std::uint64_t> item_, spare_;
  std::vector<std::uint32_t> row_;
};

}  // namespace ramify

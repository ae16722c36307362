// SPDX-License-Identifier: BSD-3-Clause
// Encodes columns of small integers (counts, pixels, levels), which need no sort.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/sorted_column.hpp"
#include "simd/clones.hpp"
#include "util/exact_sum.hpp"

namespace ramify::encoding {

/// Integers from `low` to `high`, and how many are missing.
struct IntegerRange {
  std::int32_t low, high, n_missing;
};

/// Converts values to integers, a missing one to `missing`, and finds their range. Returns whether
/// all others are small integers. No branches, and everything but the result is as wide as a
/// double, so that the compiler vectorises it.
RAMIFY_CLONES static bool round_all(const double* from, std::size_t n, std::int32_t limit,
                                    std::int32_t missing, std::int32_t* numbers,
                                    IntegerRange& range) {
  std::int64_t other = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = from[i], whole = nearest_integer(std::abs(x) <= limit ? x : 0);
    other |= (x == x) & (whole != x) ? -1 : 0;
    numbers[i] = static_cast<std::int32_t>(x == x ? whole : missing);
  }
  std::int32_t low = range.low, high = range.high, n_missing = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t number = numbers[i], valued = number == missing ? -limit : number;
    low = number < low ? number : low;
    high = valued > high ? valued : high;
    n_missing += number == missing;
  }
  range = {low, high, range.n_missing + n_missing};
  return other == 0;
}

/// Reads the values of a column if they are small integers and not all missing; a missing one
/// becomes `missing`. It reads a stretch at a time, so that it leaves other columns at once.
inline bool read_small_integers(const RawColumn& raw, int limit, int missing, const Pause& pause,
                                std::vector<std::int32_t>& numbers, IntegerRange& range) {
  constexpr std::size_t stretch = 256;
  double values[stretch];
  range = {missing, -limit, 0};
  for (std::size_t first = 0; first < numbers.size(); first += stretch) {
    if (pause && first % 65'536 == 0) pause();
    const std::size_t n = std::min(numbers.size() - first, stretch);
    read_some(raw, first, n, values);
    if (!round_all(values, n, limit, missing, numbers.data() + first, range)) return false;
  }
  return range.low != missing;
}

/// How far each value is above the lowest, in a byte; missing values come right after the highest.
RAMIFY_CLONES static void shift_all(const std::int32_t* numbers, std::size_t n,
                                    const IntegerRange& range, std::uint8_t* shifted) {
  const std::int32_t low = range.low, behind = range.high + 1;
  for (std::size_t i = 0; i < n; ++i)
    shifted[i] = static_cast<std::uint8_t>((numbers[i] < behind ? numbers[i] : behind) - low);
}

/// Encodes a column of small integers without a sort: one pass finds which values occur.
inline bool encode_small_integers(const RawColumn& raw, Column& column, const Pause& pause) {
  constexpr int limit = 1 << 15, missing = limit + 1;
  std::vector<std::int32_t> numbers(raw.n_rows);
  IntegerRange range{};
  if (!read_small_integers(raw, limit, missing, pause, numbers, range)) return false;
  const auto [low, high, n_missing] = range;
  const std::size_t n_numbers = static_cast<std::size_t>(high - low) + 1;
  std::vector<std::uint8_t> codes(raw.n_rows);
  const bool fits_byte = n_numbers < 256;
  if (fits_byte) shift_all(numbers.data(), numbers.size(), range, codes.data());
  const auto place = [&, behind = high + 1, first = low](std::size_t row) {
    return static_cast<std::size_t>(std::min(numbers[row], behind) - first);
  };
  std::vector<std::uint8_t> occurs(n_numbers + 1);
  if (fits_byte)
    for (const std::uint8_t shifted : codes) occurs[shifted] = 1;
  else
    for (std::size_t row = 0; row < numbers.size(); ++row) occurs[place(row)] = 1;
  std::vector<double> values;
  std::vector<std::uint8_t> code_of(n_numbers + 1);
  for (std::size_t i = 0; i < n_numbers; ++i) {
    code_of[i] = static_cast<std::uint8_t>(values.size());
    if (occurs[i]) values.push_back(low + static_cast<int>(i));
  }
  if (values.size() > 255) return false;
  code_of.back() = static_cast<std::uint8_t>(values.size());
  if (!fits_byte)
    for (std::size_t row = 0; row < codes.size(); ++row) codes[row] = code_of[place(row)];
  else if (values.size() < n_numbers)
    for (std::uint8_t& code : codes) code = code_of[code];
  column.n_missing = static_cast<std::uint32_t>(n_missing);
  column.codes = std::move(codes);
  column.lowest = Values(std::move(values));
  return true;
}

}  // namespace ramify::encoding

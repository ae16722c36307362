// SPDX-License-Identifier: BSD-3-Clause
// Columns of small whole numbers (counts, pixels, levels), which need no sort.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/sorted_column.hpp"
#include "util/clones.hpp"
#include "util/exact_sum.hpp"

namespace ramify::encoding {

/// Some numbers as integers, a missing one as `missing`. Are the others small and whole? Without
/// branches, and all but the result as wide as a double: so it becomes vector code.
RAMIFY_CLONES static bool round_all(const double* from, std::size_t n, double limit, double missing,
                                    std::int32_t* numbers) {
  std::int64_t other = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = from[i], whole = nearest_whole(std::abs(x) <= limit ? x : 0);
    other |= (x == x) & (whole != x) ? -1 : 0;
    numbers[i] = static_cast<std::int32_t>(x == x ? whole : missing);
  }
  return other == 0;
}

/// The numbers of a column, if they are small and whole and there are some; a missing one is
/// `missing`. A stretch is read at a time, so that columns of other numbers are left at once.
inline bool read_small_integers(const RawColumn& raw, int limit, int missing, const Pause& pause,
                                std::vector<std::int32_t>& numbers) {
  constexpr std::size_t stretch = 256;
  double values[stretch];
  std::int32_t any = missing;
  for (std::size_t first = 0; first < numbers.size(); first += stretch) {
    if (pause && first % 65'536 == 0) pause();
    const std::size_t n = std::min(numbers.size() - first, stretch);
    read_some(raw, first, n, values);
    std::int32_t* own = numbers.data() + first;
    if (!round_all(values, n, limit, missing, own)) return false;
    for (std::size_t i = 0; i < n; ++i) any = std::min(any, own[i]);
  }
  return any != missing;
}

/// Columns of small whole numbers (counts, pixels, levels) need no sort: one pass finds which
/// occur.
inline bool encode_small_integers(const RawColumn& raw, Column& column, const Pause& pause) {
  constexpr int limit = 1 << 15, missing = limit + 1;
  std::vector<std::int32_t> numbers(raw.n_rows);
  if (!read_small_integers(raw, limit, missing, pause, numbers)) return false;
  std::int32_t low = limit, high = -limit, n_missing = 0;
  for (const std::int32_t number : numbers) {
    low = std::min(low, number);
    high = std::max(high, number == missing ? -limit : number);
    n_missing += number == missing;
  }
  for (std::int32_t& number : numbers)
    number = std::min(number, high + 1) - low;  // missing rows right behind the highest number
  std::vector<std::int32_t> code_of(static_cast<std::size_t>(high - low) + 2, -1);
  for (const std::int32_t number : numbers) code_of[static_cast<std::size_t>(number)] = 0;
  std::vector<double> values;
  for (int number = low; number <= high; ++number)
    if (std::int32_t& code = code_of[static_cast<std::size_t>(number - low)]; code == 0) {
      code = static_cast<std::int32_t>(values.size());
      values.push_back(number);
    }
  if (values.size() > 255) return false;
  column.n_missing = static_cast<std::uint32_t>(n_missing);
  code_of.back() = static_cast<std::int32_t>(values.size());
  std::vector<std::uint8_t> codes(raw.n_rows);
  for (std::uint32_t row = 0; row < raw.n_rows; ++row)
    codes[row] = static_cast<std::uint8_t>(code_of[static_cast<std::size_t>(numbers[row])]);
  column.codes = std::move(codes);
  column.lowest = Values(std::move(values));
  return true;
}

}  // namespace ramify::encoding

// SPDX-License-Identifier: BSD-3-Clause
// Columns of small whole numbers (counts, pixels, levels), which need no sort.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/sorted_column.hpp"

namespace ramify::encoding {

/// The numbers of a column, if they are small and whole and there are some; a missing one is
/// `missing`. A stretch is read at a time, so that columns of other numbers are left at once.
template <class Read>
bool read_small_integers(Read read_row, int limit, int missing, const Pause& pause,
                         std::vector<std::int32_t>& numbers) {
  constexpr std::size_t stretch = 64;
  std::int32_t any = missing;
  for (std::size_t first = 0; first < numbers.size(); first += stretch) {
    if (pause && first % 65'536 == 0) pause();
    const std::size_t last = std::min(numbers.size(), first + stretch);
    int other = 0;
    for (std::size_t row = first; row < last; ++row) {  // without branches: it becomes vector code
      const double x = read_row(row);
      const bool is_small = std::abs(x) <= limit;
      const auto number = static_cast<std::int32_t>(is_small ? x : 0);
      other |= (x == x) & !(is_small & (number == x));
      numbers[row] = x == x ? number : missing;
    }
    if (other) return false;
    for (std::size_t row = first; row < last; ++row) any = std::min(any, numbers[row]);
  }
  return any != missing;
}

/// The same of numbers as they lie, or side by side.
template <class T>
bool read_small_integers(const RawColumn& raw, int limit, int missing, const Pause& pause,
                         std::vector<std::int32_t>& numbers) {
  if (raw.stride == sizeof(T)) {
    const auto* all = static_cast<const char*>(raw.data);
    const auto read_row = [all](std::size_t row) {
      T x;
      std::memcpy(&x, all + row * sizeof(T), sizeof(T));
      return static_cast<double>(x);
    };
    return read_small_integers(read_row, limit, missing, pause, numbers);
  }
  const auto read_row = [&raw](std::size_t row) {
    return read<T>(raw, static_cast<std::uint32_t>(row));
  };
  return read_small_integers(read_row, limit, missing, pause, numbers);
}

/// Columns of small whole numbers (counts, pixels, levels) need no sort: one pass finds which
/// occur.
template <class T>
bool encode_small_integers(const RawColumn& raw, Column& column, const Pause& pause) {
  constexpr int limit = 1 << 15, missing = limit + 1;
  std::vector<std::int32_t> numbers(raw.n_rows);
  if (!read_small_integers<T>(raw, limit, missing, pause, numbers)) return false;
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

// SPDX-License-Identifier: BSD-3-Clause
// Values → ordered codes: sort once by radix, then number the distinct values.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "data/column.hpp"
#include "data/raw.hpp"
#include "util/stop.hpp"

namespace ramify {
namespace {

using Pause = std::function<void()>;

/// A value and where it came from. Values are compared by `key`, an integer in the order of the
/// numbers.
struct Item {
  std::uint32_t key;
  std::uint32_t row;
};

std::uint32_t ordered_key(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x + 0.0f);  // -0 and 0 are one value
  return bits ^ ((0u - (bits >> 31)) | 0x80000000u);         // no branch: signs come in any order
}
float value_of(std::uint32_t key) {
  return std::bit_cast<float>(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}
std::uint64_t ordered_key(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
  return bits >> 63 ? ~bits : bits | 0x8000000000000000u;
}

/// Stable sort by key, eleven bits at a time; digits that all items share are skipped.
void radix_sort(std::vector<Item>& items, std::vector<Item>& spare, const Pause& pause) {
  constexpr int bits = 11, buckets = 1 << bits, passes = 3;
  const std::size_t n = items.size();
  if (n < 256) {  // clearing 3 x 2048 counters would cost more
    std::stable_sort(items.begin(), items.end(), [](Item a, Item b) { return a.key < b.key; });
    return;
  }
  // The highest digit has few values: raised in turns, its counters do not wait for each other.
  std::vector<std::uint32_t> counts((passes + 1) * buckets);
  in_parts(n, pause, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* count = counts.data();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t key = items[i].key;
      ++count[key & (buckets - 1)];
      ++count[buckets + (key >> bits & (buckets - 1))];
      ++count[(2 + i % 2) * buckets + (key >> 2 * bits)];
    }
  });
  for (int b = 0; b < buckets; ++b) counts[2 * buckets + b] += counts[3 * buckets + b];
  spare.resize(n);
  for (int pass = 0; pass < passes; ++pass) {
    std::uint32_t* count = counts.data() + pass * buckets;
    const int shift = pass * bits;
    if (count[items[0].key >> shift & (buckets - 1)] == n) continue;
    std::uint32_t start = 0;
    for (int b = 0; b < buckets; ++b) start += std::exchange(count[b], start);
    in_parts(n, pause, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        spare[count[items[i].key >> shift & (buckets - 1)]++] = items[i];
    });
    items.swap(spare);
  }
}

/// Rows in ascending order of their keys; rows without a value apart.
struct SortedKeys {
  std::vector<Item> items;
  std::vector<std::uint32_t> missing;
  bool fits_float = true;  // the keys are those of the values, else of their upper halves
};

template <class T>
SortedKeys sort_keys(const RawColumn& raw, const Pause& pause) {
  SortedKeys sorted;
  std::vector<Item>& items = sorted.items;
  std::vector<Item> spare;
  items.reserve(raw.n_rows);
  constexpr bool exact_in_float = sizeof(T) < 4 || std::is_same_v<T, float>;
  bool& fits_float = sorted.fits_float;
  in_parts(raw.n_rows, pause, [&](std::size_t first, std::size_t last) {
    for (auto row = static_cast<std::uint32_t>(first); row < last; ++row) {
      const double x = read<T>(raw, row);
      if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(x)) {
          sorted.missing.push_back(row);
          continue;
        }
        if (std::isinf(x)) throw InfiniteValue{row, x};
      }
      const float rounded = static_cast<float>(x);
      if constexpr (!exact_in_float) fits_float = fits_float && static_cast<double>(rounded) == x;
      items.push_back({ordered_key(rounded), row});
    }
  });
  if (!fits_float)  // the upper half of the double's key first; ties are settled below
    in_parts(items.size(), pause, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        items[i].key = static_cast<std::uint32_t>(ordered_key(read<T>(raw, items[i].row)) >> 32);
    });
  radix_sort(items, spare, pause);
  return sorted;
}

/// Rows in ascending order of value; rows without a value apart.
struct Sorted {
  std::vector<std::uint32_t> rows;
  std::vector<double> values;
  std::vector<std::uint32_t> missing;
};

template <class T>
Sorted sort_values(const RawColumn& raw, SortedKeys keys, const Pause& pause) {
  const std::vector<Item>& items = keys.items;
  const bool fits_float = keys.fits_float;
  Sorted sorted;
  sorted.missing = std::move(keys.missing);
  sorted.rows.reserve(raw.n_rows);
  sorted.values.resize(items.size());
  for (const Item item : items) sorted.rows.push_back(item.row);
  in_parts(items.size(), pause, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      sorted.values[i] =
          fits_float ? value_of(items[i].key) : read<T>(raw, items[i].row) + 0.0;  // not -0
  });
  if (!fits_float) {
    std::vector<std::pair<double, std::uint32_t>> run;
    std::size_t next_pause = 0;
    for (std::size_t begin = 0, end; begin < items.size(); begin = end) {
      if (pause && begin >= next_pause) {
        pause();
        next_pause = begin + 65'536;
      }
      for (end = begin + 1; end < items.size() && items[end].key == items[begin].key;) ++end;
      const auto first = sorted.values.begin();
      if (std::is_sorted(first + begin, first + end)) continue;
      run.clear();
      for (std::size_t i = begin; i < end; ++i) run.emplace_back(sorted.values[i], sorted.rows[i]);
      std::stable_sort(run.begin(), run.end(), [](auto& a, auto& b) { return a.first < b.first; });
      for (std::size_t i = begin; i < end; ++i)
        std::tie(sorted.values[i], sorted.rows[i]) = run[i - begin];
    }
  }
  return sorted;
}

/// Where each code begins among the sorted rows. A value that fills a bin alone has one of its own;
/// the others divide the rest evenly: a bin closes when it holds its share of the rows that are
/// left.
std::vector<std::uint32_t> code_starts(const std::vector<double>& values, std::uint32_t max_codes) {
  const auto n = static_cast<std::uint32_t>(values.size());
  std::vector<std::uint32_t> starts;
  for (std::uint32_t i = 0; i < n; ++i)
    if (i == 0 || values[i] != values[i - 1]) starts.push_back(i);
  if (max_codes == 0 || starts.size() <= max_codes) return starts;

  const std::size_t n_values = starts.size();
  const auto rows_of = [&](std::size_t g) {
    return (g + 1 < n_values ? starts[g + 1] : n) - starts[g];
  };
  std::vector<std::uint8_t> is_heavy(n_values);
  std::uint32_t rows_left = n, bins_left = max_codes;  // for light values
  std::uint32_t heavy_left = 0;
  for (bool found = true; found && bins_left > 1;) {
    found = false;
    const double share = rows_left / static_cast<double>(bins_left);
    for (std::size_t g = 0; g < n_values && bins_left > 1; ++g)
      if (!is_heavy[g] && rows_of(g) > share) {
        is_heavy[g] = found = true;
        rows_left -= rows_of(g);
        --bins_left;
        ++heavy_left;
      }
  }
  std::uint32_t runs_left = 0;  // of light values between heavy ones: each needs a bin at least
  for (std::size_t g = 0; g < n_values; ++g)
    runs_left += !is_heavy[g] && (g == 0 || is_heavy[g - 1]);

  std::vector<std::uint32_t> bins;
  std::uint32_t filled = 0;  // rows of the open bin, if it is one of light values
  for (std::size_t g = 0; g < n_values; ++g) {
    const auto room = static_cast<std::uint32_t>(max_codes - bins.size());  // bins not yet opened
    const bool begins_run = !is_heavy[g] && (g == 0 || is_heavy[g - 1]);
    runs_left -= begins_run;
    bool opens = is_heavy[g] ? room > 0 : begins_run && room > heavy_left;
    if (!is_heavy[g] && !begins_run && room > heavy_left + runs_left) {
      // The open bin and those to come share what is left; it closes once it has its part.
      opens = filled >= (rows_left + filled) / static_cast<double>(room - heavy_left + 1);
    }
    if (g == 0 || opens) {
      bins.push_back(starts[g]);
      filled = 0;
    }
    if (is_heavy[g]) {
      --heavy_left;
    } else {
      filled += rows_of(g);
      rows_left -= rows_of(g);
    }
  }
  return bins;
}

template <class Code>
std::vector<Code> number_rows(const Sorted& sorted, const std::vector<std::uint32_t>& starts,
                              std::uint32_t n_rows, const Pause& pause) {
  std::vector<Code> codes(n_rows);
  const auto n_codes = static_cast<std::uint32_t>(starts.size());
  const auto n = static_cast<std::uint32_t>(sorted.rows.size());
  std::uint32_t code = 0;
  in_parts(n, pause, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      code += code + 1 < n_codes && i == starts[code + 1];
      codes[sorted.rows[i]] = static_cast<Code>(code);
    }
  });
  for (const std::uint32_t row : sorted.missing) codes[row] = static_cast<Code>(n_codes);
  return codes;
}

template <class Code>
std::vector<Code> number_keys(const SortedKeys& sorted, std::uint32_t n_codes, std::uint32_t n_rows,
                              const Pause& pause) {
  std::vector<Code> codes(n_rows);
  std::uint32_t code = 0, before = sorted.items.empty() ? 0 : sorted.items[0].key;
  in_parts(sorted.items.size(), pause, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Item item = sorted.items[i];
      code += item.key != before;
      before = item.key;
      codes[item.row] = static_cast<Code>(code);
    }
  });
  for (const std::uint32_t row : sorted.missing) codes[row] = static_cast<Code>(n_codes);
  return codes;
}

/// A code for every value, where the sorted keys are the values.
void encode_keys(const SortedKeys& sorted, Column& column, std::uint32_t n_rows,
                 const Pause& pause) {
  const std::vector<Item>& items = sorted.items;
  std::uint32_t n_codes = items.empty() ? 0 : 1;
  for (std::size_t i = 1; i < items.size(); ++i) n_codes += items[i].key != items[i - 1].key;
  std::vector<double> lowest(n_codes + std::size_t{1});  // one more, which the loop may touch
  std::size_t at = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    at += i > 0 && items[i].key != items[i - 1].key;
    lowest[at] = value_of(items[i].key);
  }
  lowest.resize(n_codes);
  column.lowest = Values(std::move(lowest));
  column.n_missing = static_cast<std::uint32_t>(sorted.missing.size());
  if (column.is_narrow())
    column.codes = number_keys<std::uint8_t>(sorted, n_codes, n_rows, pause);
  else if (n_codes < 65536)
    column.codes = number_keys<std::uint16_t>(sorted, n_codes, n_rows, pause);
  else
    column.codes = number_keys<std::uint32_t>(sorted, n_codes, n_rows, pause);
}

/// The numbers of a column, if they are small and whole and there are some; a missing one is
/// `missing`. A stretch is read at a time, so that columns of other numbers are left at once.
template <class T>
bool read_small_integers(const RawColumn& raw, int limit, int missing, const Pause& pause,
                         std::vector<std::int32_t>& numbers) {
  constexpr std::uint32_t stretch = 64;
  std::int32_t any = missing;
  for (std::uint32_t first = 0; first < raw.n_rows; first += stretch) {
    if (pause && first % 65'536 == 0) pause();
    const std::uint32_t last = std::min(raw.n_rows, first + stretch);
    int other = 0;
    for (std::uint32_t row = first; row < last;
         ++row) {  // without branches: it becomes vector code
      const double x = read<T>(raw, row);
      const bool is_small = std::abs(x) <= limit;
      const auto number = static_cast<std::int32_t>(is_small ? x : 0);
      other |= (x == x) & !(is_small & (number == x));
      numbers[row] = x == x ? number : missing;
    }
    if (other) return false;
    for (std::uint32_t row = first; row < last; ++row) any = std::min(any, numbers[row]);
  }
  return any != missing;
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

template <class T>
Column encode_as(const RawColumn& raw, std::uint32_t max_codes, const Pause& pause) {
  Column column;
  if ((max_codes == 0 || max_codes >= 255) && encode_small_integers<T>(raw, column, pause))
    return column;
  SortedKeys keys = sort_keys<T>(raw, pause);
  if (keys.fits_float && max_codes == 0) {
    encode_keys(keys, column, raw.n_rows, pause);
    return column;
  }
  Sorted sorted = sort_values<T>(raw, std::move(keys), pause);
  const auto starts = code_starts(sorted.values, max_codes);
  column.n_missing = static_cast<std::uint32_t>(sorted.missing.size());
  std::vector<double> lowest, highest;
  lowest.reserve(starts.size());
  for (const std::uint32_t start : starts) lowest.push_back(sorted.values[start]);
  for (std::size_t code = 0; max_codes > 0 && code < starts.size(); ++code)
    highest.push_back(
        sorted.values[(code + 1 < starts.size() ? starts[code + 1] : sorted.values.size()) - 1]);
  column.lowest = Values(std::move(lowest));
  column.highest = Values(std::move(highest));
  sorted.values = {};
  if (column.is_narrow()) {
    column.codes = number_rows<std::uint8_t>(sorted, starts, raw.n_rows, pause);
    return column;
  }
  if (starts.size() < 65536)
    column.codes = number_rows<std::uint16_t>(sorted, starts, raw.n_rows, pause);
  else
    column.codes = number_rows<std::uint32_t>(sorted, starts, raw.n_rows, pause);
  return column;
}

template <class Code>
std::vector<Code> narrowed(const std::vector<std::uint32_t>& codes) {
  return {codes.begin(), codes.end()};
}

template <class T>
Column encode_known(const RawColumn& raw, std::span<const double> lowest) {
  Column column;
  std::vector<double> low(lowest.begin(), lowest.end()), high(low);
  std::vector<std::uint8_t> occurs(lowest.size());
  std::vector<std::uint32_t> codes(raw.n_rows);
  for (std::uint32_t row = 0; row < raw.n_rows; ++row) {
    const double x = read<T>(raw, row) + 0.0;  // -0 and 0 are one value
    if (std::isnan(x)) {
      codes[row] = static_cast<std::uint32_t>(lowest.size());
      ++column.n_missing;
      continue;
    }
    if (std::isinf(x)) throw InfiniteValue{row, x};
    const auto after = std::upper_bound(lowest.begin() + 1, lowest.end(), x);
    const auto code = static_cast<std::size_t>(after - lowest.begin() - 1);
    codes[row] = static_cast<std::uint32_t>(code);
    low[code] = occurs[code] ? std::min(low[code], x) : x;
    high[code] = occurs[code] ? std::max(high[code], x) : x;
    occurs[code] = 1;
  }
  column.lowest = Values(std::move(low));
  column.highest = Values(std::move(high));
  if (column.is_narrow())
    column.codes = narrowed<std::uint8_t>(codes);
  else if (lowest.size() < 65536)
    column.codes = narrowed<std::uint16_t>(codes);
  else
    column.codes = std::move(codes);
  return column;
}

}  // namespace

Column encode(const RawColumn& raw, std::uint32_t max_codes, const Pause& pause) {
  return with_type(raw.type,
                   [&](auto type) { return encode_as<decltype(type)>(raw, max_codes, pause); });
}

Column encode_with(const RawColumn& raw, std::span<const double> lowest) {
  return with_type(raw.type, [&](auto type) { return encode_known<decltype(type)>(raw, lowest); });
}

std::vector<double> learn_bins(std::vector<double> values, std::uint32_t max_codes) {
  for (double& x : values) x += 0.0;
  std::ranges::sort(values);
  std::vector<double> lowest;
  for (const std::uint32_t start : code_starts(values, max_codes)) lowest.push_back(values[start]);
  return lowest;
}

namespace {

template <class Code>
std::vector<Code> as_codes(std::span<const std::int32_t> numbers, std::uint32_t missing) {
  std::vector<Code> codes(numbers.size());
  for (std::size_t row = 0; row < numbers.size(); ++row)
    codes[row] = static_cast<Code>(numbers[row] < 0 ? missing : numbers[row]);
  return codes;
}

}  // namespace

Column encode_categories(std::span<const std::int32_t> numbers, std::uint32_t n_categories) {
  Column column;
  column.is_categorical = true;
  column.n_categories = n_categories;
  for (const std::int32_t number : numbers) {
    if (number < -1 || number >= static_cast<std::int64_t>(n_categories))
      throw std::invalid_argument("a category has the number " + std::to_string(number) + ", of " +
                                  std::to_string(n_categories));
    column.n_missing += number < 0;
  }
  if (column.is_narrow())
    column.codes = as_codes<std::uint8_t>(numbers, n_categories);
  else if (n_categories < 65536)
    column.codes = as_codes<std::uint16_t>(numbers, n_categories);
  else
    column.codes = as_codes<std::uint32_t>(numbers, n_categories);
  return column;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Encodes values as ordered codes: radix-sorts once, then numbers the distinct values.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "data/column.hpp"
#include "data/raw.hpp"
#include "data/small_integers.hpp"
#include "data/sorted_column.hpp"
#include "data/sorted_rows.hpp"

namespace ramify {
namespace {

using namespace encoding;

/// The codes that write.operator()<Code>() returns, in the smallest type that holds so many and
/// that of "missing".
template <class Write>
Codes write_codes(std::size_t n_codes, Write write) {
  if (n_codes < 256) return write.template operator()<std::uint8_t>();
  if (n_codes < 65536) return write.template operator()<std::uint16_t>();
  return write.template operator()<std::uint32_t>();
}

/// Returns where each code begins among the sorted rows. A value that fills a bin alone has its own
/// bin; the others share the remaining bins evenly: a bin closes when it holds its share of the
/// remaining rows.
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
  std::uint32_t runs_left = 0;  // of light values between heavy ones: each needs at least one bin
  for (std::size_t g = 0; g < n_values; ++g)
    runs_left += !is_heavy[g] && (g == 0 || is_heavy[g - 1]);

  std::vector<std::uint32_t> bins;
  std::uint32_t filled = 0;  // rows of the open bin, if it holds light values
  for (std::size_t g = 0; g < n_values; ++g) {
    const auto room = static_cast<std::uint32_t>(max_codes - bins.size());  // bins not yet opened
    const bool begins_run = !is_heavy[g] && (g == 0 || is_heavy[g - 1]);
    runs_left -= begins_run;
    bool opens = is_heavy[g] ? room > 0 : begins_run && room > heavy_left;
    if (!is_heavy[g] && !begins_run && room > heavy_left + runs_left) {
      // The open bin and the bins to come share the remaining rows; it closes once it has its
      // share.
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

/// Writes the sorted rows of a column, if requested.
struct OrderWriter {
  std::uint32_t* order;  // or null

  void write(std::size_t place, std::uint32_t row, bool begins) const {
    if (order) order[place] = row | (begins ? SortedRows::begins : 0);
  }
  /// Rows with a missing value come last.
  void write_missing(std::size_t place, const std::vector<std::uint32_t>& rows) const {
    for (std::size_t i = 0; order && i < rows.size(); ++i) write(place + i, rows[i], i == 0);
  }
};

/// Returns the codes of the rows; `begins(i, code)` tells whether the code after this one begins at
/// place i of the sorted rows.
template <class Code, class Begins>
std::vector<Code> number_rows(const Sorted& sorted, std::uint32_t n_codes, std::uint32_t n_rows,
                              OrderWriter order, const Pause& pause, Begins begins) {
  std::vector<Code> codes(n_rows);
  const std::size_t n = sorted.items.size();
  std::uint32_t code = 0;
  in_parts(n, pause, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t row = sorted.items[i].row;
      const bool is_next = i > 0 && begins(i, code);
      code += is_next;
      codes[row] = static_cast<Code>(code);
      order.write(i, row, is_next || i == 0);
    }
  });
  for (const std::uint32_t row : sorted.missing) codes[row] = static_cast<Code>(n_codes);
  order.write_missing(n, sorted.missing);
  return codes;
}

/// Returns the codes of the rows, and records the value of each code.
template <class Code>
std::vector<Code> number_keys(const SortedKeys& sorted, std::uint32_t n_rows, OrderWriter order,
                              std::vector<float>& lowest, const Pause& pause) {
  std::vector<Code> codes(n_rows);
  const std::size_t n = sorted.items.size();
  const auto number = [&](auto keeps_order) {
    std::uint32_t code = 0, before = n > 0 ? sorted.items[0].key : 0;
    in_parts(n, pause, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Item item = sorted.items[i];
        const bool begins = item.key != before;
        code += begins;
        before = item.key;
        codes[item.row] = static_cast<Code>(code);
        lowest[code] = value_of(item.key);
        if constexpr (keeps_order) order.order[i] = item.row | std::uint32_t{begins} << 31;
      }
    });
  };
  order.order ? number(std::true_type()) : number(std::false_type());
  if (n > 0) order.write(0, sorted.items[0].row, true);
  for (const std::uint32_t row : sorted.missing) codes[row] = static_cast<Code>(lowest.size());
  order.write_missing(n, sorted.missing);
  return codes;
}

/// Gives every value its own code, where the sorted keys are the values.
void encode_keys(const SortedKeys& sorted, Column& column, std::uint32_t n_rows, const Pause& pause,
                 std::uint32_t* order) {
  const std::span<const Item> items = sorted.items;
  std::uint32_t n_codes = items.empty() ? 0 : 1;
  for (std::size_t i = 1; i < items.size(); ++i) n_codes += items[i].key != items[i - 1].key;
  std::vector<float> lowest(n_codes);
  column.codes = write_codes(n_codes, [&]<class Code>() {
    return number_keys<Code>(sorted, n_rows, {sizeof(Code) > 1 ? order : nullptr}, lowest, pause);
  });
  column.lowest = Values(std::move(lowest));
}

/// Gives every value its own code. The values become the codebook where they are: there may be
/// as many as rows, and a copy would be a part of the peak of memory.
void encode_values(Sorted sorted, Column& column, std::uint32_t n_rows, const Pause& pause,
                   std::uint32_t* order) {
  std::vector<double>& values = sorted.values;
  std::uint32_t n_codes = values.empty() ? 0 : 1;
  for (std::size_t i = 1; i < values.size(); ++i) n_codes += values[i] != values[i - 1];
  column.codes = write_codes(n_codes, [&]<class Code>() {
    return number_rows<Code>(
        sorted, n_codes, n_rows, {sizeof(Code) > 1 ? order : nullptr}, pause,
        [&](std::size_t i, std::uint32_t) { return values[i] != values[i - 1]; });
  });
  values.erase(std::ranges::unique(values).begin(), values.end());
  values.shrink_to_fit();
  column.lowest = Values(std::move(values));
}

/// Gives bins of values a code each.
void encode_bins(Sorted sorted, Column& column, std::uint32_t max_codes, std::uint32_t n_rows,
                 const Pause& pause, std::uint32_t* order) {
  const auto starts = code_starts(sorted.values, max_codes);
  const std::size_t n_codes = starts.size();
  std::vector<double> lowest, highest;
  for (std::size_t code = 0; code < n_codes; ++code) {
    lowest.push_back(sorted.values[starts[code]]);
    highest.push_back(
        sorted.values[(code + 1 < n_codes ? starts[code + 1] : sorted.values.size()) - 1]);
  }
  column.lowest = Values(std::move(lowest));
  column.highest = Values(std::move(highest));
  sorted.values = {};
  column.codes = write_codes(n_codes, [&]<class Code>() {
    return number_rows<Code>(sorted, static_cast<std::uint32_t>(n_codes), n_rows,
                             {sizeof(Code) > 1 ? order : nullptr}, pause,
                             [&](std::size_t i, std::uint32_t code) {
                               return code + 1 < n_codes && i == starts[code + 1];
                             });
  });
}

template <class T>
Column encode_as(const RawColumn& raw, std::uint32_t max_codes, const Pause& pause, SortRoom& room,
                 std::uint32_t* order) {
  Column column;
  SortedKeys keys = sort_keys<T>(raw, pause, room);
  column.n_missing = static_cast<std::uint32_t>(keys.missing.size());
  if (keys.fits_float && max_codes == 0) {
    encode_keys(keys, column, raw.n_rows, pause, order);
    return column;
  }
  Sorted sorted = sort_values<T>(raw, std::move(keys), pause);
  if (max_codes == 0)
    encode_values(std::move(sorted), column, raw.n_rows, pause, order);
  else
    encode_bins(std::move(sorted), column, max_codes, raw.n_rows, pause, order);
  return column;
}

}  // namespace

Column encode(const RawColumn& raw, std::uint32_t max_codes, const Pause& pause, SortRoom& room,
              std::uint32_t* order) {
  using Type = RawColumn::Type;
  Column column;
  if ((max_codes == 0 || max_codes >= 255) && encode_small_integers(raw, column, pause))
    return column;
  if (raw.type == Type::f32) return encode_as<float>(raw, max_codes, pause, room, order);
  if (raw.type == Type::f64) return encode_as<double>(raw, max_codes, pause, room, order);
  std::vector<double> values(raw.n_rows);  // for integers that are not small
  in_parts(raw.n_rows, pause, [&](std::size_t begin, std::size_t end) {
    read_some(raw, begin, end - begin, values.data() + begin);
  });
  return encode_as<double>({values.data(), sizeof(double), raw.n_rows, Type::f64}, max_codes, pause,
                           room, order);
}

Column encode_with(const RawColumn& raw, std::span<const double> lowest) {
  Column column;
  std::vector<double> low(lowest.begin(), lowest.end()), high(low);
  std::vector<std::uint8_t> occurs(lowest.size());
  std::vector<std::uint32_t> codes(raw.n_rows);
  constexpr std::size_t stretch = 256;
  double values[stretch];
  for (std::uint32_t row = 0; row < raw.n_rows; ++row) {
    if (row % stretch == 0)
      read_some(raw, row, std::min<std::size_t>(stretch, raw.n_rows - row), values);
    const double x = values[row % stretch] + 0.0;  // -0 and 0 are one value
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
  column.codes = write_codes(
      lowest.size(), [&]<class Code>() { return std::vector<Code>(codes.begin(), codes.end()); });
  return column;
}

std::vector<double> learn_bins(std::vector<double> values, std::uint32_t max_codes) {
  for (double& x : values) x += 0.0;
  std::ranges::sort(values);
  std::vector<double> lowest;
  for (const std::uint32_t start : code_starts(values, max_codes)) lowest.push_back(values[start]);
  return lowest;
}

Column encode_categories(std::span<const std::int32_t> numbers, std::uint32_t n_categories) {
  Column column;
  column.is_categorical = true;
  column.n_categories = n_categories;
  for (const std::int32_t number : numbers) {
    if (number < -1 || number >= static_cast<std::int64_t>(n_categories))
      throw std::invalid_argument("a category has code " + std::to_string(number) + ", of " +
                                  std::to_string(n_categories));
    column.n_missing += number < 0;
  }
  column.codes = write_codes(n_categories, [&]<class Code>() {
    std::vector<Code> codes(numbers.size());
    for (std::size_t row = 0; row < codes.size(); ++row)
      codes[row] = static_cast<Code>(numbers[row] < 0 ? n_categories : numbers[row]);
    return codes;
  });
  return column;
}

}  // namespace ramify

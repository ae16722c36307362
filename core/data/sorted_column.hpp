// SPDX-License-Identifier: BSD-3-Clause
// Rows of a column in ascending order of value: sorted once, by radix.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/column.hpp"
#include "data/raw.hpp"
#include "util/big_array.hpp"
#include "util/stop.hpp"

namespace ramify::encoding {

using Pause = std::function<void()>;

/// A value and its row. Values are compared by `key`, an integer that sorts like the value.
struct Item {
  std::uint32_t key;
  std::uint32_t row;
};

inline std::uint32_t ordered_key(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x + 0.0f);  // -0 and 0 are one value
  return bits ^ ((0u - (bits >> 31)) | 0x80000000u);         // branch-free: signs are unpredictable
}
inline float value_of(std::uint32_t key) {
  return std::bit_cast<float>(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}
inline std::uint64_t ordered_key(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
  return bits >> 63 ? ~bits : bits | 0x8000000000000000u;
}

/// Memory for the items, and as much again as scratch space.
struct SortRoom {
  std::size_t n = 0;
  BigArrayOf<Item> items, spare;

  void reserve(std::size_t n_items) {
    if (n_items <= n) return;
    items = big_array<Item>(n_items);
    spare = big_array<Item>(n_items);
    n = n_items;
  }
};

/// Stable sort by key, some bits at a time; digits that all items share are skipped.
template <int bits>
void sort_by_digits(SortRoom& room, std::size_t n, const Pause& pause) {
  constexpr int buckets = 1 << bits, passes = (32 + bits - 1) / bits, last = passes - 1;
  // The highest digit has few values: several counters in turn avoid waiting for the same one.
  std::vector<std::uint32_t> counts((passes + 1) * buckets);
  in_parts(n, pause, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* count = counts.data();
    const Item* items = room.items.get();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t key = items[i].key;
      for (int pass = 0; pass < last; ++pass)
        ++count[pass * buckets + (key >> pass * bits & (buckets - 1))];
      ++count[(last + i % 2) * buckets + (key >> last * bits)];
    }
  });
  for (int b = 0; b < buckets; ++b) counts[last * buckets + b] += counts[passes * buckets + b];
  for (int pass = 0; pass < passes; ++pass) {
    std::uint32_t* count = counts.data() + pass * buckets;
    const int shift = pass * bits;
    const Item* items = room.items.get();
    Item* spare = room.spare.get();
    if (count[items[0].key >> shift & (buckets - 1)] == n) continue;
    std::uint32_t start = 0;
    for (int b = 0; b < buckets; ++b) start += std::exchange(count[b], start);
    in_parts(n, pause, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        spare[count[items[i].key >> shift & (buckets - 1)]++] = items[i];
    });
    room.items.swap(room.spare);
  }
}

inline void radix_sort(SortRoom& room, std::size_t n, const Pause& pause) {
  if (n < 256) {  // clearing 3 x 2048 counters would cost more
    std::stable_sort(room.items.get(), room.items.get() + n,
                     [](Item a, Item b) { return a.key < b.key; });
    return;
  }
  constexpr std::size_t many = 600'000;  // they fill the cache: write to fewer places at once
  n < many ? sort_by_digits<11>(room, n, pause) : sort_by_digits<8>(room, n, pause);
}

/// Rows in ascending order of their keys; rows with a missing value apart.
struct SortedKeys {
  std::span<Item> items;
  std::vector<std::uint32_t> missing;
  bool fits_float = true;  // keys of the values, else of their upper halves
};

template <class T>
SortedKeys sort_keys(const RawColumn& raw, const Pause& pause, SortRoom& room) {
  SortedKeys sorted;
  room.reserve(raw.n_rows);
  Item* const items = room.items.get();
  std::size_t n = 0;
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
      items[n++] = {ordered_key(rounded), row};
    }
  });
  if (!fits_float)  // the upper half of the double's key first; ties are resolved below
    in_parts(n, pause, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        items[i].key = static_cast<std::uint32_t>(ordered_key(read<T>(raw, items[i].row)) >> 32);
    });
  radix_sort(room, n, pause);
  sorted.items = {room.items.get(), n};
  return sorted;
}

/// Rows in ascending order of value; rows with a missing value apart.
struct Sorted {
  std::span<const Item> items;  // their rows; keys no longer matter
  std::vector<double> values;
  std::vector<std::uint32_t> missing;
};

template <class T>
Sorted sort_values(const RawColumn& raw, SortedKeys keys, const Pause& pause) {
  const std::span<Item> items = keys.items;
  const bool fits_float = keys.fits_float;
  Sorted sorted{items, std::vector<double>(items.size()), std::move(keys.missing)};
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
      for (std::size_t i = begin; i < end; ++i) run.emplace_back(sorted.values[i], items[i].row);
      std::stable_sort(run.begin(), run.end(), [](auto& a, auto& b) { return a.first < b.first; });
      for (std::size_t i = begin; i < end; ++i)
        std::tie(sorted.values[i], items[i].row) = run[i - begin];
    }
  }
  return sorted;
}

}  // namespace ramify::encoding

// SPDX-License-Identifier: BSD-3-Clause
// Nodes that look at a few drawn columns: the keys of their rows, made and sorted on the spot.
#pragma once

#include <bit>
#include <cstring>

#include "scan/walk.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Calls use(codes) with the records as an array of their own type.
template <class Use>
auto with_codes(const CodeRecords& records, Use use) {
  if (records.width == 1) return use(static_cast<const std::uint8_t*>(records.codes));
  if (records.width == 2) return use(static_cast<const std::uint16_t*>(records.codes));
  return use(static_cast<const std::uint32_t*>(records.codes));
}

/// One pass over the records serves all columns: a record is one or two lines of the cache.
template <int n_columns, class Code>
void gather_from(const Code* codes, const KeyCall& call) {
  // Copies, since the compiler must think that what is written could be what is read.
  const int shift = call.layout.code_shift();
  const std::size_t stride = call.records.n_columns;
  const Member* const members = call.members;
  std::uint32_t* keys[n_columns];
  const Code* column[n_columns];
  for (int j = 0; j < n_columns; ++j) {
    keys[j] = call.keys[j];
    column[j] = codes + call.columns[j];
  }
  for (std::uint32_t i = 0, n = call.n; i < n; ++i) {
    const Member member = members[i];
    const std::size_t place = member.row * stride;
    for (int j = 0; j < n_columns; ++j)
      keys[j][i] = std::uint32_t{column[j][place]} << shift | member.low;
  }
}

inline void gather_keys(const KeyCall& call) {
  static_assert(KeyCall::columns_at_once == 4);
  with_codes(call.records, [&](const auto* codes) {
    if (call.n_columns == 1) return gather_from<1>(codes, call);
    if (call.n_columns == 2) return gather_from<2>(codes, call);
    if (call.n_columns == 3) return gather_from<3>(codes, call);
    gather_from<4>(codes, call);
  });
}

inline KeyRange range_of_keys(const std::uint32_t* keys, std::uint32_t n) {
  KeyRange range{keys[0], keys[0]};
  for (std::uint32_t i = 1; i < n; ++i) {
    range.least = keys[i] < range.least ? keys[i] : range.least;
    range.most = keys[i] > range.most ? keys[i] : range.most;
  }
  return range;
}

constexpr std::uint32_t few_keys = 64;

/// Compares all with all: no branch depends on the keys, and eight comparisons take one step.
/// `keys` has room for eight more.
inline void sort_few(std::uint32_t* keys, std::uint32_t n, std::uint32_t* sorted) {
  constexpr std::uint32_t lanes = 8, nobody = 0xffffffffu;
  for (std::uint32_t i = 0; i < lanes; ++i) keys[n + i] = nobody >> 1;  // keys have 31 bits
  for (std::uint32_t i = 0; i < n; ++i) sorted[i] = nobody;
  for (std::uint32_t i = 0; i < n; i += lanes) {
    std::int32_t own[lanes], rank[lanes] = {};
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      own[lane] = static_cast<std::int32_t>(keys[i + lane]);
    for (std::uint32_t j = 0; j < n; ++j) {
      const auto other = static_cast<std::int32_t>(keys[j]);
      for (std::uint32_t lane = 0; lane < lanes; ++lane) rank[lane] += other < own[lane];
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) sorted[rank[lane]] = keys[i + lane];
  }
  // Equal keys have gone to the place of the first of them.
  for (std::uint32_t i = 1; i < n; ++i)
    if (sorted[i] == nobody) sorted[i] = sorted[i - 1];
}

/// Codes from an origin on, in digits of some bits each.
struct Digits {
  std::uint32_t origin;
  int code_shift, bits;

  std::uint32_t mask() const { return (1u << bits) - 1; }
};

/// Counts all digits in one pass over the keys.
template <int n_digits>
void count_digits(const std::uint32_t* keys, std::uint32_t n, Digits digits,
                  std::uint32_t* counts) {
  const auto [origin, code_shift, bits] = digits;
  const std::uint32_t mask = digits.mask();
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t code = (keys[i] - origin) >> code_shift;
    for (int digit = 0; digit < n_digits; ++digit)
      ++counts[(static_cast<std::uint32_t>(digit) << bits) + (code >> (digit * bits) & mask)];
  }
}

/// Sorts keys by code, and says where they are then: in `keys` or in `spare`, both with room for
/// eight more.
inline const std::uint32_t* sort_keys(std::uint32_t* keys, std::uint32_t n, int code_shift,
                                      std::uint32_t* spare) {
  if (n <= few_keys) {
    sort_few(keys, n, spare);
    return spare;
  }
  const KeyRange range = range_of_keys(keys, n);
  const std::uint32_t origin = range.least >> code_shift << code_shift;
  const int n_bits = std::bit_width((range.most - origin) >> code_shift);
  if (n_bits == 0) return keys;
  constexpr int most_digits = 4, most_bits = 11;  // 31 bits make four of eight
  const int wanted_bits = n < 4096 ? 9 : most_bits;
  const int n_digits = (n_bits + wanted_bits - 1) / wanted_bits;
  const Digits digits{origin, code_shift, (n_bits + n_digits - 1) / n_digits};
  const std::uint32_t mask = digits.mask();
  std::uint32_t counts[most_digits << most_bits];
  for (int i = 0; i < n_digits << digits.bits; ++i) counts[i] = 0;
  if (n_digits == 1)
    count_digits<1>(keys, n, digits, counts);
  else if (n_digits == 2)
    count_digits<2>(keys, n, digits, counts);
  else if (n_digits == 3)
    count_digits<3>(keys, n, digits, counts);
  else
    count_digits<4>(keys, n, digits, counts);
  std::uint32_t *from = keys, *to = spare;
  for (int digit = 0; digit < n_digits; ++digit) {
    std::uint32_t* start = counts + (digit << digits.bits);
    std::uint32_t before = 0;
    for (std::uint32_t value = 0; value <= mask; ++value) {
      const std::uint32_t here = start[value];
      start[value] = before;
      before += here;
    }
    const int shift = code_shift + digit * digits.bits;
    for (std::uint32_t i = 0; i < n; ++i) to[start[(from[i] - origin) >> shift & mask]++] = from[i];
    std::uint32_t* const swapped = from;
    from = to;
    to = swapped;
  }
  return from;
}

/// Adds what the keys of each bucket weigh, in the upper half, and those of the second of two
/// classes, in the lower.
inline void fill_buckets(const std::uint32_t* keys, std::uint32_t n, ItemLayout layout,
                         std::uint32_t second_label, Buckets buckets, std::uint64_t* sums) {
  const std::uint32_t unit = layout.times_bits == 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint64_t times = layout.times(keys[i]) + unit;
    const std::uint64_t is_second = layout.label(keys[i]) == second_label;
    sums[buckets.of(keys[i])] += times << 32 | (times & (0u - is_second));
  }
}

/// Copies the keys of some buckets, and gives their number.
inline std::uint32_t keep_buckets(const std::uint32_t* keys, std::uint32_t n, Buckets buckets,
                                  const std::uint8_t* is_kept, std::uint32_t* kept) {
  std::uint32_t m = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    kept[m] = keys[i];
    m += is_kept[buckets.of(keys[i])];
  }
  return m;
}

/// As walk_list.
inline void walk_keys(KeyWalk& walk, CutBlock& block) {
  block.n_cuts = 0;
  if (walk.next >= walk.n) return;
  walk_whole(walk, block);
  if (walk.next + 1 == walk.n && block.n_cuts < CutBlock::capacity) ++walk.next;
  pad(block, walk.channels.n_channels);
}

/// Adds the rows to the counts of their codes.
inline void count_keys(const std::uint32_t* keys, std::uint32_t n, ItemLayout layout,
                       const std::uint32_t* channel, const CountCall& call) {
  const std::uint32_t unit = layout.times_bits == 0,
                      stride = static_cast<std::uint32_t>(call.stride);
  std::uint32_t* const counts = call.counts;
  for (std::uint32_t i = 0; i < n; ++i)
    counts[layout.code(keys[i]) * stride + channel[layout.label(keys[i])]] +=
        layout.times(keys[i]) + unit;
}

/// Writes the sums on the left of all cuts, and their codes. The counts are cleared.
inline void walk_counts(const CountCall& call, CutBlock& block) {
  double running[CountCall::most_classes] = {};
  int m = 0;
  for (std::uint32_t code = 0; code < call.n_codes; ++code) {
    std::uint32_t* here = call.counts + code * static_cast<std::uint32_t>(call.stride);
    std::uint32_t weight = 0;
    for (int k = 0; k < call.n_classes; ++k) weight += here[k];
    if (weight == 0) continue;
    for (int k = 0; k < call.n_classes; ++k) {
      running[k] += here[k];
      here[k] = 0;
      block.left[k * CutBlock::stride + m] = running[k];
    }
    block.code[m++] = code;
  }
  block.n_cuts = m - 1;  // behind the last code there is no cut
  pad(block, call.n_classes);
}

/// Adds what lies on both sides of a bound, by class: as if they were two codes. Gives the number
/// of keys below.
inline std::uint32_t count_sides(const std::uint32_t* keys, std::uint32_t n, ItemLayout layout,
                                 const std::uint32_t* channel, std::uint32_t bound,
                                 const CountCall& call) {
  const std::uint32_t unit = layout.times_bits == 0;
  std::uint32_t* const sides[2] = {call.counts, call.counts + call.stride};
  std::uint32_t n_above = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t is_above = keys[i] >= bound;
    n_above += is_above;
    sides[is_above][channel[layout.label(keys[i])]] += layout.times(keys[i]) + unit;
  }
  return n - n_above;
}

/// Counts the keys below a bound, and adds what they weigh, by class.
inline std::uint32_t count_below(const std::uint32_t* keys, std::uint32_t n, ItemLayout layout,
                                 std::uint32_t bound, int n_classes, std::uint32_t* classes) {
  const std::uint32_t unit = layout.times_bits == 0;
  std::uint32_t n_below = 0;
  if (n_classes == 2) {  // no class is looked up: the loop becomes vector code
    std::uint32_t both = 0, second = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t is_below = keys[i] < bound;
      const std::uint32_t times = (keys[i] & ((1u << layout.times_bits) - 1)) + unit;
      const std::uint32_t here = times & (0u - is_below);
      n_below += is_below;
      both += here;
      second += here & (0u - (keys[i] >> layout.times_bits & 1));
    }
    classes[0] += both - second;
    classes[1] += second;
    return n_below;
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t is_below = keys[i] < bound;
    n_below += is_below;
    classes[layout.label(keys[i])] += (layout.times(keys[i]) + unit) & (0u - is_below);
  }
  return n_below;
}

template <class Code>
std::uint32_t part_by(const Code* codes, const PartCall& call) {
  const Code* const code = codes + call.column;  // copies, as above
  const std::size_t stride = call.records.n_columns;
  const std::uint32_t n = call.n, highest = call.highest;
  Member *const members = call.members, *const spare = call.spare;
  std::uint32_t n_left = 0, n_right = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Member member = members[i];
    const std::uint32_t is_left = code[member.row * stride] <= highest;
    members[n_left] = member;
    spare[n_right] = member;
    n_left += is_left;
    n_right += 1 - is_left;
  }
  std::memcpy(members + n_left, spare, n_right * sizeof(Member));
  return n_left;
}

/// Adds what some rows weigh, by class.
inline void count_classes(const Member* members, std::uint32_t n, ItemLayout layout, int n_classes,
                          std::uint32_t* classes) {
  const std::uint32_t unit = layout.times_bits == 0;
  if (n_classes > 2) {
    for (std::uint32_t i = 0; i < n; ++i)
      classes[layout.label(members[i].low)] += layout.times(members[i].low) + unit;
    return;
  }
  std::uint32_t both = 0, second = 0;  // no class is looked up: the loop becomes vector code
  const std::uint32_t times_mask = (1u << layout.times_bits) - 1;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t times = (members[i].low & times_mask) + unit;
    both += times;
    second += times & (0u - (members[i].low >> layout.times_bits & 1));
  }
  classes[0] += both - second;
  classes[1] += second;
}

/// Parts rows by their code in a column, each side in the order they had; gives the number of
/// those on the left.
inline std::uint32_t part_members(const PartCall& call) {
  const std::uint32_t n_left =
      with_codes(call.records, [&](const auto* codes) { return part_by(codes, call); });
  count_classes(call.members, n_left, call.layout, call.n_classes, call.classes);
  return n_left;
}

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Along flagged lists 32 items at a time.
#pragma once

#include <type_traits>

#include "scan/flag_lanes.hpp"
#include "scan/flag_scan.hpp"

namespace ramify::RAMIFY_KERNELS {

/// The cuts of a block, up to 32 at a time: those of a chunk are its flags, `here` of them belong
/// to the block. pass(chunk, here, place) tells whether one may matter; move(chunk, moved) adds
/// rows.
template <class Item, class Pass, class Move>
bool scan_chunks(FlagScan& scan, Pass pass, Move move) {
  const auto* items = static_cast<const Item*>(scan.items);
  const std::uint32_t label_mask = scan.layout.class_mask();
  int room = CutBlock::capacity;
  bool passed = false;
  std::uint32_t at = scan.next, first = ~1u;  // the item at `next` begins no cut of this block
  while (at < scan.n) {
    const std::uint32_t rest = scan.n - at;
    Chunk<Item> chunk(items + at, rest);
    std::uint32_t here = chunk.flags() & first;
    first = ~0u;
    chunk.keep(label_mask);
    const int n_cuts = std::popcount(here);
    if (n_cuts >= room) {  // the block ends with the cut before this item
      const std::uint32_t last = _pdep_u32(1u << (room - 1), here);
      here &= last | (last - 1);
      passed |= pass(chunk, here, at);
      move(chunk, last - 1, true);
      scan.n_cuts += static_cast<std::uint32_t>(room);
      scan.next = at + static_cast<std::uint32_t>(std::countr_zero(last));
      return passed;
    }
    if (here) passed |= pass(chunk, here, at);
    if (rest > 32) move(chunk, ~0u, here != 0);  // else nobody asks for the sums any more
    room -= n_cuts;
    at += 32;
  }
  scan.n_cuts += static_cast<std::uint32_t>(CutBlock::capacity - room);
  scan.next = scan.n;
  return passed;
}

/// Numbers of some of the 32 places of a chunk, from the first on.
template <int n>
struct Places {
  static constexpr int n_vectors = n / n_floats;
  Floats part[n_vectors];

  /// Calls make(place) for each vector.
  template <class Make>
  explicit Places(Make make) {
    for (int i = 0; i < n_vectors; ++i) part[i] = make(i * n_floats);
  }
};

/// Does one of the cuts of a chunk pass? Asks test(n) for a bit for each of n places.
template <class Test>
bool any_cut(std::uint32_t here, Test test) {
  if (here >> 16) return (test(std::integral_constant<int, 32>()) & here) != 0;
  return (test(std::integral_constant<int, 16>()) & here) != 0;
}

/// A bit for each place: is (most)^2 at least what is asked for?
template <int n>
std::uint32_t reached(const Places<n>& most, const Places<n>& n_left, Floats least, Floats total) {
  std::uint32_t bits = 0;
  for (int i = 0; i < Places<n>::n_vectors; ++i) {
    const Floats left = n_left.part[i], n_right = larger_of(total - left, floats(0));
    bits |= at_least(most.part[i] * most.part[i], least * left * n_right) << (i * n_floats);
  }
  return bits;
}

/// How many of some bits are set below each place from one on; `before` are added.
inline Floats counts_at(std::uint32_t bits, int from, std::uint32_t before) {
  const auto more = static_cast<std::uint32_t>(std::popcount(bits & ((1u << from) - 1)));
  return counts_before(bits >> from, before + more);
}

/// Two classes; see passes_two, and with weights passes_two_weights.
template <bool has_weights, class Item>
bool scan_two_vectors(FlagScan& scan, const DeviationFilter& filter) {
  const std::uint32_t second = filter.label[1] << scan.layout.row_bits;
  const Floats share = floats(filter.share[1]), slack = floats(filter.slack);
  const Floats total = floats(has_weights ? filter.total - filter.slack : filter.total);
  const Floats least = floats(filter.least / (filter.factor[0] + filter.factor[1]));
  const Floats weight = floats(has_weights ? filter.weight[0] : 1),
               second_weight = floats(has_weights ? filter.weight[1] : 1);
  std::uint32_t seconds = scan.left[1];
  const std::uint32_t first = scan.rows_before;
  const auto pass = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t at) {
    const std::uint32_t bits = chunk.equal(second);
    return any_cut(here, [&](auto n) {
      Places<n> left([&](int from) { return counts_at(bits, from, seconds); });
      Places<n> n_left(
          [&](int from) { return counts_from(first + at + static_cast<std::uint32_t>(from)); });
      Places<n> most([&](int from) {
        const int i = from / n_floats;
        if constexpr (has_weights) {
          n_left.part[i] = (n_left.part[i] - left.part[i]) * weight;
          left.part[i] = left.part[i] * second_weight;
          n_left.part[i] = n_left.part[i] + left.part[i];
        }
        return magnitude_of(minus_product(left.part[i], n_left.part[i], share)) + slack;
      });
      return reached(most, n_left, least, total);
    });
  };
  const auto move = [&](const Chunk<Item>& chunk, std::uint32_t moved, bool) {
    seconds += static_cast<std::uint32_t>(std::popcount(chunk.equal(second) & moved));
  };
  const bool passed = scan_chunks<Item>(scan, pass, move);
  scan.left[1] = seconds;
  return passed;
}

/// Which of 32 items have each class; the classes of a chunk are looked at once.
template <class Item>
struct ClassBits {
  static constexpr int most = 64;
  std::uint32_t bits[most];

  void read(const Chunk<Item>& chunk, const std::uint32_t* label, int n_classes, int row_bits) {
    for (int k = 0; k < n_classes; ++k) bits[k] = chunk.equal(label[k] << row_bits);
  }
  void add(std::uint32_t moved, int n_classes, std::uint32_t* left) const {
    for (int k = 0; k < n_classes; ++k)
      left[k] += static_cast<std::uint32_t>(std::popcount(bits[k] & moved));
  }
};

/// More classes.
template <bool has_weights, class Item>
bool scan_many_vectors(FlagScan& scan, const DeviationFilter& filter) {
  const int row_bits = scan.layout.row_bits, n_classes = filter.n_classes;
  const Floats slack = floats(filter.total_slack), least = floats(filter.least);
  const Floats total = floats(has_weights ? filter.total - filter.slack : filter.total);
  ClassBits<Item> classes;
  const std::uint32_t first = scan.rows_before;
  const auto pass = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t at) {
    classes.read(chunk, filter.label, n_classes, row_bits);
    return any_cut(here, [&](auto n) {
      const auto weights = [&](int k) {
        return Places<n>([&](int from) {
          const Floats count = counts_at(classes.bits[k], from, scan.left[k]);
          return has_weights ? count * floats(filter.weight[k]) : count;
        });
      };
      Places<n> n_left([&](int from) {
        return has_weights ? floats(0) : counts_from(first + at + static_cast<std::uint32_t>(from));
      });
      if constexpr (has_weights)
        for (int k = 0; k < n_classes; ++k) {
          const Places<n> own = weights(k);
          for (int i = 0; i < own.n_vectors; ++i) n_left.part[i] = n_left.part[i] + own.part[i];
        }
      Places<n> sum([](int) { return floats(0); });
      for (int k = 0; k < n_classes; ++k) {
        const Floats share = floats(filter.share[k]), factor = floats(filter.factor[k]);
        const Places<n> own = weights(k);
        for (int i = 0; i < own.n_vectors; ++i) {
          const Floats deviation = minus_product(own.part[i], n_left.part[i], share);
          sum.part[i] = plus_product(sum.part[i], deviation * deviation, factor);
        }
      }
      const Places<n> most([&](int from) { return root_of(sum.part[from / n_floats]) + slack; });
      return reached(most, n_left, least, total);
    });
  };
  const auto move = [&](const Chunk<Item>& chunk, std::uint32_t moved, bool is_read) {
    if (!is_read) classes.read(chunk, filter.label, n_classes, row_bits);
    classes.add(moved, n_classes, scan.left);
  };
  return scan_chunks<Item>(scan, pass, move);
}

/// The sums of a block of cuts of many classes.
template <class Item>
int sum_many_vectors(FlagScan& scan, const CutSumsCall& call) {
  const int row_bits = scan.layout.row_bits, n_classes = call.n_classes;
  std::uint32_t labels[ClassBits<Item>::most];
  for (std::uint32_t label = 0, k = 0; k < static_cast<std::uint32_t>(n_classes); ++label)
    if (call.is_present[label]) labels[k++] = label;
  ClassBits<Item> classes;
  int m = 0;
  const auto write = [&](std::uint32_t place, std::uint32_t below) {
    call.rows_left[m] = place;
    for (int k = 0; k < n_classes; ++k)
      call.left[k * CutBlock::stride + m] = static_cast<std::int32_t>(
          scan.left[k] + static_cast<std::uint32_t>(std::popcount(classes.bits[k] & below)));
    ++m;
  };
  const auto pass = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t at) {
    classes.read(chunk, labels, n_classes, row_bits);
    for (; here; here &= here - 1)
      write(at + static_cast<std::uint32_t>(std::countr_zero(here)), (here & (0u - here)) - 1);
    return true;
  };
  const auto move = [&](const Chunk<Item>& chunk, std::uint32_t moved, bool is_read) {
    if (!is_read) classes.read(chunk, labels, n_classes, row_bits);
    classes.add(moved, n_classes, scan.left);
  };
  scan_chunks<Item>(scan, pass, move);
  if (m == CutBlock::capacity || !call.cut_at_end) return m;
  call.rows_left[m] = scan.n;  // all that have a value
  for (int k = 0; k < n_classes; ++k) call.left[k * CutBlock::stride + m] = call.all[k];
  return m + 1;
}

#ifdef __AVX512VBMI2__
/// Those of two classes: the count of the second and that of both say it all.
template <class Item>
int sum_two_vectors(FlagScan& scan, const CutSumsCall& call) {
  std::uint32_t label = 0;
  while (call.channel[label] != 1) ++label;
  const std::uint32_t second = label << scan.layout.row_bits;
  std::uint32_t seconds = scan.left[1];
  double *to_first = call.left, *to_second = call.left + CutBlock::stride;
  int m = 0;
  const auto half = [&](std::uint32_t cuts, std::uint32_t bits, std::uint32_t before,
                        std::uint32_t place) {
    m += write_two(cuts, bits, before, place, call.rows_left + m, to_first + m, to_second + m);
  };
  const auto pass = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t at) {
    const std::uint32_t bits = chunk.equal(second);
    if (here & 0xffff) half(here & 0xffff, bits & 0xffff, seconds, at);
    if (here >> 16)
      half(here >> 16, bits >> 16,
           seconds + static_cast<std::uint32_t>(std::popcount(bits & 0xffff)), at + 16);
    return true;
  };
  const auto move = [&](const Chunk<Item>& chunk, std::uint32_t moved, bool) {
    seconds += static_cast<std::uint32_t>(std::popcount(chunk.equal(second) & moved));
  };
  scan_chunks<Item>(scan, pass, move);
  scan.left[0] = scan.next - seconds;
  scan.left[1] = seconds;
  if (m == CutBlock::capacity || !call.cut_at_end) return m;
  call.rows_left[m] = scan.n;  // all that have a value
  to_first[m] = call.all[0];
  to_second[m] = call.all[1];
  return m + 1;
}
#else
template <class Item>
int sum_two_vectors(FlagScan& scan, const CutSumsCall& call) {
  return sum_two_cuts<Item>(scan, call);
}
#endif

template <class Item>
int sum_vectors(FlagScan& scan, const CutSumsCall& call) {
  if (call.n_classes == 2) return sum_two_vectors<Item>(scan, call);
  return call.n_classes <= ClassBits<Item>::most ? sum_many_vectors<Item>(scan, call)
                                                 : sum_cuts_of<Item>(scan, call);
}

template <class Item>
bool scan_vectors(FlagScan& scan, const DeviationFilter& filter) {
  if (filter.weight)
    return filter.n_classes == 2 ? scan_two_vectors<true, Item>(scan, filter)
                                 : scan_many_vectors<true, Item>(scan, filter);
  if (filter.n_classes == 2) return scan_two_vectors<false, Item>(scan, filter);
  // Where every row is a cut, one sum for all classes is cheaper from here on.
  const bool is_many = filter.n_classes > (scan.has_few_cuts ? ClassBits<Item>::most : 24) &&
                       scan.layout.class_bits <= most_label_bits;
  if (is_many && filter.equal_factors) return scan_many<Item>(scan, filter);
  return scan_many_vectors<false, Item>(scan, filter);
}

}  // namespace ramify::RAMIFY_KERNELS

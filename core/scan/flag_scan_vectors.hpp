// SPDX-License-Identifier: BSD-3-Clause
// Along flagged lists 32 items at a time, for processors with AVX-512 (F, BW, DQ, VL, VBMI2,
// VPOPCNTDQ).
#pragma once

#include <immintrin.h>

#include <bit>

#include "scan/flag_scan.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Up to 32 items of a list; what is beyond the end is zero.
template <class Item>
struct Chunk;

template <>
struct Chunk<std::uint32_t> {
  __m512i low, high;

  Chunk(const std::uint32_t* items, std::uint32_t n)
      : low(_mm512_maskz_loadu_epi32(static_cast<__mmask16>(n >= 16 ? 0xffffu : (1u << n) - 1),
                                     items)),
        high(n > 16
                 ? _mm512_maskz_loadu_epi32(
                       static_cast<__mmask16>(n >= 32 ? 0xffffu : (1u << (n - 16)) - 1), items + 16)
                 : _mm512_setzero_si512()) {}
  std::uint32_t flags() const {
    return _mm512_movepi32_mask(low) | std::uint32_t{_mm512_movepi32_mask(high)} << 16;
  }
  void keep(std::uint32_t mask) {
    const __m512i wanted = _mm512_set1_epi32(static_cast<int>(mask));
    low = _mm512_and_si512(low, wanted);
    high = _mm512_and_si512(high, wanted);
  }
  std::uint32_t equal(std::uint32_t value) const {
    const __m512i wanted = _mm512_set1_epi32(static_cast<int>(value));
    return _mm512_cmpeq_epi32_mask(low, wanted) |
           std::uint32_t{_mm512_cmpeq_epi32_mask(high, wanted)} << 16;
  }
};

template <>
struct Chunk<std::uint16_t> {
  __m512i all;

  Chunk(const std::uint16_t* items, std::uint32_t n)
      : all(_mm512_maskz_loadu_epi16(n >= 32 ? 0xffffffffu : (1u << n) - 1, items)) {}
  std::uint32_t flags() const { return _mm512_movepi16_mask(all); }
  void keep(std::uint32_t mask) {
    all = _mm512_and_si512(all, _mm512_set1_epi16(static_cast<short>(mask)));
  }
  std::uint32_t equal(std::uint32_t value) const {
    return _mm512_cmpeq_epi16_mask(all, _mm512_set1_epi16(static_cast<short>(value)));
  }
};

inline __m512i lanes() {
  return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/// How many bits are set below each of 16 places, as numbers; `before` are added.
inline __m512 counts_before(std::uint32_t bits, std::uint32_t before) {
  const __m512i below =
      _mm512_sub_epi32(_mm512_sllv_epi32(_mm512_set1_epi32(1), lanes()), _mm512_set1_epi32(1));
  const __m512i counts =
      _mm512_popcnt_epi32(_mm512_and_si512(_mm512_set1_epi32(static_cast<int>(bits)), below));
  return _mm512_cvtepi32_ps(_mm512_add_epi32(counts, _mm512_set1_epi32(static_cast<int>(before))));
}

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

/// Two classes; see passes_two, and with weights passes_two_weights.
template <bool has_weights, class Item>
bool scan_two_vectors(FlagScan& scan, const DeviationFilter& filter) {
  const std::uint32_t second = filter.label[1] << scan.layout.row_bits;
  const __m512 share = _mm512_set1_ps(filter.share[1]), slack = _mm512_set1_ps(filter.slack);
  const __m512 total = _mm512_set1_ps(has_weights ? filter.total - filter.slack : filter.total);
  const __m512 least = _mm512_set1_ps(filter.least / (filter.factor[0] + filter.factor[1]));
  const __m512 weight = _mm512_set1_ps(has_weights ? filter.weight[0] : 1),
               second_weight = _mm512_set1_ps(has_weights ? filter.weight[1] : 1);
  std::uint32_t seconds = scan.left[1];
  const auto pass = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t at) {
    const std::uint32_t bits = chunk.equal(second);
    const auto half = [&](std::uint32_t cuts, std::uint32_t own, std::uint32_t before,
                          std::uint32_t place) {
      __m512 n_left = counts_before(0xffff, place + scan.rows_before);
      __m512 left = counts_before(own, before);
      if constexpr (has_weights) {
        n_left = _mm512_mul_ps(_mm512_sub_ps(n_left, left), weight);
        left = _mm512_mul_ps(left, second_weight);
        n_left = _mm512_add_ps(n_left, left);
      }
      const __m512 deviation = _mm512_fnmadd_ps(n_left, share, left);
      const __m512 most = _mm512_add_ps(_mm512_abs_ps(deviation), slack);
      const __m512 n_right = _mm512_max_ps(_mm512_sub_ps(total, n_left), _mm512_setzero_ps());
      const __m512 room = _mm512_mul_ps(_mm512_mul_ps(least, n_left), n_right);
      return _mm512_mask_cmp_ps_mask(static_cast<__mmask16>(cuts), _mm512_mul_ps(most, most), room,
                                     _CMP_GE_OQ) != 0;
    };
    bool passed = false;
    if (here & 0xffff) passed = half(here & 0xffff, bits & 0xffff, seconds, at);
    if (here >> 16)
      passed |= half(here >> 16, bits >> 16,
                     seconds + static_cast<std::uint32_t>(std::popcount(bits & 0xffff)), at + 16);
    return passed;
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

template <class Item>
bool scan_many_vectors(FlagScan& scan, const DeviationFilter& filter) {
  const int row_bits = scan.layout.row_bits, n_classes = filter.n_classes;
  const __m512 slack = _mm512_set1_ps(filter.total_slack), total = _mm512_set1_ps(filter.total);
  const __m512 least = _mm512_set1_ps(filter.least);
  ClassBits<Item> classes;
  const auto passes = [&](std::uint32_t cuts, int from, std::uint32_t place) {
    const __m512 n_left = counts_before(0xffff, place + scan.rows_before);
    __m512 sum = _mm512_setzero_ps();
    for (int k = 0; k < n_classes; ++k) {
      const std::uint32_t bits = classes.bits[k];
      const auto before = static_cast<std::uint32_t>(std::popcount(bits & ((1u << from) - 1)));
      const __m512 deviation = _mm512_fnmadd_ps(n_left, _mm512_set1_ps(filter.share[k]),
                                                counts_before(bits >> from, scan.left[k] + before));
      sum = _mm512_fmadd_ps(_mm512_mul_ps(deviation, deviation), _mm512_set1_ps(filter.factor[k]),
                            sum);
    }
    const __m512 most = _mm512_add_ps(_mm512_sqrt_ps(sum), slack);
    const __m512 room = _mm512_mul_ps(_mm512_mul_ps(least, n_left), _mm512_sub_ps(total, n_left));
    return _mm512_mask_cmp_ps_mask(static_cast<__mmask16>(cuts), _mm512_mul_ps(most, most), room,
                                   _CMP_GE_OQ) != 0;
  };
  const auto pass = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t at) {
    classes.read(chunk, filter.label, n_classes, row_bits);
    bool passed = false;
    if (here & 0xffff) passed = passes(here & 0xffff, 0, at);
    if (here >> 16) passed |= passes(here >> 16, 16, at + 16);
    return passed;
  };
  const auto move = [&](const Chunk<Item>& chunk, std::uint32_t moved, bool is_read) {
    if (!is_read) classes.read(chunk, filter.label, n_classes, row_bits);
    classes.add(moved, n_classes, scan.left);
  };
  return scan_chunks<Item>(scan, pass, move);
}

/// More classes of different weights.
template <class Item>
bool scan_weights_vectors(FlagScan& scan, const DeviationFilter& filter) {
  const int row_bits = scan.layout.row_bits, n_classes = filter.n_classes;
  const __m512 slack = _mm512_set1_ps(filter.total_slack);
  const __m512 total = _mm512_set1_ps(filter.total - filter.slack);
  const __m512 least = _mm512_set1_ps(filter.least);
  ClassBits<Item> classes;
  const auto passes = [&](std::uint32_t cuts, int from) {
    __m512 own[ClassBits<Item>::most], n_left = _mm512_setzero_ps();
    for (int k = 0; k < n_classes; ++k) {
      const std::uint32_t bits = classes.bits[k];
      const auto before = static_cast<std::uint32_t>(std::popcount(bits & ((1u << from) - 1)));
      own[k] = _mm512_mul_ps(counts_before(bits >> from, scan.left[k] + before),
                             _mm512_set1_ps(filter.weight[k]));
      n_left = _mm512_add_ps(n_left, own[k]);
    }
    __m512 sum = _mm512_setzero_ps();
    for (int k = 0; k < n_classes; ++k) {
      const __m512 deviation = _mm512_fnmadd_ps(n_left, _mm512_set1_ps(filter.share[k]), own[k]);
      sum = _mm512_fmadd_ps(_mm512_mul_ps(deviation, deviation), _mm512_set1_ps(filter.factor[k]),
                            sum);
    }
    const __m512 most = _mm512_add_ps(_mm512_sqrt_ps(sum), slack);
    const __m512 n_right = _mm512_max_ps(_mm512_sub_ps(total, n_left), _mm512_setzero_ps());
    const __m512 room = _mm512_mul_ps(_mm512_mul_ps(least, n_left), n_right);
    return _mm512_mask_cmp_ps_mask(static_cast<__mmask16>(cuts), _mm512_mul_ps(most, most), room,
                                   _CMP_GE_OQ) != 0;
  };
  const auto pass = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t) {
    classes.read(chunk, filter.label, n_classes, row_bits);
    bool passed = false;
    if (here & 0xffff) passed = passes(here & 0xffff, 0);
    if (here >> 16) passed |= passes(here >> 16, 16);
    return passed;
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

/// Those of two classes: the count of the second and that of both say it all.
template <class Item>
int sum_two_vectors(FlagScan& scan, const CutSumsCall& call) {
  std::uint32_t label = 0;
  while (call.channel[label] != 1) ++label;
  const std::uint32_t second = label << scan.layout.row_bits;
  std::uint32_t seconds = scan.left[1];
  double *to_first = call.left, *to_second = call.left + CutBlock::stride;
  int m = 0;
  const auto store = [&](double* to, __m512i numbers, std::uint32_t mask) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask),
                          _mm512_cvtepi32_pd(_mm512_castsi512_si256(numbers)));
    if (mask >> 8)
      _mm512_mask_storeu_pd(to + 8, static_cast<__mmask8>(mask >> 8),
                            _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(numbers, 1)));
  };
  const auto half = [&](std::uint32_t cuts, std::uint32_t own, std::uint32_t before,
                        std::uint32_t place) {
    const __m512i below =
        _mm512_sub_epi32(_mm512_sllv_epi32(_mm512_set1_epi32(1), lanes()), _mm512_set1_epi32(1));
    const __m512i counts = _mm512_add_epi32(
        _mm512_popcnt_epi32(_mm512_and_si512(_mm512_set1_epi32(static_cast<int>(own)), below)),
        _mm512_set1_epi32(static_cast<int>(before)));
    const auto kept = static_cast<__mmask16>(cuts);
    const __m512i places = _mm512_maskz_compress_epi32(
        kept, _mm512_add_epi32(lanes(), _mm512_set1_epi32(static_cast<int>(place))));
    const __m512i in_second = _mm512_maskz_compress_epi32(kept, counts);
    const int n = std::popcount(cuts);
    const std::uint32_t mask = (1u << n) - 1;
    _mm512_mask_storeu_epi32(call.rows_left + m, static_cast<__mmask16>(mask), places);
    store(to_second + m, in_second, mask);
    store(to_first + m, _mm512_sub_epi32(places, in_second), mask);
    m += n;
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
                                 : scan_weights_vectors<Item>(scan, filter);
  if (filter.n_classes == 2) return scan_two_vectors<false, Item>(scan, filter);
  // Where every row is a cut, one sum for all classes is cheaper from here on.
  const bool is_many = filter.n_classes > (scan.has_few_cuts ? ClassBits<Item>::most : 24) &&
                       scan.layout.class_bits <= most_label_bits;
  if (is_many && filter.equal_factors) return scan_many<Item>(scan, filter);
  return scan_many_vectors<Item>(scan, filter);
}

}  // namespace ramify::RAMIFY_KERNELS

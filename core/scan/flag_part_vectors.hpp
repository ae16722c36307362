// SPDX-License-Identifier: BSD-3-Clause
// Flagged lists parted a vector at a time, for processors with AVX-512; see flag_scan_vectors.hpp.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstring>

#include "scan/flags.hpp"
#include "util/pack.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Which rows are marked: looked up in memory.
struct WideMarks {
  const std::uint32_t* marks;
  explicit WideMarks(const std::uint32_t* words) : marks(words) {}
  std::uint32_t of(__m512i rows) const {
    const __m512i words = _mm512_i32gather_epi32(_mm512_srli_epi32(rows, 5), marks, 4);
    const __m512i bit =
        _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(rows, _mm512_set1_epi32(31)));
    return _mm512_test_epi32_mask(words, bit);
  }
};

/// The same for up to 2,048 rows: their marks stay in four registers.
struct ShortMarks {
  __m512i words[4];
  explicit ShortMarks(const std::uint32_t* marks) {
    for (int i = 0; i < 4; ++i) words[i] = _mm512_loadu_si512(marks + 16 * i);
  }
  std::uint32_t of(__m512i rows) const {
    const __m512i at = _mm512_srli_epi16(rows, 4);
    const __m512i low = _mm512_permutex2var_epi16(words[0], at, words[1]);
    const __m512i high = _mm512_permutex2var_epi16(words[2], at, words[3]);
    const __m512i found =
        _mm512_mask_blend_epi16(_mm512_test_epi16_mask(at, _mm512_set1_epi16(64)), low, high);
    const __m512i bit =
        _mm512_sllv_epi16(_mm512_set1_epi16(1), _mm512_and_si512(rows, _mm512_set1_epi16(15)));
    return _mm512_test_epi16_mask(found, bit);
  }
};

/// One vector of items, whatever their size.
template <class Item>
struct Lanes;

template <>
struct Lanes<std::uint32_t> {
  using Marks = WideMarks;
  static constexpr std::uint32_t width = 16;
  static __m512i load(const std::uint32_t* p, std::uint32_t mask) {
    return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask), p);
  }
  static void store(std::uint32_t* p, std::uint32_t mask, __m512i x) {
    _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(mask), x);
  }
  static __m512i spread(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
  static std::uint32_t flags(__m512i x) { return _mm512_movepi32_mask(x); }
  static __m512i with(__m512i x, std::uint32_t mask, __m512i bits) {
    return _mm512_mask_or_epi32(x, static_cast<__mmask16>(mask), x, bits);
  }
  static __m512i compress(__m512i x, std::uint32_t mask) {
    return _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), x);
  }
};

template <>
struct Lanes<std::uint16_t> {
  using Marks = ShortMarks;
  static constexpr std::uint32_t width = 32;
  static __m512i load(const std::uint16_t* p, std::uint32_t mask) {
    return _mm512_maskz_loadu_epi16(mask, p);
  }
  static void store(std::uint16_t* p, std::uint32_t mask, __m512i x) {
    _mm512_mask_storeu_epi16(p, mask, x);
  }
  static __m512i spread(std::uint32_t x) { return _mm512_set1_epi16(static_cast<short>(x)); }
  static std::uint32_t flags(__m512i x) { return _mm512_movepi16_mask(x); }
  static __m512i with(__m512i x, std::uint32_t mask, __m512i bits) {
    return _mm512_mask_blend_epi16(mask, x, _mm512_or_si512(x, bits));
  }
  static __m512i compress(__m512i x, std::uint32_t mask) {
    return _mm512_maskz_compress_epi16(mask, x);
  }
};

/// Items that stay get the flags of those skipped before them: a carry runs through the skipped
/// ones, from a flag to the next item that stays.
struct FlagCarry {
  std::uint64_t carry = 0;
  std::uint32_t flags_of(std::uint32_t flags, std::uint32_t skipped, std::uint32_t width) {
    const std::uint64_t sum = std::uint64_t{skipped} + (flags & skipped) + carry;
    carry = sum >> width & 1;
    return flags | static_cast<std::uint32_t>(sum);
  }
};

template <class Item>
void part_vectors(const FlagPart& part) {
  using L = Lanes<Item>;
  auto* items = static_cast<Item*>(part.items);
  auto* spare = static_cast<Item*>(part.spare);
  const typename L::Marks marks(part.marks);
  const __m512i row_mask = L::spread(part.layout.row_mask());
  const __m512i flag = L::spread(FlagLayout::flag<Item>);
  constexpr std::uint32_t all = L::width == 32 ? ~0u : 0xffffu;
  const std::uint32_t turned = part.marked_left ? 0 : all;
  FlagCarry to_left, to_right;
  std::uint32_t left = 0, right = 0;
  for (std::uint32_t at = 0; at < part.n; at += L::width) {
    const std::uint32_t rest = part.n - at;
    const std::uint32_t valid = rest >= L::width ? all : (1u << rest) - 1;
    const __m512i own = L::load(items + at, valid);
    const std::uint32_t is_left = (marks.of(_mm512_and_si512(own, row_mask)) ^ turned) & valid;
    const std::uint32_t is_right = valid & ~is_left;
    const std::uint32_t flags = L::flags(own);
    if (part.keep != Keep::right) {
      const std::uint32_t flagged = to_left.flags_of(flags, is_right, L::width);
      // What is written lies below what was read, but at the end it may reach into the next node.
      L::store(items + left, valid, L::compress(L::with(own, flagged, flag), is_left));
    }
    if (part.keep != Keep::left) {
      const std::uint32_t flagged = to_right.flags_of(flags, is_left, L::width);
      _mm512_storeu_si512(spare + right, L::compress(L::with(own, flagged, flag), is_right));
    }
    left += static_cast<std::uint32_t>(std::popcount(is_left));
    right += static_cast<std::uint32_t>(std::popcount(is_right));
  }
  if (part.keep != Keep::left) std::memcpy(items + left, spare, right * sizeof(Item));
}

}  // namespace ramify::RAMIFY_KERNELS

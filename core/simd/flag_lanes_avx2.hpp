// SPDX-License-Identifier: BSD-3-Clause
// Vectors of flagged lists for processors with AVX2; see flag_lanes.hpp. What AVX-512 does by masks
// is looked up in tables by eight bits.
#pragma once

#include <array>

namespace ramify::RAMIFY_KERNELS {

using Floats = __m256;
inline constexpr int n_floats = 8;

inline Floats floats(float x) { return _mm256_set1_ps(x); }
inline Floats load_floats(const float* p) { return _mm256_loadu_ps(p); }
inline Floats plus_product(Floats c, Floats a, Floats b) { return c + a * b; }
inline Floats minus_product(Floats c, Floats a, Floats b) { return c - a * b; }
inline Floats larger_of(Floats a, Floats b) { return _mm256_max_ps(a, b); }
inline Floats magnitude_of(Floats x) { return _mm256_andnot_ps(floats(-0.0f), x); }
inline Floats root_of(Floats x) { return _mm256_sqrt_ps(x); }
/// By the sign of x.
inline Floats select_positive(Floats x, Floats yes, Floats no) {
  return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GT_OQ));
}
/// A bit for each lane.
inline std::uint32_t at_least(Floats a, Floats b) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GE_OQ)));
}

/// For each byte, and each of its bits: how many bits below it are set, and the place of the n-th,
/// of bytes and of pairs of bytes.
struct ByteTables {
  std::array<std::array<std::uint8_t, 8>, 256> n_before{}, place{};
  alignas(16) std::array<std::array<std::uint8_t, 16>, 256> pair{};

  constexpr ByteTables() {
    for (unsigned byte = 0; byte < 256; ++byte)
      for (unsigned bit = 0, n = 0; bit < 8; ++bit) {
        n_before[byte][bit] = static_cast<std::uint8_t>(n);
        if (!(byte >> bit & 1)) continue;
        pair[byte][2 * n] = static_cast<std::uint8_t>(2 * bit);
        pair[byte][2 * n + 1] = static_cast<std::uint8_t>(2 * bit + 1);
        place[byte][n++] = static_cast<std::uint8_t>(bit);
      }
  }
};
inline constexpr ByteTables byte_tables;

/// Eight numbers below 256 as eight of 32 bits.
inline __m256i widen(const std::array<std::uint8_t, 8>& numbers) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(numbers.data())));
}

/// How many bits are set below each place; `before` are added.
inline Floats counts_before(std::uint32_t bits, std::uint32_t before) {
  return _mm256_cvtepi32_ps(_mm256_add_epi32(widen(byte_tables.n_before[bits & 0xff]),
                                             _mm256_set1_epi32(static_cast<int>(before))));
}
/// n, n + 1, ...
inline Floats counts_from(std::uint32_t n) { return counts_before(0xff, n); }

inline __m256i load_vector(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

/// 32 bytes of the two halves of two vectors that were packed, in their order.
inline __m256i in_order(__m256i packed) { return _mm256_permute4x64_epi64(packed, 0xd8); }

/// Up to 32 items of a list; what is beyond the end is zero.
template <class Item>
struct Chunk {
  static constexpr int n_vectors = sizeof(Item);  // 32 items are as many vectors as bytes each
  __m256i part[n_vectors];

  Chunk(const Item* items, std::uint32_t n) {
    Item rest[32];
    if (n < 32) {
      std::memset(rest, 0, sizeof rest);
      std::memcpy(rest, items, n * sizeof(Item));
      items = rest;
    }
    for (int i = 0; i < n_vectors; ++i) part[i] = load_vector(items + i * (32 / n_vectors));
  }
  std::uint32_t flags() const { return highest_bits(part); }
  void keep(std::uint32_t mask) {
    for (__m256i& own : part) own = _mm256_and_si256(own, all_of(mask));
  }
  std::uint32_t equal(std::uint32_t value) const {
    __m256i same[n_vectors];
    for (int i = 0; i < n_vectors; ++i)
      if constexpr (sizeof(Item) == 2)
        same[i] = _mm256_cmpeq_epi16(part[i], all_of(value));
      else
        same[i] = _mm256_cmpeq_epi32(part[i], all_of(value));
    return highest_bits(same);
  }

 private:
  static __m256i all_of(std::uint32_t x) {
    if constexpr (sizeof(Item) == 2) return _mm256_set1_epi16(static_cast<short>(x));
    return _mm256_set1_epi32(static_cast<int>(x));
  }
  /// Packs saturate, so that signs stay.
  static std::uint32_t highest_bits(const __m256i* x) {
    __m256i bytes;
    if constexpr (sizeof(Item) == 2)
      bytes = in_order(_mm256_packs_epi16(x[0], x[1]));
    else
      bytes = _mm256_permutevar8x32_epi32(
          _mm256_packs_epi16(_mm256_packs_epi32(x[0], x[1]), _mm256_packs_epi32(x[2], x[3])),
          _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
  }
};

/// Which of eight rows are marked: looked up in memory.
struct GatheredFlags {
  const std::uint32_t* moved;
  explicit GatheredFlags(const std::uint32_t* words) : moved(words) {}
  std::uint32_t of(__m256i rows) const {
    const __m256i words =
        _mm256_i32gather_epi32(reinterpret_cast<const int*>(moved), _mm256_srli_epi32(rows, 5), 4);
    const __m256i up = _mm256_andnot_si256(rows, _mm256_set1_epi32(31));  // to the highest bit
    return static_cast<std::uint32_t>(
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(words, up))));
  }
  std::uint32_t of(__m128i rows) const { return of(_mm256_cvtepu16_epi32(rows)); }
};

/// One vector of items, whatever their size.
template <class Item>
struct Lanes;

template <>
struct Lanes<std::uint32_t> {
  using Vector = __m256i;
  using MovedFlags = GatheredFlags;
  static constexpr std::uint32_t width = 8;
  static Vector places() { return _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1); }
  /// All bits of each lane that a bit is set for.
  static Vector chosen(std::uint32_t mask) {
    return _mm256_cmpeq_epi32(_mm256_and_si256(spread(mask), places()), places());
  }
  static Vector load(const std::uint32_t* p, std::uint32_t mask) {
    if (mask == 0xff) return load_vector(p);
    return _mm256_maskload_epi32(reinterpret_cast<const int*>(p), chosen(mask));
  }
  static void store(std::uint32_t* p, std::uint32_t mask, Vector x) {
    if (mask == 0xff) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
    _mm256_maskstore_epi32(reinterpret_cast<int*>(p), chosen(mask), x);
  }
  static Vector spread(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
  static std::uint32_t flags(Vector x) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(x)));
  }
  static Vector with_flags(Vector x, std::uint32_t mask) {
    return _mm256_or_si256(x, _mm256_and_si256(chosen(mask), spread(1u << 31)));
  }
  static Vector compress(Vector x, std::uint32_t mask) {
    return _mm256_permutevar8x32_epi32(x, widen(byte_tables.place[mask]));
  }
};

template <>
struct Lanes<std::uint16_t> {
  using Vector = __m128i;
  using MovedFlags = GatheredFlags;
  static constexpr std::uint32_t width = 8;
  static Vector places() { return _mm_set_epi16(128, 64, 32, 16, 8, 4, 2, 1); }
  static Vector load(const std::uint16_t* p, std::uint32_t mask) {
    if (mask == 0xff) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    std::uint16_t rest[8] = {};
    std::memcpy(rest, p, static_cast<std::size_t>(std::popcount(mask)) * sizeof *p);
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rest));
  }
  static void store(std::uint16_t* p, std::uint32_t mask, Vector x) {
    if (mask == 0xff) return _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x);
    std::uint16_t rest[8];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(rest), x);
    std::memcpy(p, rest, static_cast<std::size_t>(std::popcount(mask)) * sizeof *p);
  }
  static Vector spread(std::uint32_t x) { return _mm_set1_epi16(static_cast<short>(x)); }
  static std::uint32_t flags(Vector x) {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(x, x))) & 0xff;
  }
  static Vector with_flags(Vector x, std::uint32_t mask) {
    const Vector chosen = _mm_cmpeq_epi16(_mm_and_si128(spread(mask), places()), places());
    return _mm_or_si128(x, _mm_and_si128(chosen, spread(1u << 15)));
  }
  static Vector compress(Vector x, std::uint32_t mask) {
    return _mm_shuffle_epi8(
        x, _mm_load_si128(reinterpret_cast<const __m128i*>(byte_tables.pair[mask].data())));
  }
};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Sixteen integers of 16 bits side by side, and sums of their products.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/pack.hpp"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ramify::RAMIFY_KERNELS {

struct ShortLanes {
  static constexpr int n = 16;
#if defined(__GNUC__)
  typedef std::int16_t Lanes __attribute__((vector_size(n * sizeof(std::int16_t))));
  Lanes lanes;
  friend ShortLanes operator+(ShortLanes a, ShortLanes b) { return {a.lanes + b.lanes}; }
  friend ShortLanes operator-(ShortLanes a, ShortLanes b) { return {a.lanes - b.lanes}; }
#else
  std::int16_t lanes[n];
  friend ShortLanes operator+(ShortLanes a, ShortLanes b) {
    for (int i = 0; i < n; ++i) a.lanes[i] = static_cast<std::int16_t>(a.lanes[i] + b.lanes[i]);
    return a;
  }
  friend ShortLanes operator-(ShortLanes a, ShortLanes b) {
    for (int i = 0; i < n; ++i) a.lanes[i] = static_cast<std::int16_t>(a.lanes[i] - b.lanes[i]);
    return a;
  }
#endif
  static ShortLanes load(const std::uint16_t* from) {
    ShortLanes x;
    std::memcpy(&x.lanes, from, sizeof(x.lanes));
    return x;
  }
  static ShortLanes spread(std::int16_t value) {
    ShortLanes x;
    for (int i = 0; i < n; ++i) x.lanes[i] = value;
    return x;
  }
};

/// Sums of products that are still to be added up.
struct ProductSums {
#if defined(__AVX2__)
  __m256i sums = _mm256_setzero_si256();
  void add(ShortLanes a, ShortLanes b) {
    sums = _mm256_add_epi32(
        sums, _mm256_madd_epi16(std::bit_cast<__m256i>(a.lanes), std::bit_cast<__m256i>(b.lanes)));
  }
#elif defined(__SSE2__)
  __m128i sums = _mm_setzero_si128();
  void add(ShortLanes a, ShortLanes b) {
    __m128i x[2], y[2];
    std::memcpy(x, &a.lanes, sizeof(x));
    std::memcpy(y, &b.lanes, sizeof(y));
    sums =
        _mm_add_epi32(sums, _mm_add_epi32(_mm_madd_epi16(x[0], y[0]), _mm_madd_epi16(x[1], y[1])));
  }
#else
  std::int32_t sums = 0;
  void add(ShortLanes a, ShortLanes b) {
    for (int i = 0; i < ShortLanes::n; ++i) sums += std::int32_t{a.lanes[i]} * b.lanes[i];
  }
#endif
};

/// Writes the totals of four sums.
inline void add_up(const ProductSums (&x)[4], std::int32_t* to) {
#if defined(__AVX2__)
  const __m256i sums = _mm256_hadd_epi32(_mm256_hadd_epi32(x[0].sums, x[1].sums),
                                         _mm256_hadd_epi32(x[2].sums, x[3].sums));
  const __m128i total =
      _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  std::memcpy(to, &total, sizeof(total));
#elif defined(__SSE2__)
  const __m128i ab_low = _mm_unpacklo_epi32(x[0].sums, x[1].sums),
                ab_high = _mm_unpackhi_epi32(x[0].sums, x[1].sums),
                cd_low = _mm_unpacklo_epi32(x[2].sums, x[3].sums),
                cd_high = _mm_unpackhi_epi32(x[2].sums, x[3].sums);
  const __m128i ab = _mm_add_epi32(ab_low, ab_high), cd = _mm_add_epi32(cd_low, cd_high);
  const __m128i total = _mm_add_epi32(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd));
  std::memcpy(to, &total, sizeof(total));
#else
  for (int i = 0; i < 4; ++i) to[i] = x[i].sums;
#endif
}

}  // namespace ramify::RAMIFY_KERNELS

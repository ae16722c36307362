// SPDX-License-Identifier: BSD-3-Clause
// Values of up to 64 rows as vectors, for processors with AVX-512 (F, BW, DQ, VL).
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <limits>

#include "search/subtree_kernels.hpp"
#include "simd/pack.hpp"
#include "util/exact_sum.hpp"

namespace ramify::RAMIFY_KERNELS {

template <class Value>
struct EndsOf {
  Value min, max;
};

inline EndsOf<float> ends_of(const float* values, std::uint64_t rows, std::uint32_t n_lanes) {
  __m512 min = _mm512_set1_ps(std::numeric_limits<float>::infinity()),
         max = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  for (std::uint32_t i = 0; i < n_lanes; i += 16) {
    const auto here = static_cast<__mmask16>(rows >> i);
    const __m512 x = _mm512_loadu_ps(values + i);
    min = _mm512_mask_min_ps(min, here, min, x);
    max = _mm512_mask_max_ps(max, here, max, x);
  }
  return {_mm512_reduce_min_ps(min), _mm512_reduce_max_ps(max)};
}

inline EndsOf<double> ends_of(const double* values, std::uint64_t rows, std::uint32_t n_lanes) {
  __m512d min = _mm512_set1_pd(std::numeric_limits<double>::infinity()),
          max = _mm512_set1_pd(-std::numeric_limits<double>::infinity());
  for (std::uint32_t i = 0; i < n_lanes; i += 8) {
    const auto here = static_cast<__mmask8>(rows >> i);
    const __m512d x = _mm512_loadu_pd(values + i);
    min = _mm512_mask_min_pd(min, here, min, x);
    max = _mm512_mask_max_pd(max, here, max, x);
  }
  return {_mm512_reduce_min_pd(min), _mm512_reduce_max_pd(max)};
}

/// The least of 64 bytes: pairs of halves, then the least of eight words.
inline std::uint32_t min_of_bytes(__m512i x) {
  const __m256i half = _mm256_min_epu8(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
  const __m128i quarter =
      _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  const __m128i words = _mm_min_epu8(quarter, _mm_srli_epi16(quarter, 8));
  return static_cast<std::uint32_t>(
      _mm_extract_epi8(_mm_minpos_epu16(_mm_and_si128(words, _mm_set1_epi16(0xff))), 0));
}

inline EndsOf<std::uint8_t> ends_of(const std::uint8_t* values, std::uint64_t rows, std::uint32_t) {
  const __m512i x = _mm512_loadu_si512(values), full = _mm512_set1_epi8(-1);
  const __m512i low = _mm512_mask_blend_epi8(rows, full, x),
                high = _mm512_mask_blend_epi8(rows, full, _mm512_xor_si512(x, full));
  return {static_cast<std::uint8_t>(min_of_bytes(low)),
          static_cast<std::uint8_t>(~min_of_bytes(high))};
}

inline std::uint64_t lanes_up_to(const float* values, float bound, std::uint64_t rows,
                                 std::uint32_t n_lanes) {
  const __m512 threshold = _mm512_set1_ps(bound);
  std::uint64_t found = 0;
  for (std::uint32_t i = 0; i < n_lanes; i += 16)
    found |= std::uint64_t{_mm512_cmp_ps_mask(_mm512_loadu_ps(values + i), threshold, _CMP_LE_OQ)}
             << i;
  return found & rows;
}

inline std::uint64_t lanes_up_to(const double* values, double bound, std::uint64_t rows,
                                 std::uint32_t n_lanes) {
  const __m512d threshold = _mm512_set1_pd(bound);
  std::uint64_t found = 0;
  for (std::uint32_t i = 0; i < n_lanes; i += 8)
    found |= std::uint64_t{_mm512_cmp_pd_mask(_mm512_loadu_pd(values + i), threshold, _CMP_LE_OQ)}
             << i;
  return found & rows;
}

inline std::uint64_t lanes_up_to(const std::uint8_t* values, std::uint8_t bound, std::uint64_t rows,
                                 std::uint32_t) {
  return _mm512_mask_cmple_epu8_mask(rows, _mm512_loadu_si512(values),
                                     _mm512_set1_epi8(static_cast<char>(bound)));
}

inline double sum_of_lanes(std::uint64_t rows, std::uint32_t n_lanes, const double* quantised) {
  __m512d sum = _mm512_setzero_pd();
  for (std::uint32_t i = 0; i < n_lanes; i += 8)
    sum = _mm512_mask_add_pd(sum, static_cast<__mmask8>(rows >> i), sum,
                             _mm512_loadu_pd(quantised + i));
  return _mm512_reduce_add_pd(sum);
}

inline void sum_terms_of_lanes(const LaneTargets& call, LaneTerms& terms) {
  const __m512d centre = _mm512_set1_pd(terms.centre), up = _mm512_set1_pd(terms.up),
                finer = _mm512_set1_pd(terms.finer), magic = _mm512_set1_pd(rounding_shift);
  __m512d coarse = _mm512_setzero_pd(), fine = coarse;
  for (std::uint32_t i = 0; i < call.n_lanes; i += 8) {
    const auto here = static_cast<__mmask8>(call.rows >> i);
    if (here == 0) continue;
    const __m512d away = _mm512_sub_pd(_mm512_loadu_pd(call.y + i), centre);
    const __m512d x = _mm512_mul_pd(terms.is_squared ? _mm512_mul_pd(away, away) : away, up);
    const __m512d whole = _mm512_sub_pd(_mm512_add_pd(x, magic), magic);
    const __m512d rest = _mm512_mul_pd(_mm512_sub_pd(x, whole), finer);
    coarse = _mm512_mask_add_pd(coarse, here, coarse, whole);
    fine = _mm512_mask_add_pd(fine, here, fine, _mm512_sub_pd(_mm512_add_pd(rest, magic), magic));
  }
  terms.coarse = _mm512_reduce_add_pd(coarse);
  terms.fine = _mm512_reduce_add_pd(fine);
}

inline double quantise_lanes(const LaneTargets& call, double centre, double per_unit, double up,
                             double down, double* quantised) {
  const __m512d magic = _mm512_set1_pd(rounding_shift);
  __m512d sum = _mm512_setzero_pd();
  for (std::uint32_t i = 0; i < call.n_lanes; i += 8) {
    const auto here = static_cast<__mmask8>(call.rows >> i);
    if (here == 0) continue;
    const __m512d z =
        _mm512_mul_pd(_mm512_sub_pd(_mm512_loadu_pd(call.y + i), _mm512_set1_pd(centre)),
                      _mm512_set1_pd(per_unit));
    const __m512d x = _mm512_mul_pd(z, _mm512_set1_pd(up));
    const __m512d mark =
        _mm512_mul_pd(_mm512_sub_pd(_mm512_add_pd(x, magic), magic), _mm512_set1_pd(down));
    _mm512_mask_storeu_pd(quantised + i, here, mark);
    sum = _mm512_mask_add_pd(sum, here, sum, mark);
  }
  return _mm512_reduce_add_pd(sum);
}

}  // namespace ramify::RAMIFY_KERNELS

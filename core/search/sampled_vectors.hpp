// SPDX-License-Identifier: BSD-3-Clause
// Random cuts of float values, 16 numbers at a time, for processors with AVX-512 (F, VL).
#pragma once

#include <immintrin.h>

#include <bit>

#include "search/sampled_kernels.hpp"
#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Two classes that count: the values of four rows in four columns are one vector.
inline void count_two_sides_vectors(const SideCall<CountKey>& call, const float (&thresholds)[4]) {
  const auto* const values = static_cast<const float*>(call.values);
  const ItemLayout layout = call.weigher.layout;
  const __m512 threshold = _mm512_broadcast_f32x4(_mm_loadu_ps(thresholds));
  const __m512i low_of_lane = _mm512_set_epi32(6, 6, 6, 6, 4, 4, 4, 4, 2, 2, 2, 2, 0, 0, 0, 0);
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i times_mask = _mm512_set1_epi32((1 << layout.times_bits) - 1);
  const __m128i to_times = _mm_cvtsi32_si128(layout.row_bits),
                to_label = _mm_cvtsi32_si128(layout.row_bits + layout.times_bits);
  __m512i n_left = _mm512_setzero_si512(), both = n_left, second = n_left;
  for (std::uint32_t i = 0; i < call.n; i += 4) {
    const std::uint32_t rest = call.n - i;
    const auto lanes = static_cast<__mmask16>(rest >= 4 ? 0xffffu : (1u << 4 * rest) - 1);
    const __m256i row_indices = _mm256_maskz_loadu_epi64(
        static_cast<__mmask8>(rest >= 4 ? 0xf : (1u << rest) - 1), call.row_indices + i);
    const __m512i low = _mm512_permutexvar_epi32(low_of_lane, _mm512_castsi256_si512(row_indices));
    const __mmask16 left = _mm512_mask_cmp_ps_mask(
        lanes, _mm512_maskz_loadu_ps(lanes, values + std::size_t{4} * i), threshold, _CMP_LE_OQ);
    const __mmask16 is_second =
        _mm512_mask_test_epi32_mask(left, _mm512_srl_epi32(low, to_label), one);
    n_left = _mm512_mask_add_epi32(n_left, left, n_left, one);
    if (layout.times_bits == 0) {
      second = _mm512_mask_add_epi32(second, is_second, second, one);
      continue;
    }
    const __m512i times = _mm512_and_si512(_mm512_srl_epi32(low, to_times), times_mask);
    both = _mm512_mask_add_epi32(both, left, both, times);
    second = _mm512_mask_add_epi32(second, is_second, second, times);
  }
  if (layout.times_bits == 0) both = n_left;
  const auto by_column = [](__m512i x, std::uint32_t* to) {
    const __m256i half =
        _mm256_add_epi32(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(to),
        _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)));
  };
  std::uint32_t of_both[4], of_second[4];
  by_column(n_left, call.n_left);
  by_column(both, of_both);
  by_column(second, of_second);
  for (int j = 0; j < 4; ++j) {
    call.classes[2 * j] = of_both[j] - of_second[j];
    call.classes[2 * j + 1] = of_second[j];
  }
}

/// What lies up to the thresholds of some columns side by side: rows, weight, sum.
template <std::size_t width, bool is_counted>
void sum_up_to_vectors(const ValuePasses& call, const float* values, const double* thresholds,
                       double (&found)[3][width]) {
  constexpr std::size_t n_packs = width / 8;
  static_assert(width % 8 == 0);
  const std::size_t stride = call.records.n_columns;
  const __m512d one = _mm512_set1_pd(1);
  __m512d threshold[n_packs], n_left[n_packs], weight[n_packs], sum[n_packs];
  for (std::size_t p = 0; p < n_packs; ++p) {
    threshold[p] = _mm512_loadu_pd(thresholds + 8 * p);
    n_left[p] = weight[p] = sum[p] = _mm512_setzero_pd();
  }
  for (std::uint32_t i = 0; i < call.n; ++i) {
    const float* const x = values + call.row_indices[i].row * stride;
    const double* const own =
        call.quantised + std::size_t{call.row_indices[i].low} * (is_counted ? 1u : 2u);
    const __m512d times = _mm512_set1_pd(own[0]), mark = _mm512_set1_pd(own[is_counted ? 0 : 1]);
    for (std::size_t p = 0; p < n_packs; ++p) {
      const __mmask8 left =
          _mm512_cmp_pd_mask(_mm512_cvtps_pd(_mm256_loadu_ps(x + 8 * p)), threshold[p], _CMP_LE_OQ);
      n_left[p] = _mm512_mask_add_pd(n_left[p], left, n_left[p], one);
      sum[p] = _mm512_mask_add_pd(sum[p], left, sum[p], mark);
      if constexpr (!is_counted) weight[p] = _mm512_mask_add_pd(weight[p], left, weight[p], times);
    }
  }
  for (std::size_t p = 0; p < n_packs; ++p) {
    _mm512_storeu_pd(found[0] + 8 * p, n_left[p]);
    _mm512_storeu_pd(found[1] + 8 * p, weight[p]);
    _mm512_storeu_pd(found[2] + 8 * p, sum[p]);
  }
}

/// Parts members by their values, which lie four apart.
inline std::uint32_t partition_gathered_vectors(const ValuePartition& call, float bound) {
  const auto* const values = static_cast<const float*>(call.gathered);
  const __m512i first_of_four =
      _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 28, 24, 20, 16, 12, 8, 4, 0);
  const __m256 threshold = _mm256_set1_ps(bound);
  std::uint32_t n_left = 0, n_right = 0;
  const auto first_lanes = [](std::uint32_t n) { return static_cast<__mmask8>((1u << n) - 1); };
  for (std::uint32_t i = 0; i < call.n; i += 8) {
    const std::uint32_t rest = call.n - i < 8 ? call.n - i : 8;
    const __mmask8 valid = first_lanes(rest);
    // Only the first of each four is read: behind the last there may be nothing.
    const auto fours = [](std::uint32_t n) {
      return static_cast<__mmask16>(n >= 4 ? 0x1111u : 0x1111u & ((1u << 4 * n) - 1));
    };
    const float* const own = values + std::size_t{4} * i;
    const __m512 low = _mm512_maskz_loadu_ps(fours(rest), own),
                 high = _mm512_maskz_loadu_ps(fours(rest > 4 ? rest - 4 : 0), own + 16);
    const __m256 eight = _mm512_castps512_ps256(_mm512_permutex2var_ps(low, first_of_four, high));
    const __m512i row_indices = _mm512_maskz_loadu_epi64(valid, call.row_indices + i);
    const __mmask8 left = _mm256_mask_cmp_ps_mask(valid, eight, threshold, _CMP_LE_OQ);
    const auto right = static_cast<__mmask8>(valid & ~left);
    const auto n_here = static_cast<std::uint32_t>(std::popcount(left));
    _mm512_mask_storeu_epi64(call.row_indices + n_left, first_lanes(n_here),
                             _mm512_maskz_compress_epi64(left, row_indices));
    _mm512_mask_storeu_epi64(call.spare + n_right, first_lanes(rest - n_here),
                             _mm512_maskz_compress_epi64(right, row_indices));
    n_left += n_here;
    n_right += rest - n_here;
  }
  std::memcpy(call.row_indices + n_left, call.spare, n_right * sizeof(RowIndex));
  return n_left;
}

}  // namespace ramify::RAMIFY_KERNELS

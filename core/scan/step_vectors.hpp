// SPDX-License-Identifier: BSD-3-Clause
// Numbers in flagged lists 16 items at a time, for processors with AVX-512 (F, BW, DQ, VL, VBMI2).
#pragma once

#include <immintrin.h>

#include <bit>
#include <limits>

#include "rows/layout.hpp"
#include "scan/steps.hpp"
#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {

/// The sum of each lane and of those before it.
inline __m512i sums_up_to(__m512i x) {
  const __m512i none = _mm512_setzero_si512();
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, none, 15));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, none, 14));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, none, 12));
  return _mm512_add_epi32(x, _mm512_alignr_epi32(x, none, 8));
}
inline __m512d sums_up_to(__m512d x) {
  const auto moved = [](__m512d y, auto lanes) {
    return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(y), _mm512_setzero_si512(),
                                                   8 - decltype(lanes)::value));
  };
  x = _mm512_add_pd(x, moved(x, std::integral_constant<int, 1>{}));
  x = _mm512_add_pd(x, moved(x, std::integral_constant<int, 2>{}));
  return _mm512_add_pd(x, moved(x, std::integral_constant<int, 4>{}));
}
inline int last_lane(__m512i x) { return _mm_extract_epi32(_mm512_extracti32x4_epi32(x, 3), 3); }

inline __m512 share_of(__m512i n_left, float total) {
  const __m512 left = _mm512_cvtepi32_ps(n_left);
  return _mm512_div_ps(_mm512_set1_ps(1),
                       _mm512_mul_ps(left, _mm512_sub_ps(_mm512_set1_ps(total), left)));
}
/// Which of 16 places leave enough rows on both sides.
inline std::uint32_t allowed(const StepScan& scan, std::uint32_t at) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < 16; ++i)
    bits |= std::uint32_t{at + i >= scan.min && at + i + scan.min <= scan.n} << i;
  return bits;
}

struct SixteenItems {
  __m512i all;
  std::uint32_t flags;

  SixteenItems(const std::uint32_t* items, std::uint32_t valid)
      : all(_mm512_maskz_loadu_epi32(static_cast<__mmask16>(valid), items)),
        flags(_mm512_movepi32_mask(all)) {}
  SixteenItems(const std::uint16_t* items, std::uint32_t valid) {
    const __m256i half = _mm256_maskz_loadu_epi16(static_cast<__mmask16>(valid), items);
    all = _mm512_cvtepu16_epi32(half);
    flags = _mm256_movepi16_mask(half);
  }
};

/// Calls visit(cuts, at most, at least, first place) for up to 16 cuts after the other, see
/// each_cut_in_steps; where a share says that none may be, both are negative. Are there no cuts at
/// all?
template <bool has_weights, class Item, class Visit>
bool each_sixteen(const StepScan& scan, const void* list, Visit visit) {
  const auto* items = static_cast<const Item*>(list);
  const __m512i row_mask = _mm512_set1_epi32(static_cast<int>(scan.row_mask));
  const __m512 slack = _mm512_set1_ps(scan.slack);
  std::int64_t deviation = 0;
  std::int32_t weight = 0;
  std::uint32_t any = 0;
  for (std::uint32_t at = 0; at < scan.n; at += 16) {
    const std::uint32_t rest = scan.n - at;
    const auto valid = static_cast<__mmask16>(rest >= 16 ? 0xffffu : (1u << rest) - 1);
    const SixteenItems own(items + at, valid);
    const std::uint32_t flags = at == 0 ? own.flags & ~1u : own.flags;
    any |= flags;
    const __m512i rows = _mm512_and_si512(own.all, row_mask);
    const __m512i steps =
        _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), valid, rows, scan.steps, 4);
    const __m512i up_to = sums_up_to(steps);
    auto cuts = static_cast<__mmask16>(flags);
    __m512 share;
    if constexpr (has_weights) {
      const __m512i weights =
          _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), valid, rows, scan.weight, 4);
      const __m512i weights_up_to = sums_up_to(weights);
      share = share_of(
          _mm512_add_epi32(_mm512_sub_epi32(weights_up_to, weights), _mm512_set1_epi32(weight)),
          scan.total);
      weight += last_lane(weights_up_to);
      if (scan.min > 1) cuts = static_cast<__mmask16>(cuts & allowed(scan, at));
    } else {
      share = _mm512_maskz_loadu_ps(valid, scan.shares + at);
    }
    const __m512 away =
        _mm512_abs_ps(_mm512_add_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(up_to, steps)),
                                    _mm512_set1_ps(static_cast<float>(deviation))));
    const __m512 max = _mm512_add_ps(away, slack),
                 min = _mm512_max_ps(_mm512_sub_ps(away, slack), _mm512_setzero_ps());
    visit(cuts, _mm512_mul_ps(_mm512_mul_ps(max, max), share),
          _mm512_mul_ps(_mm512_mul_ps(min, min), share), at);
    deviation += last_lane(up_to);
  }
  return any == 0;
}

template <class Item>
StepPeak peak_vectors(const StepScan& scan, const void* list) {
  __m512 max = _mm512_set1_ps(-1), min = max;
  const auto visit = [&](__mmask16 cuts, __m512 its_max, __m512 its_min, std::uint32_t) {
    max = _mm512_mask_max_ps(max, cuts, max, its_max);
    min = _mm512_mask_max_ps(min, cuts, min, its_min);
  };
  StepPeak peak;
  peak.is_constant = scan.weight ? each_sixteen<true, Item>(scan, list, visit)
                                 : each_sixteen<false, Item>(scan, list, visit);
  peak.max = _mm512_reduce_max_ps(max);
  peak.min = _mm512_reduce_max_ps(min);
  return peak;
}

template <class Item>
std::uint32_t near_vectors(const StepScan& scan, const void* list, float wanted,
                           std::uint32_t* places) {
  std::uint32_t n = 0;
  const auto visit = [&](__mmask16 cuts, __m512 max, __m512, std::uint32_t at) {
    std::uint32_t near = _mm512_mask_cmp_ps_mask(cuts, max, _mm512_set1_ps(wanted), _CMP_GE_OQ);
    for (; near; near &= near - 1)
      places[n++] = at + static_cast<std::uint32_t>(std::countr_zero(near));
  };
  scan.weight ? each_sixteen<true, Item>(scan, list, visit)
              : each_sixteen<false, Item>(scan, list, visit);
  return n;
}

/// The exact scores of a small list, eight in a vector. Lane i is the cut behind item i.
struct FewVectors {
  __m512d sums[2], weight[2], total, mean, factor;
  std::uint32_t allowed;  // a bit for each admissible place

  explicit FewVectors(const FewScan& scan)
      : sums{_mm512_loadu_pd(scan.sums), _mm512_loadu_pd(scan.sums + 8)},
        weight{_mm512_loadu_pd(scan.weight), _mm512_loadu_pd(scan.weight + 8)},
        total(_mm512_set1_pd(scan.total)),
        mean(_mm512_set1_pd(scan.mean)),
        factor(_mm512_set1_pd(scan.factor)),
        allowed(0) {
    if (scan.n > 2 * scan.min - 1) {
      const std::uint32_t n_allowed = scan.n - 2 * scan.min + 1;
      allowed = ((1u << n_allowed) - 1) << (scan.min - 1);
    }
  }

  /// Calls use(scores) with those of the first eight places, and of the next if there are more.
  template <class Use>
  void score(__m128i items, std::uint32_t n, Use use) const {
    const __m128i rows = _mm_and_si128(items, _mm_set1_epi8(FewScan::row_mask));
    __m512d left = _mm512_setzero_pd(), sum = left;
    const auto next = [&](__m128i eight) {
      const __m512i at = _mm512_cvtepu8_epi64(eight);
      left = _mm512_add_pd(left, sums_up_to(_mm512_permutex2var_pd(weight[0], at, weight[1])));
      sum = _mm512_add_pd(sum, sums_up_to(_mm512_permutex2var_pd(sums[0], at, sums[1])));
      const __m512d moved = _mm512_sub_pd(sum, _mm512_mul_pd(left, mean));
      const __m512d product = _mm512_mul_pd(left, _mm512_sub_pd(total, left));
      return _mm512_mul_pd(_mm512_div_pd(_mm512_mul_pd(moved, moved), product), factor);
    };
    const __m512d first = next(rows);
    if (n <= 9) return use(first, _mm512_setzero_pd());
    const __m512i last = _mm512_set1_epi64(7);
    left = _mm512_permutexvar_pd(last, left);
    sum = _mm512_permutexvar_pd(last, sum);
    use(first, next(_mm_srli_si128(rows, 8)));
  }
};

inline __m128i few_items(const std::uint8_t* items, std::uint32_t column, std::uint32_t n) {
  return _mm_maskz_loadu_epi8(static_cast<__mmask16>((1u << n) - 1),
                              items + std::size_t{column} * FewScan::max_rows);
}

inline void top_few_vectors(const FewScan& scan, const std::uint32_t* columns,
                            std::size_t n_columns, double* tops) {
  const FewVectors few(scan);
  const __m512d none = _mm512_set1_pd(-std::numeric_limits<double>::infinity());
  for (std::size_t j = 0; j < n_columns; ++j) {
    const __m128i items = few_items(scan.items, columns[j], scan.n);
    const std::uint32_t cuts = static_cast<std::uint32_t>(_mm_movepi8_mask(items)) >> 1;
    const std::uint32_t here = cuts & few.allowed;
    if (here == 0) {
      tops[j] = cuts ? -std::numeric_limits<double>::infinity()
                     : std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    few.score(items, scan.n, [&](__m512d first, __m512d second) {
      __m512d top = _mm512_mask_mov_pd(none, static_cast<__mmask8>(here), first);
      if (here >> 8) top = _mm512_mask_max_pd(top, static_cast<__mmask8>(here >> 8), top, second);
      tops[j] = _mm512_reduce_max_pd(top);
    });
  }
}

inline void score_few_vectors(const FewScan& scan, std::uint32_t column, double* scores) {
  const FewVectors few(scan);
  const __m512d none = _mm512_set1_pd(-std::numeric_limits<double>::infinity());
  const __m128i items = few_items(scan.items, column, scan.n);
  const std::uint32_t here = static_cast<std::uint32_t>(_mm_movepi8_mask(items)) >> 1 & few.allowed;
  few.score(items, scan.n, [&](__m512d first, __m512d second) {
    _mm512_storeu_pd(scores, _mm512_mask_mov_pd(none, static_cast<__mmask8>(here), first));
    _mm512_storeu_pd(scores + 8,
                     _mm512_mask_mov_pd(none, static_cast<__mmask8>(here >> 8), second));
  });
}

inline void partition_few_vectors(const FewPartition& part, const std::uint32_t* columns,
                                  std::size_t n_columns) {
  const auto valid = static_cast<__mmask16>((1u << part.n) - 1);
  const __m128i side = _mm_movm_epi8(static_cast<__mmask16>(part.left));  // by row
  const __m128i row_mask = _mm_set1_epi8(FewScan::row_mask);
  const __m128i flag = _mm_set1_epi8(static_cast<char>(FewScan::flag));
  const auto n_left = static_cast<std::uint32_t>(std::popcount(part.left));
  const auto to_right = static_cast<__mmask16>(valid & ~((1u << n_left) - 1));
  // Items that stay get the flags of those skipped before them; see FlagCarry.
  const auto flagged = [&](__m128i items, std::uint32_t flags, std::uint32_t skipped) {
    const std::uint32_t carried = flags | (skipped + (flags & skipped));
    return _mm_mask_blend_epi8(static_cast<__mmask16>(carried), items, _mm_or_si128(items, flag));
  };
  for (std::size_t j = 0; j < n_columns; ++j) {
    std::uint8_t* const place = part.items + std::size_t{columns[j]} * FewScan::max_rows;
    const __m128i items = _mm_maskz_loadu_epi8(valid, place);
    const std::uint32_t flags = static_cast<std::uint32_t>(_mm_movepi8_mask(items));
    const std::uint32_t left = static_cast<std::uint32_t>(_mm_movepi8_mask(
                                   _mm_shuffle_epi8(side, _mm_and_si128(items, row_mask)))) &
                               valid;
    const std::uint32_t right = valid & ~left;
    const __m128i first = _mm_maskz_compress_epi8(static_cast<__mmask16>(left),
                                                  flagged(items, flags, right)),
                  second = _mm_maskz_compress_epi8(static_cast<__mmask16>(right),
                                                   flagged(items, flags, left));
    _mm_mask_storeu_epi8(place, valid, _mm_mask_expand_epi8(first, to_right, second));
  }
}

}  // namespace ramify::RAMIFY_KERNELS

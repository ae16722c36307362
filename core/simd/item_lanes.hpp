// SPDX-License-Identifier: BSD-3-Clause
// Items of sorted lists as lanes of 32 bits: running sums, and what a stable partition needs.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "simd/bit_places.hpp"
#include "simd/floats.hpp"

namespace ramify::RAMIFY_KERNELS {

template <class Lanes>
inline void store_lanes(void* to, Lanes lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

#if defined(__GNUC__)
/// Each lane is the one `step` before it; the first ones are zero.
template <int step, class Lanes, int... i>
inline Lanes moved_up(Lanes x, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(x, Lanes{}, (i < step ? static_cast<int>(n_lanes) : i - step)...);
}
/// The sum of each lane and of those before it.
template <int step = 1, class Lanes>
inline Lanes running_sums(Lanes x) {
  x += moved_up<step>(x, std::make_integer_sequence<int, n_lanes>{});
  if constexpr (2 * step < static_cast<int>(n_lanes))
    return running_sums<2 * step>(x);
  else
    return x;
}
template <class Lanes, int... i>
inline Lanes last_lane(Lanes x, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(x, x, (i - i + static_cast<int>(n_lanes) - 1)...);
}
/// The last lane, in all of them.
template <class Lanes>
inline Lanes last_lane(Lanes x) {
  return last_lane(x, std::make_integer_sequence<int, n_lanes>{});
}
/// 0, 1, 2, ...
inline FloatLanes lane_numbers() {
  FloatLanes lanes;
  for (std::uint32_t i = 0; i < n_lanes; ++i) lanes[i] = static_cast<float>(i);
  return lanes;
}
#else
template <class Lanes>
inline Lanes running_sums(Lanes x) {
  return x;
}
template <class Lanes>
inline Lanes last_lane(Lanes x) {
  return x;
}
inline FloatLanes lane_numbers() { return 0; }
#endif

#if defined(__AVX512F__)
#define RAMIFY_HAS_COMPRESS
/// A bit for each row that is set in a bitmap.
inline std::uint32_t look_up_bits(const std::uint32_t* bitmap, IntegerLanes rows) {
  const __m512i at = reinterpret_cast<__m512i>(rows);
  const __m512i words = _mm512_i32gather_epi32(_mm512_srli_epi32(at, 5), bitmap, 4);
  return _mm512_test_epi32_mask(
      words, _mm512_sllv_epi32(_mm512_set1_epi32(1), at & _mm512_set1_epi32(31)));
}
/// The lanes that a bit is set for, first.
inline IntegerLanes compress(IntegerLanes x, std::uint32_t mask) {
  return reinterpret_cast<IntegerLanes>(
      _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), reinterpret_cast<__m512i>(x)));
}
/// Sets some bits of the lanes that a bit is set for.
inline IntegerLanes with_bits(IntegerLanes x, std::uint32_t mask, std::int32_t bits) {
  const __m512i own = reinterpret_cast<__m512i>(x);
  return reinterpret_cast<IntegerLanes>(
      _mm512_mask_or_epi32(own, static_cast<__mmask16>(mask), own, _mm512_set1_epi32(bits)));
}
#elif defined(__AVX2__)
#define RAMIFY_HAS_COMPRESS
inline std::uint32_t look_up_bits(const std::uint32_t* bitmap, IntegerLanes rows) {
  const __m256i words = _mm256_i32gather_epi32(reinterpret_cast<const int*>(bitmap),
                                               reinterpret_cast<__m256i>(rows >> 5), 4);
  return bits_of_lanes(reinterpret_cast<IntegerLanes>(words) << (31 - (rows & 31)));
}
inline IntegerLanes compress(IntegerLanes x, std::uint32_t mask) {
  const __m128i places = _mm_cvtsi64_si128(static_cast<long long>(bit_places.low[mask]));
  return reinterpret_cast<IntegerLanes>(
      _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(x), _mm256_cvtepu8_epi32(places)));
}
inline IntegerLanes with_bits(IntegerLanes x, std::uint32_t mask, std::int32_t bits) {
  constexpr IntegerLanes own_bit{1, 2, 4, 8, 16, 32, 64, 128};
  return x | (((static_cast<std::int32_t>(mask) & own_bit) != 0) & bits);
}
#endif

}  // namespace ramify::RAMIFY_KERNELS

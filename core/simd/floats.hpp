// SPDX-License-Identifier: BSD-3-Clause
// Floats and integers of 32 bits side by side, as many as a register of this instruction set holds.
// Written on the compiler's vector extensions; a compiler without them has one lane.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "simd/pack.hpp"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ramify::RAMIFY_KERNELS {

#if defined(__GNUC__)
#if defined(__AVX512F__)
inline constexpr std::uint32_t n_lanes = 16;
#elif defined(__AVX2__)
inline constexpr std::uint32_t n_lanes = 8;
#else
inline constexpr std::uint32_t n_lanes = 4;
#endif
typedef float FloatLanes __attribute__((vector_size(n_lanes * sizeof(float))));
typedef std::int32_t IntegerLanes __attribute__((vector_size(n_lanes * sizeof(float))));

inline FloatLanes to_floats(IntegerLanes x) { return __builtin_convertvector(x, FloatLanes); }

/// Each lane is that of the one `step` behind it.
template <int step, int... i>
inline FloatLanes turned(FloatLanes x, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(x, x, ((i + step) % static_cast<int>(n_lanes))...);
}
/// The highest lane.
template <int step = n_lanes / 2>
inline float highest(FloatLanes x) {
  const FloatLanes y = turned<step>(x, std::make_integer_sequence<int, n_lanes>{});
  const FloatLanes top = x > y ? x : y;
  if constexpr (step == 1)
    return top[0];
  else
    return highest<step / 2>(top);
}
#else
inline constexpr std::uint32_t n_lanes = 1;
using FloatLanes = float;
using IntegerLanes = std::int32_t;
inline FloatLanes to_floats(IntegerLanes x) { return static_cast<float>(x); }
inline float highest(FloatLanes x) { return x; }
#endif

template <class Lanes>
inline Lanes load_lanes(const void* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

#if defined(__GNUC__)
template <class Lanes>
inline auto first_of(Lanes x) {
  return x[0];
}
#else
template <class Lanes>
inline Lanes first_of(Lanes x) {
  return x;
}
#endif

/// A bit for each lane of a comparison.
template <class Mask>
inline std::uint32_t bits_of_lanes(Mask mask) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask));
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#elif defined(__GNUC__)
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < n_lanes; ++i) bits |= static_cast<std::uint32_t>(mask[i] & 1) << i;
  return bits;
#else
  return mask;
#endif
}

/// Square roots.
inline FloatLanes roots_of(FloatLanes x) {
#if defined(__AVX512F__)
  return reinterpret_cast<FloatLanes>(_mm512_sqrt_ps(reinterpret_cast<__m512>(x)));
#elif defined(__AVX2__)
  return reinterpret_cast<FloatLanes>(_mm256_sqrt_ps(reinterpret_cast<__m256>(x)));
#elif defined(__GNUC__)
  for (std::uint32_t i = 0; i < n_lanes; ++i) x[i] = std::sqrt(x[i]);
  return x;
#else
  return std::sqrt(x);
#endif
}

}  // namespace ramify::RAMIFY_KERNELS

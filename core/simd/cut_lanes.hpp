// SPDX-License-Identifier: BSD-3-Clause
// 64 bytes of numbers side by side, a lane for each of several cuts: 32 integers of 16 bits, 16 of
// 32 bits or 8 doubles, in as many registers as this instruction set needs. A row adds its number
// to the lanes whose bit is set in its word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/pack.hpp"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ramify::RAMIFY_KERNELS {

#if defined(__AVX512F__)
inline constexpr int cut_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int cut_bytes = 32;
#else
inline constexpr int cut_bytes = 16;
#endif

/// The integer as wide as a lane.
template <class T>
using LaneBits = std::conditional_t<sizeof(T) == 2, std::int16_t,
                                    std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;

template <class T>
struct CutLanes {
  static constexpr int n = 64 / sizeof(T), n_parts = 64 / cut_bytes, width = n / n_parts;
#if defined(__GNUC__)
  typedef T Part __attribute__((vector_size(cut_bytes)));
  typedef LaneBits<T> Bits __attribute__((vector_size(cut_bytes)));
#else
  struct Part {
    T lane[width];
  };
  struct Bits {
    LaneBits<T> lane[width];
  };
#endif
  Part part[n_parts];

  static CutLanes spread(T x) {
    CutLanes lanes;
    for (Part& part : lanes.part) {
#if defined(__GNUC__)
      part = Part{} + x;
#else
      for (T& lane : part.lane) lane = x;
#endif
    }
    return lanes;
  }
  static CutLanes load(const void* from) {
    CutLanes lanes;
    std::memcpy(&lanes, from, sizeof(lanes));
    return lanes;
  }
  void store(void* to) const { std::memcpy(to, this, sizeof(*this)); }

#if defined(__GNUC__)
#define RAMIFY_LANES(expression)             \
  CutLanes c;                                \
  for (int i = 0; i < n_parts; ++i) {        \
    const Part x = a.part[i], y = b.part[i]; \
    c.part[i] = expression;                  \
  }                                          \
  return c
#else
#define RAMIFY_LANES(expression)                            \
  CutLanes c;                                               \
  for (int i = 0; i < n_parts; ++i)                         \
    for (int j = 0; j < width; ++j) {                       \
      const T x = a.part[i].lane[j], y = b.part[i].lane[j]; \
      c.part[i].lane[j] = static_cast<T>(expression);       \
    }                                                       \
  return c
#endif
  friend CutLanes operator+(const CutLanes& a, const CutLanes& b) { RAMIFY_LANES(x + y); }
  friend CutLanes operator-(const CutLanes& a, const CutLanes& b) { RAMIFY_LANES(x - y); }
  friend CutLanes operator*(const CutLanes& a, const CutLanes& b) { RAMIFY_LANES(x * y); }
  friend CutLanes operator/(const CutLanes& a, const CutLanes& b) { RAMIFY_LANES(x / y); }
  friend CutLanes larger(const CutLanes& a, const CutLanes& b) { RAMIFY_LANES(x > y ? x : y); }
  friend CutLanes smaller(const CutLanes& a, const CutLanes& b) { RAMIFY_LANES(x < y ? x : y); }
#undef RAMIFY_LANES
};

/// Which lanes a word has a bit for.
template <class T>
class CutMask {
  using Lanes = CutLanes<T>;
  using Bits = typename Lanes::Bits;

 public:
  explicit CutMask(std::uint32_t word) {
#if defined(__AVX512F__)
    word_ = word;
#elif defined(__GNUC__)
    for (int i = 0; i < Lanes::n_parts; ++i) {
      Bits bit;
      for (int j = 0; j < Lanes::width; ++j)
        bit[j] = static_cast<LaneBits<T>>(1u << (i * Lanes::width + j) % (8 * sizeof(T)));
      // Sixteen lanes of 16 bits look at half of a word of 32.
      const auto half = sizeof(T) == 2 ? word >> (i * Lanes::width / 16 * 16) : word;
      mask_[i] = ((Bits{} + static_cast<LaneBits<T>>(half)) & bit) != 0;
    }
#else
    for (int i = 0; i < Lanes::n_parts; ++i)
      for (int j = 0; j < Lanes::width; ++j)
        mask_[i].lane[j] = word >> (i * Lanes::width + j) & 1 ? -1 : 0;
#endif
  }

  /// The numbers, or zero.
  Lanes only(const Lanes& x) const {
#if defined(__AVX512F__)
    return added(Lanes::spread(0), x);
#else
    Lanes y;
    for (int i = 0; i < Lanes::n_parts; ++i) {
      Bits bits;
      std::memcpy(&bits, &x.part[i], sizeof(bits));
#if defined(__GNUC__)
      bits &= mask_[i];
#else
      for (int j = 0; j < Lanes::width; ++j) bits.lane[j] &= mask_[i].lane[j];
#endif
      std::memcpy(&y.part[i], &bits, sizeof(bits));
    }
    return y;
#endif
  }
  /// Adds x where the bit is set.
  Lanes added(const Lanes& sum, const Lanes& x) const {
#if defined(__AVX512F__)
    Lanes y;
    const auto a = reinterpret_cast<__m512i>(sum.part[0]), b = reinterpret_cast<__m512i>(x.part[0]);
    if constexpr (sizeof(T) == 2)
      y.part[0] = reinterpret_cast<typename Lanes::Part>(
          _mm512_mask_add_epi16(a, static_cast<__mmask32>(word_), a, b));
    else if constexpr (sizeof(T) == 4)
      y.part[0] = reinterpret_cast<typename Lanes::Part>(
          _mm512_mask_add_epi32(a, static_cast<__mmask16>(word_), a, b));
    else
      y.part[0] = reinterpret_cast<typename Lanes::Part>(_mm512_mask_add_pd(
          reinterpret_cast<__m512d>(sum.part[0]), static_cast<__mmask8>(word_),
          reinterpret_cast<__m512d>(sum.part[0]), reinterpret_cast<__m512d>(x.part[0])));
    return y;
#else
    return sum + only(x);
#endif
  }

 private:
#if defined(__AVX512F__)
  std::uint32_t word_;
#else
  Bits mask_[Lanes::n_parts];
#endif
};

}  // namespace ramify::RAMIFY_KERNELS

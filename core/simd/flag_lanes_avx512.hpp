// SPDX-License-Identifier: BSD-3-Clause
// Vectors of flagged lists for processors with AVX-512 (F, BW, DQ, VL, VBMI2, VPOPCNTDQ); see
// flag_lanes.hpp.
#pragma once

namespace ramify::RAMIFY_KERNELS {

using Floats = __m512;
inline constexpr int n_floats = 16;

inline Floats floats(float x) { return _mm512_set1_ps(x); }
inline Floats load_floats(const float* p) { return _mm512_loadu_ps(p); }
inline Floats plus_product(Floats c, Floats a, Floats b) { return _mm512_fmadd_ps(a, b, c); }
inline Floats minus_product(Floats c, Floats a, Floats b) { return _mm512_fnmadd_ps(a, b, c); }
inline Floats larger_of(Floats a, Floats b) { return _mm512_max_ps(a, b); }
inline Floats magnitude_of(Floats x) { return _mm512_abs_ps(x); }
inline Floats root_of(Floats x) { return _mm512_sqrt_ps(x); }
/// By the sign of x.
inline Floats select_positive(Floats x, Floats yes, Floats no) {
  return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ), no, yes);
}
/// A bit for each lane.
inline std::uint32_t at_least(Floats a, Floats b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }

inline __m512i lanes() {
  return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}
/// How many bits are set below each place; `before` are added.
inline __m512i regression_before(std::uint32_t bits, std::uint32_t before) {
  const __m512i below =
      _mm512_sub_epi32(_mm512_sllv_epi32(_mm512_set1_epi32(1), lanes()), _mm512_set1_epi32(1));
  const __m512i counts =
      _mm512_popcnt_epi32(_mm512_and_si512(_mm512_set1_epi32(static_cast<int>(bits)), below));
  return _mm512_add_epi32(counts, _mm512_set1_epi32(static_cast<int>(before)));
}
inline Floats counts_before(std::uint32_t bits, std::uint32_t before) {
  return _mm512_cvtepi32_ps(regression_before(bits, before));
}
/// n, n + 1, ...
inline Floats counts_from(std::uint32_t n) {
  return _mm512_cvtepi32_ps(_mm512_add_epi32(lanes(), _mm512_set1_epi32(static_cast<int>(n))));
}

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

/// Writes those of 16 counts, and their places from `place` on, that a bit is set for: counts of
/// the second class as they are, of the first what is left of the place. Returns how many.
inline int write_two(std::uint32_t cuts, std::uint32_t bits, std::uint32_t before,
                     std::uint32_t place, std::uint32_t* rows_left, double* first, double* second) {
  const auto store = [](double* to, __m512i numbers, std::uint32_t mask) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask),
                          _mm512_cvtepi32_pd(_mm512_castsi512_si256(numbers)));
    if (mask >> 8)
      _mm512_mask_storeu_pd(to + 8, static_cast<__mmask8>(mask >> 8),
                            _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(numbers, 1)));
  };
  const auto kept = static_cast<__mmask16>(cuts);
  const __m512i places = _mm512_maskz_compress_epi32(
      kept, _mm512_add_epi32(lanes(), _mm512_set1_epi32(static_cast<int>(place))));
  const __m512i in_second = _mm512_maskz_compress_epi32(kept, regression_before(bits, before));
  const int n = std::popcount(cuts);
  const std::uint32_t mask = (1u << n) - 1;
  _mm512_mask_storeu_epi32(rows_left, static_cast<__mmask16>(mask), places);
  store(second, in_second, mask);
  store(first, _mm512_sub_epi32(places, in_second), mask);
  return n;
}

/// Which rows are marked: looked up in memory.
struct WideFlags {
  const std::uint32_t* moved;
  explicit WideFlags(const std::uint32_t* words) : moved(words) {}
  std::uint32_t of(__m512i rows) const {
    const __m512i words = _mm512_i32gather_epi32(_mm512_srli_epi32(rows, 5), moved, 4);
    const __m512i bit =
        _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(rows, _mm512_set1_epi32(31)));
    return _mm512_test_epi32_mask(words, bit);
  }
};

/// The same for up to 2,048 rows: their moved stay in four registers.
struct ShortFlags {
  __m512i words[4];
  explicit ShortFlags(const std::uint32_t* moved) {
    for (int i = 0; i < 4; ++i) words[i] = _mm512_loadu_si512(moved + 16 * i);
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
  using Vector = __m512i;
  using MovedFlags = WideFlags;
  static constexpr std::uint32_t width = 16;
  static Vector load(const std::uint32_t* p, std::uint32_t mask) {
    return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask), p);
  }
  static void store(std::uint32_t* p, std::uint32_t mask, Vector x) {
    _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(mask), x);
  }
  static Vector spread(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
  static std::uint32_t flags(Vector x) { return _mm512_movepi32_mask(x); }
  static Vector with_flags(Vector x, std::uint32_t mask) {
    return _mm512_mask_or_epi32(x, static_cast<__mmask16>(mask), x, spread(1u << 31));
  }
  static Vector compress(Vector x, std::uint32_t mask) {
    return _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), x);
  }
};

template <>
struct Lanes<std::uint16_t> {
  using Vector = __m512i;
  using MovedFlags = ShortFlags;
  static constexpr std::uint32_t width = 32;
  static Vector load(const std::uint16_t* p, std::uint32_t mask) {
    return _mm512_maskz_loadu_epi16(mask, p);
  }
  static void store(std::uint16_t* p, std::uint32_t mask, Vector x) {
    _mm512_mask_storeu_epi16(p, mask, x);
  }
  static Vector spread(std::uint32_t x) { return _mm512_set1_epi16(static_cast<short>(x)); }
  static std::uint32_t flags(Vector x) { return _mm512_movepi16_mask(x); }
  static Vector with_flags(Vector x, std::uint32_t mask) {
    return _mm512_mask_blend_epi16(mask, x, _mm512_or_si512(x, spread(1u << 15)));
  }
  static Vector compress(Vector x, std::uint32_t mask) {
    return _mm512_maskz_compress_epi16(mask, x);
  }
};

}  // namespace ramify::RAMIFY_KERNELS

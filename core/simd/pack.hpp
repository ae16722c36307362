// SPDX-License-Identifier: BSD-3-Clause
// A few numbers side by side, so that one formula serves a single cut (`double`) and four at once
// (`Pack`). Everything here is elementwise and rounded as IEEE 754 says: both uses give the same
// bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__AVX__)
#include <immintrin.h>
#endif
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define RAMIFY_HAS_SHUFFLE
#endif
#endif

#ifndef RAMIFY_KERNELS
#define RAMIFY_KERNELS portable
#endif

// The kernels are compiled once per instruction set. Code that they inline lives in a namespace of
// its own per set, so that the linker never merges a copy made for a newer processor into the
// portable one.
namespace ramify::RAMIFY_KERNELS {

inline constexpr int pack_width = 4;

#if defined(__GNUC__)
typedef double Pack __attribute__((vector_size(pack_width * sizeof(double))));
typedef std::int64_t PackBits __attribute__((vector_size(pack_width * sizeof(double))));

template <class Mask>  // what comparing two packs gives, whatever the compiler calls it
inline Pack select(Mask condition, Pack yes, Pack no) {
  return condition ? yes : no;
}
inline PackBits bits_of(Pack x) { return std::bit_cast<PackBits>(x); }
inline Pack from_bits(PackBits x) { return std::bit_cast<Pack>(x); }
#else
struct PackBits {
  std::int64_t lane[pack_width];
};
struct Pack {
  double lane[pack_width];
  double operator[](int i) const { return lane[i]; }
  double& operator[](int i) { return lane[i]; }
};
#define RAMIFY_PACK_OPERATOR(op, op_and_assign)                              \
  inline Pack operator op(Pack a, Pack b) {                                  \
    Pack c;                                                                  \
    for (int i = 0; i < pack_width; ++i) c.lane[i] = a.lane[i] op b.lane[i]; \
    return c;                                                                \
  }                                                                          \
  inline Pack operator op(Pack a, double b) {                                \
    Pack c;                                                                  \
    for (int i = 0; i < pack_width; ++i) c.lane[i] = a.lane[i] op b;         \
    return c;                                                                \
  }                                                                          \
  inline Pack operator op(double a, Pack b) {                                \
    Pack c;                                                                  \
    for (int i = 0; i < pack_width; ++i) c.lane[i] = a op b.lane[i];         \
    return c;                                                                \
  }                                                                          \
  inline Pack& operator op_and_assign(Pack& a, Pack b) { return a = a op b; }
RAMIFY_PACK_OPERATOR(+, +=)
RAMIFY_PACK_OPERATOR(-, -=)
RAMIFY_PACK_OPERATOR(*, *=)
RAMIFY_PACK_OPERATOR(/, /=)
#undef RAMIFY_PACK_OPERATOR
inline PackBits operator>(Pack a, Pack b) {
  PackBits c;
  for (int i = 0; i < pack_width; ++i) c.lane[i] = a.lane[i] > b.lane[i] ? -1 : 0;
  return c;
}
inline Pack select(PackBits condition, Pack yes, Pack no) {
  Pack c;
  for (int i = 0; i < pack_width; ++i) c.lane[i] = condition.lane[i] ? yes.lane[i] : no.lane[i];
  return c;
}
#endif

inline double select(bool condition, double yes, double no) { return condition ? yes : no; }

/// The same number in every lane.
template <class V>
inline V spread(double x);
template <>
inline double spread<double>(double x) {
  return x;
}
template <>
inline Pack spread<Pack>(double x) {
  return Pack{x, x, x, x};
}

template <class V>
inline V load(const double* p) {
  V x;
  std::memcpy(&x, p, sizeof(V));
  return x;
}
inline Pack load_pack(const double* p) { return load<Pack>(p); }
inline Pack load_pack(const float* p) {
#if defined(__GNUC__)
  typedef float Floats __attribute__((vector_size(pack_width * sizeof(float))));
  Floats x;
  std::memcpy(&x, p, sizeof(x));
  return __builtin_convertvector(x, Pack);
#else
  return Pack{p[0], p[1], p[2], p[3]};
#endif
}
template <class V>
inline void store(double* p, V x) {
  std::memcpy(p, &x, sizeof(V));
}

/// Calls `f` on each lane.
template <class F>
inline double each(double x, F f) {
  return f(x);
}
template <class F>
inline Pack each(Pack x, F f) {
  return Pack{f(x[0]), f(x[1]), f(x[2]), f(x[3])};
}

/// What a table says of whole numbers below 2^31.
inline double look_up(const double* table, double at) {
  return table[static_cast<std::int32_t>(at)];
}
inline Pack look_up(const double* table, Pack at) {
#if defined(__GNUC__)
  typedef std::int32_t Places __attribute__((vector_size(pack_width * sizeof(std::int32_t))));
  const Places places = __builtin_convertvector(at, Places);  // one instruction for all four
  return Pack{table[places[0]], table[places[1]], table[places[2]], table[places[3]]};
#else
  return each(at, [table](double lane) { return look_up(table, lane); });
#endif
}

template <class V>
inline V square_root(V x) {
  return each(x, [](double lane) { return std::sqrt(lane); });
}
template <class V>
inline V magnitude(V x) {
  return select(x > spread<V>(0), x, spread<V>(0) - x);
}
template <class V>
inline V larger(V a, V b) {
  return select(a > b, a, b);
}

/// Four packs, for instance the columns of a matrix.
struct FourPacks {
  Pack a, b, c, d;
};

/// Four packs as the columns of a matrix; returns its rows.
inline FourPacks transpose(const FourPacks& x) {
#ifdef RAMIFY_HAS_SHUFFLE
  const Pack ab_even = __builtin_shufflevector(x.a, x.b, 0, 4, 2, 6);
  const Pack ab_odd = __builtin_shufflevector(x.a, x.b, 1, 5, 3, 7);
  const Pack cd_even = __builtin_shufflevector(x.c, x.d, 0, 4, 2, 6);
  const Pack cd_odd = __builtin_shufflevector(x.c, x.d, 1, 5, 3, 7);
  return {__builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5),
          __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5),
          __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7),
          __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7)};
#else
  return {Pack{x.a[0], x.b[0], x.c[0], x.d[0]}, Pack{x.a[1], x.b[1], x.c[1], x.d[1]},
          Pack{x.a[2], x.b[2], x.c[2], x.d[2]}, Pack{x.a[3], x.b[3], x.c[3], x.d[3]}};
#endif
}

/// The sum over the lanes of a pack, and of each of four packs.
inline double lane_sum(Pack x) { return (x[0] + x[1]) + (x[2] + x[3]); }
inline Pack lane_sums(const FourPacks& x) {
  const FourPacks lane = transpose(x);
  return (lane.a + lane.b) + (lane.c + lane.d);
}

/// Is the condition true in any lane?
template <class Mask>
inline bool any(Mask condition) {
#if defined(__AVX__)
  return _mm256_movemask_pd(std::bit_cast<__m256d>(condition)) != 0;
#else
  std::int64_t lane[pack_width];
  std::memcpy(lane, &condition, sizeof(lane));
  return (lane[0] | lane[1] | lane[2] | lane[3]) != 0;
#endif
}

/// Is a larger anywhere?
inline bool any_above(double a, double b) { return a > b; }
inline bool any_above(Pack a, Pack b) {
  return a[0] > b[0] || a[1] > b[1] || a[2] > b[2] || a[3] > b[3];
}

/// Base-2 logarithm of positive normal numbers, to about one unit in the last place. There is one:
/// a single number is a lane of a pack, so that tables, single cuts and packs have the same bits.
#if defined(__GNUC__)
inline Pack log2_of(Pack x) {
  // x = 2^e m with m in [sqrt(1/2), sqrt 2); ln m = 2 atanh s, s = (m - 1) / (m + 1), |s| <=
  // 0.1716, so that the odd series stops below 2^-56 after the term s^21.
  const PackBits shifted = bits_of(x) - 0x3fe6a09e667f3bcd;  // bits of sqrt(1/2)
  const PackBits exponent = shifted >> 52;
  const Pack m = from_bits(bits_of(x) - (exponent << 52));
  // Adding 1.5 * 2^52 puts a small integer into the low bits of a double: an exact conversion
  // without a loop.
  const Pack e = from_bits(exponent + 0x4338000000000000) - 6755399441055744.0;
  const Pack s = (m - 1.0) / (m + 1.0);
  const Pack t = s * s;
  const Pack u = t * t;  // two chains of half the length: even and odd powers of t
  Pack even = spread<Pack>(1.0 / 21), odd = spread<Pack>(1.0 / 19);
  for (int k = 17; k >= 1; k -= 4) even = even * u + 1.0 / k;
  for (int k = 15; k >= 3; k -= 4) odd = odd * u + 1.0 / k;
  const Pack series = even + odd * t;
  constexpr double two_over_ln2 = 2.885390081777926814719849362;
  return e + two_over_ln2 * s * series;
}
#else
inline Pack log2_of(Pack x) {
  return each(x, [](double lane) { return std::log2(lane); });
}
#endif

inline double log2_of(double x) { return log2_of(spread<Pack>(x))[0]; }

/// e^x for |x| <= 700, to about one unit in the last place; one for single numbers and packs, too.
#if defined(__GNUC__)
inline Pack exp_of(Pack x) {
  // x = k ln 2 + r with |r| <= 0.35, and ln 2 in two parts so that r is exact.
  constexpr double magic = 6755399441055744.0;
  const Pack shifted = x * 1.442695040888963407359924681 + magic;
  const Pack k = shifted - magic;
  const Pack r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  constexpr double inverse_factorial[] = {1.0,
                                          1.0,
                                          1.0 / 2,
                                          1.0 / 6,
                                          1.0 / 24,
                                          1.0 / 120,
                                          1.0 / 720,
                                          1.0 / 5040,
                                          1.0 / 40320,
                                          1.0 / 362880,
                                          1.0 / 3628800,
                                          1.0 / 39916800,
                                          1.0 / 479001600,
                                          1.0 / 6227020800};
  const Pack square = r * r;
  Pack even = spread<Pack>(inverse_factorial[12]), odd = spread<Pack>(inverse_factorial[13]);
  for (int k = 10; k >= 0; k -= 2) even = even * square + inverse_factorial[k];
  for (int k = 11; k >= 1; k -= 2) odd = odd * square + inverse_factorial[k];
  const Pack series = even + odd * r;
  return from_bits(bits_of(series) + (bits_of(shifted) << 52));
}
#else
inline Pack exp_of(Pack x) {
  return each(x, [](double lane) { return std::exp(lane); });
}
#endif

inline double exp_of(double x) { return exp_of(spread<Pack>(x))[0]; }

/// 2^x for |x| <= 1000, likewise.
#if defined(__GNUC__)
inline Pack exp2_of(Pack x) {
  // x = k + r with |r| <= 1/2, and 2^r by the series of e^(r ln 2).
  constexpr double magic = 6755399441055744.0;
  const Pack shifted = x + magic;
  const Pack r = (x - (shifted - magic)) * 0.693147180559945309417232121458;
  return from_bits(bits_of(exp_of(r)) + (bits_of(shifted) << 52));
}
#else
inline Pack exp2_of(Pack x) {
  return each(x, [](double lane) { return std::exp2(lane); });
}
#endif

inline double exp2_of(double x) { return exp2_of(spread<Pack>(x))[0]; }

/// x^q of numbers that are not negative, 0^q = 0; x^q must be a normal number.
template <class V>
inline V power_of(V x, double q) {
  const V safe = larger(x, spread<V>(1e-300));
  // That of zero is not used, but must be one.
  const V exponent = select(x > spread<V>(0), log2_of(safe) * q, spread<V>(0));
  return select(x > spread<V>(0), exp2_of(exponent), spread<V>(0));
}

/// The logarithm of the gamma function of positive numbers, to about 1e-15 of the larger of it and
/// of 10.
template <class V>
inline V log_gamma_of(V x) {
  // Stirling's series at y = x + 8, and the eight steps back.
  constexpr double ln2 = 0.693147180559945309417232121458,
                   half_log_two_pi = 0.918938533204672741780;
  V product = x;
  for (int i = 1; i < 8; ++i) product = product * (x + static_cast<double>(i));
  const V y = x + 8.0;
  const V inverse = 1.0 / y;
  const V square = inverse * inverse;
  constexpr double terms[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                              1.0 / 1188, -691.0 / 360360, 1.0 / 156};
  V series = spread<V>(terms[6]);
  for (int i = 5; i >= 0; --i) series = series * square + terms[i];
  return (y - 0.5) * (log2_of(y) * ln2) - y + half_log_two_pi + series * inverse -
         log2_of(product) * ln2;
}

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Sums of numbers that do not depend on the order of their terms.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

namespace ramify {

/// The nearest whole number, of numbers below 2^51; faster than a call of nearbyint.
inline double nearest_whole(double x) {
  constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52
  return (x + magic) - magic;
}

/// Below this, weights are multiplied with numbers that have been rounded, so that a weight of 2
/// means the same as two rows. Above it the product is rounded.
inline constexpr double most_repeats = 0x1p31;

/// How numbers of at most `largest` are rounded, so that a sum over them is exact in a double: to
/// whole multiples of 2^(exponent - bits).
struct Rounding {
  int bits, exponent;

  /// `n` is the sum of the weights that the rounded numbers are multiplied with.
  Rounding(double largest, double n)
      : bits(std::min(50, 52 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))))),
        exponent(largest > 0 ? std::max(std::ilogb(largest) + 1, -900) : -900) {}
};

/// The sum of weight times term. Each term is parted into multiples of a coarse and of a fine
/// step; the sums of both are exact. Weights are whole numbers, or empty if all are one.
inline double exact_sum(std::span<const double> term, std::span<const double> weight) {
  const double total = weight.empty() ? static_cast<double>(term.size())
                                      : std::accumulate(weight.begin(), weight.end(), 0.0);
  const bool repeats = total < most_repeats;
  double largest = 0;
  for (std::size_t i = 0; i < term.size(); ++i)
    largest = std::max(largest, std::abs(repeats ? term[i] : term[i] * weight[i]));
  if (largest == 0) return 0;
  const Rounding rounding(largest, repeats ? total : static_cast<double>(term.size()));
  const double up = std::ldexp(1.0, rounding.bits - rounding.exponent);
  const double finer = std::ldexp(1.0, rounding.bits);
  double coarse = 0, fine = 0;
  for (std::size_t i = 0; i < term.size(); ++i) {
    const double times = weight.empty() ? 1 : weight[i];
    const double x = (repeats ? term[i] : term[i] * times) * up;
    const double whole = nearest_whole(x);
    const double rest = nearest_whole((x - whole) * finer);
    coarse += repeats ? whole * times : whole;
    fine += repeats ? rest * times : rest;
  }
  return std::ldexp(coarse + fine / finer, rounding.exponent - rounding.bits);
}

}  // namespace ramify

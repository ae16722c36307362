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

/// Added to a number below 2^51 and taken away again, it leaves the nearest whole number.
inline constexpr double rounding_shift = 6755399441055744.0;  // 1.5 * 2^52

/// The nearest whole number, of numbers below 2^51; faster than a call of nearbyint.
inline double nearest_integer(double x) { return (x + rounding_shift) - rounding_shift; }

/// The exponent of a positive number, and a power of two: without a call of the library for those
/// that have all their digits.
inline int exponent_of(double x) {
  const auto biased = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52);
  return biased > 0 && biased < 0x7ff ? biased - 1023 : std::ilogb(x);
}
inline double power_of_two(int exponent) {
  return exponent >= -1022 && exponent <= 1023
             ? std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52)
             : std::ldexp(1.0, exponent);
}

/// Below this, weights are multiplied with numbers that have been rounded, so that a weight of 2
/// means the same as two rows. Above it the product is rounded.
inline constexpr double max_repeats = 0x1p31;

/// How numbers of at most `largest` are rounded, so that a sum over them is exact in a double: to
/// whole multiples of 2^(exponent - bits).
struct Rounding {
  int bits, exponent;

  /// `n` is the sum of the weights that the rounded numbers are multiplied with.
  Rounding(double largest, double n)
      : bits(std::min(50, 52 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))))),
        exponent(largest > 0 ? std::max(exponent_of(largest) + 1, -900) : -900) {}
};

/// How the terms of a sum are rounded: each is parted into multiples of a coarse and of a fine
/// step, whole numbers both, whose sums are exact. `total` is the sum of the weights of `n` terms,
/// of which none, times its weight if that counts, is above `largest`.
struct TermSteps {
  bool repeats = true;
  double up = 0, finer = 1, coarser = 1;  // the last two are powers of two, 1 / each other
  int exponent = 0;

  TermSteps() = default;
  TermSteps(double total, double n, double largest) : repeats(total < max_repeats) {
    if (largest == 0) return;
    const Rounding rounding(largest, repeats ? total : n);
    up = power_of_two(rounding.bits - rounding.exponent);
    finer = power_of_two(rounding.bits);
    coarser = power_of_two(-rounding.bits);
    exponent = rounding.exponent - rounding.bits;
  }
  /// Calls add(coarse, fine) with what a term adds to both sums.
  template <class Add>
  void part(double term, double times, Add add) const {
    const double x = (repeats ? term : term * times) * up;
    const double whole = nearest_integer(x);
    const double rest = nearest_integer((x - whole) * finer);
    add(repeats ? whole * times : whole, repeats ? rest * times : rest);
  }
  double sum(double coarse, double fine) const {
    return (coarse + fine * coarser) * power_of_two(exponent);
  }
};

/// The sum of weight times term. Weights are whole numbers, or empty if all are one.
inline double exact_sum(std::span<const double> term, std::span<const double> weight) {
  const double total = weight.empty() ? static_cast<double>(term.size())
                                      : std::accumulate(weight.begin(), weight.end(), 0.0);
  const bool repeats = total < max_repeats;
  double largest = 0;
  for (std::size_t i = 0; i < term.size(); ++i)
    largest = std::max(largest, std::abs(repeats ? term[i] : term[i] * weight[i]));
  if (largest == 0) return 0;
  const TermSteps steps(total, static_cast<double>(term.size()), largest);
  double coarse = 0, fine = 0;
  for (std::size_t i = 0; i < term.size(); ++i)
    steps.part(term[i], weight.empty() ? 1 : weight[i], [&](double whole, double rest) {
      coarse += whole;
      fine += rest;
    });
  return steps.sum(coarse, fine);
}

/// How numbers from -1/2 to 1/2, times their weights, are rounded to whole multiples of a step, so
/// that any sum of them is exact. `total` is the sum of the weights of `n` rows, the heaviest of
/// which weighs `heaviest`.
struct QuantisedSteps {
  bool repeats = true;
  double up = 1, down = 1;

  QuantisedSteps() = default;
  QuantisedSteps(double total, double n, double heaviest) : repeats(total < max_repeats) {
    const Rounding rounding(0.5 * (repeats ? 1 : heaviest), repeats ? total : n);
    up = power_of_two(rounding.bits - rounding.exponent);
    down = power_of_two(rounding.exponent - rounding.bits);
  }
  /// Rows that weigh whole numbers count as often; of other weights the products are rounded.
  double steps(double x, double times) const {
    return repeats ? nearest_integer(x * up) * times : nearest_integer(x * times * up);
  }
};

}  // namespace ramify

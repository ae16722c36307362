// SPDX-License-Identifier: BSD-3-Clause
// Sums that do not depend on the order of their terms.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

namespace ramify {

/// Added to a number below 2^51 and subtracted again, it leaves the nearest integer.
inline constexpr double rounding_shift = 6755399441055744.0;  // 1.5 * 2^52

/// Returns the nearest integer of a number below 2^51; faster than a call of nearbyint.
inline double nearest_integer(double x) { return (x + rounding_shift) - rounding_shift; }

/// The exponent of a positive number, and a power of two; normal numbers need no library call.
inline int exponent_of(double x) {
  const auto biased = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52);
  return biased > 0 && biased < 0x7ff ? biased - 1023 : std::ilogb(x);
}
inline double power_of_two(int exponent) {
  return exponent >= -1022 && exponent <= 1023
             ? std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52)
             : std::ldexp(1.0, exponent);
}

/// Up to this total weight, values are rounded first and then multiplied by their weights, so that
/// a weight of 2 means the same as two rows. Above it the products are rounded.
inline constexpr double max_repeats = 0x1p31;

/// Rounds values of at most `largest` to integer multiples of 2^(exponent - bits), so that their
/// sum is exact in a double.
struct Rounding {
  int bits, exponent;

  /// `n` is the sum of the weights by which the rounded values are multiplied.
  Rounding(double largest, double n)
      : bits(std::min(50, 52 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))))),
        exponent(largest > 0 ? std::max(exponent_of(largest) + 1, -900) : -900) {}
};

/// Rounds the terms of a sum: each is split into integer multiples of a coarse and of a fine step,
/// whose sums are exact. `total` is the sum of the weights of `n` terms; no term, times its weight
/// if that counts, is above `largest`.
struct TermSteps {
  bool repeats = true;
  double up = 0, finer = 1, coarser = 1;  // the last two are powers of two, inverses of each other
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

/// The sum of weight times term. Weights are integers, or empty if all are one.
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

/// Rounds values from -1/2 to 1/2, times their weights, to integer multiples of a step, so that any
/// sum of them is exact. `total` is the sum of the weights of `n` rows, the heaviest of which
/// weighs `heaviest`.
struct QuantisedSteps {
  bool repeats = true;
  double up = 1, down = 1;

  QuantisedSteps() = default;
  QuantisedSteps(double total, double n, double heaviest) : repeats(total < max_repeats) {
    const Rounding rounding(0.5 * (repeats ? 1 : heaviest), repeats ? total : n);
    up = power_of_two(rounding.bits - rounding.exponent);
    down = power_of_two(rounding.exponent - rounding.bits);
  }
  /// Rows with integer weights count that many times; with other weights the products are rounded.
  double steps(double x, double times) const {
    return repeats ? nearest_integer(x * up) * times : nearest_integer(x * times * up);
  }
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// An exact sum of doubles.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ramify {

/// The sum of any doubles above 2^-928 in magnitude, without any rounding, so that no order of
/// rows, no division into blocks and no thread changes a bit of it. Values of a magnitude from 2^b
/// to 2^(b + 24) share a bin: as integer multiples of 2^(b - 16), with the remainders as integer
/// multiples of 2^(b - 52), the last bit of any of them. Both are kept as two digits, to which
/// those of other rows are simply added.
struct Total {
  static constexpr int n_bins = 82, width = 24, lowest = -928;
  static constexpr int coarse_bits = 40, fine_bits = 36;
  static constexpr int n_digits = 4 * n_bins + 1;

  /// By bin: coarse steps above and below 2^32, fine ones likewise; then how many tiles were not
  /// finite.
  std::array<std::int64_t, n_digits> digits{};

  Total& operator+=(const Total& other) {
    for (int i = 0; i < n_digits; ++i) digits[i] += other.digits[i];
    return *this;
  }

  /// The sum, rounded once or twice.
  double value() const {
    if (digits[n_digits - 1] != 0) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0, rest = 0;
    const auto add = [&](double term) {  // Neumaier's summation, always in the same order
      const double next = sum + term;
      rest += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
      sum = next;
    };
    for (int b = n_bins - 1; b >= 0; --b) {
      const int step = lowest + width * (b + 1) - coarse_bits;
      for (int part = 0; part < 2; ++part) {
        const std::int64_t low = digits[4 * b + 2 * part + 1];
        const std::int64_t high = digits[4 * b + 2 * part] + (low >> 32);
        const int unit = step - fine_bits * part;
        if (high) add(std::ldexp(static_cast<double>(high), unit + 32));
        if (low & 0xffffffff) add(std::ldexp(static_cast<double>(low & 0xffffffff), unit));
      }
    }
    return sum + rest;
  }
};

}  // namespace ramify

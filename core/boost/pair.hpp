// SPDX-License-Identifier: BSD-3-Clause
// Gradient and hessian in one word.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ramify {

/// Gradient and hessian of a row, or their sums over rows, as integer multiples of a unit each: the
/// gradient in the upper half of a word, the hessian, which is never negative, in the lower. One
/// addition adds both, and exactly, so that no order of rows, no thread and no difference of
/// histograms changes a bit. Units are chosen so that the sums over all rows stay below 2^31.
using Pair = std::int64_t;

inline Pair pair_of(std::int64_t gradient, std::int64_t hessian) {
  return gradient * (std::int64_t{1} << 32) + hessian;
}
inline std::int32_t gradient_of(Pair sum) { return static_cast<std::int32_t>(sum >> 32); }
inline std::int32_t hessian_of(Pair sum) { return static_cast<std::int32_t>(sum); }

/// The largest sum that a unit is chosen for. Rounding may add half a unit per row.
inline constexpr double max_units = 1 << 30;

/// Number of units in 1.
struct Scales {
  double gradient = 1, hessian = 1;
};

/// The power of two that brings a sum close to `max_units`, not above.
inline double scale_for(double sum) {
  if (!(sum > 0)) return 1;
  return std::exp2(std::clamp(std::floor(std::log2(max_units / sum)), -1000.0, 1000.0));
}

}  // namespace ramify

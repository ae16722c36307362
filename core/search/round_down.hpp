// SPDX-License-Identifier: BSD-3-Clause
// Thresholds as numbers of a narrower type.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {

/// The largest number of a type that is not above x: values up to either are the same.
template <class Value>
Value rounded_down(double x) {
  const auto near = static_cast<Value>(x);
  if constexpr (std::is_same_v<Value, float>) {
    if (!(near > x)) return near;
    if (near == 0) return -std::numeric_limits<float>::denorm_min();
    return std::bit_cast<float>(std::bit_cast<std::int32_t>(near) + (near > 0 ? -1 : 1));
  }
  return near;
}

}  // namespace ramify::RAMIFY_KERNELS

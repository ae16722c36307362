// SPDX-License-Identifier: BSD-3-Clause
// Where the bits of a byte are, for shuffles that compress.
#pragma once

#include <array>
#include <cstdint>

#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {

/// For each byte the places of its bits that are set, counted from 0 and from 8; then zeros.
struct BitPlaces {
  std::array<std::uint64_t, 256> low{}, high{};

  constexpr BitPlaces() {
    for (unsigned byte = 0; byte < 256; ++byte)
      for (unsigned bit = 0, n = 0; bit < 8; ++bit)
        if (byte >> bit & 1) {
          low[byte] |= std::uint64_t{bit} << 8 * n;
          high[byte] |= std::uint64_t{bit + 8} << 8 * n++;
        }
  }
};
inline constexpr BitPlaces bit_places;

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Integers of 128 bits, for sums of products that must not be rounded.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#include <__msvc_int128.hpp>
#endif

#include <cstdint>

namespace ramify {

#if defined(_MSC_VER) && !defined(__clang__)
using Wide = std::_Signed128;
#else
__extension__ typedef __int128 Wide;
#endif

/// The nearest double, up to its last digit; for what is not negative.
inline double to_double(Wide x) {
  return static_cast<double>(static_cast<std::uint64_t>(x >> 64)) * 0x1p64 +
         static_cast<double>(static_cast<std::uint64_t>(x));
}
inline double to_double(std::int64_t x) { return static_cast<double>(x); }

}  // namespace ramify

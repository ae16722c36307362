// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that depend on (seed, node) alone, so that neither threads nor the order of growth
// change them.
#pragma once

#include <cstdint>

namespace ramify {

/// Steele, Lea, Flood (2014): a full-period mixer of 64 bits.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Rng {
 public:
  explicit Rng(std::uint64_t key) : state_(mix(key)) {}

  std::uint64_t next() { return mix(state_++); }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform in 0 .. n - 1; the bias, n / 2^64, is negligible.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((next() >> 32) * n >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Samples the rows and columns of a tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "util/rng.hpp"

namespace ramify {

/// The rows of a round: each is sampled independently, by a hash of (seed, round, row), so that it
/// does not matter where and when this is evaluated. If none is sampled, the one with the smallest
/// hash is.
struct RowDraw {
  std::uint64_t key = 0, bound = 0;

  RowDraw(std::uint64_t seed, std::uint64_t round, double share)
      : key(mix(mix(seed) ^ mix(2 * round))), bound(bound_of(share)) {}

  std::uint64_t number(std::uint64_t row) const { return mix(key ^ row); }
  bool has(std::uint64_t row) const { return number(row) <= bound; }
  /// `min` is the smallest hash of all rows.
  void take_one(std::uint64_t min) { bound = std::max(bound, min); }

  static std::uint64_t bound_of(double share) {
    const double scaled = std::ldexp(share, 64);
    return scaled < 0x1p64 ? static_cast<std::uint64_t>(scaled) : ~std::uint64_t{0};
  }
};

/// Samples `n_wanted` columns of a tree without replacement (Knuth, The Art of Computer Programming
/// 3.4.2, algorithm S); empty, which means all, if `n_wanted` is 0.
inline std::vector<std::uint8_t> sample_columns(std::uint64_t seed, std::uint64_t tree,
                                                std::uint32_t n_columns, std::uint32_t n_wanted) {
  if (n_wanted == 0) return {};
  Rng rng(mix(seed) ^ mix(2 * tree + 1));
  std::vector<std::uint8_t> is_used(n_columns);
  for (std::uint32_t column = 0; column < n_columns; ++column)
    if (rng.below(n_columns - column) < n_wanted) {
      is_used[column] = 1;
      --n_wanted;
    }
  return is_used;
}

}  // namespace ramify

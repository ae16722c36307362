// SPDX-License-Identifier: BSD-3-Clause
// Parts the members of a node.
#pragma once

#include <cstdint>
#include <cstring>

#include "rows/layout.hpp"
#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Those of which is_left(i, member) says 1 come first, each side in the order they had; gives
/// their number. `spare` has room for n.
template <class IsLeft>
std::uint32_t partition_in_order(RowIndex* row_indices, std::uint32_t n, RowIndex* spare,
                                 IsLeft is_left) {
  std::uint32_t n_left = 0, n_right = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const RowIndex row_index = row_indices[i];
    const std::uint32_t goes_left = is_left(i, row_index);
    row_indices[n_left] = row_index;
    spare[n_right] = row_index;
    n_left += goes_left;
    n_right += 1 - goes_left;
  }
  std::memcpy(row_indices + n_left, spare, n_right * sizeof(RowIndex));
  return n_left;
}

}  // namespace ramify::RAMIFY_KERNELS

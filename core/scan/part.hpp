// SPDX-License-Identifier: BSD-3-Clause
// Parts the members of a node.
#pragma once

#include <cstdint>
#include <cstring>

#include "rows/layout.hpp"
#include "util/pack.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Those of which is_left(i, member) says 1 come first, each side in the order they had; gives
/// their number. `spare` has room for n.
template <class IsLeft>
std::uint32_t part_in_order(Member* members, std::uint32_t n, Member* spare, IsLeft is_left) {
  std::uint32_t n_left = 0, n_right = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Member member = members[i];
    const std::uint32_t goes_left = is_left(i, member);
    members[n_left] = member;
    spare[n_right] = member;
    n_left += goes_left;
    n_right += 1 - goes_left;
  }
  std::memcpy(members + n_left, spare, n_right * sizeof(Member));
  return n_left;
}

}  // namespace ramify::RAMIFY_KERNELS

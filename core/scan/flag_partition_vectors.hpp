// SPDX-License-Identifier: BSD-3-Clause
// Flagged lists parted a vector at a time.
#pragma once

#include "scan/flags.hpp"
#include "simd/flag_lanes.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Items that stay get the flags of those skipped before them: a carry runs through the skipped
/// ones, from a flag to the next item that stays.
struct FlagCarry {
  std::uint64_t carry = 0;
  std::uint32_t flags_of(std::uint32_t flags, std::uint32_t skipped, std::uint32_t width) {
    const std::uint64_t sum = std::uint64_t{skipped} + (flags & skipped) + carry;
    carry = sum >> width & 1;
    return flags | static_cast<std::uint32_t>(sum);
  }
};

template <class Item>
void partition_vectors(const FlagPartition& part) {
  using L = Lanes<Item>;
  auto* items = static_cast<Item*>(part.items);
  auto* spare = static_cast<Item*>(part.spare);
  const typename L::MovedFlags moved(part.moved);
  const auto row_mask = L::spread(part.layout.row_mask());
  constexpr std::uint32_t all = ~0u >> (32 - L::width);
  const std::uint32_t turned = part.marked_left ? 0 : all;
  FlagCarry to_left, to_right;
  std::uint32_t left = 0, right = 0;
  for (std::uint32_t at = 0; at < part.n; at += L::width) {
    const std::uint32_t rest = part.n - at;
    const std::uint32_t valid = rest >= L::width ? all : (1u << rest) - 1;
    const auto own = L::load(items + at, valid);
    const std::uint32_t is_left = (moved.of(own & row_mask) ^ turned) & valid;
    const std::uint32_t is_right = valid & ~is_left;
    const std::uint32_t flags = L::flags(own);
    const auto kept = [&](FlagCarry& carry, std::uint32_t here, std::uint32_t skipped) {
      const std::uint32_t flagged = carry.flags_of(flags, skipped, L::width);
      return L::compress(flags == all ? own : L::with_flags(own, flagged), here);
    };
    // What is written lies below what was read, but at the end it may reach into the next node.
    if (part.keep != Keep::right) L::store(items + left, valid, kept(to_left, is_left, is_right));
    if (part.keep != Keep::left) L::store(spare + right, all, kept(to_right, is_right, is_left));
    left += static_cast<std::uint32_t>(std::popcount(is_left));
    right += static_cast<std::uint32_t>(std::popcount(is_right));
  }
  if (part.keep != Keep::left) std::memcpy(items + left, spare, right * sizeof(Item));
}

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Subsets of categories where leaves have a minimum size: replacements for the prefixes that are
// too small.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ramify {

/// Groups of categories: the size of each, by which subsets are limited, and the sum by which,
/// divided by the size, they are ordered.
struct SizedGroups {
  std::span<const std::uint64_t> size;
  std::span<const double> sum;
  std::span<const std::uint8_t> is_zero;  // sides of such groups alone are rejected; or empty
  std::span<const std::uint32_t> order;   // by sum over size, ascending

  std::size_t count() const { return size.size(); }
};

/// Subsets that are not a prefix of the order, as lists of groups.
struct RepairedSubsets {
  std::vector<std::vector<std::uint32_t>> subsets;
  bool is_complete = true;  // else there would be too many to try
};

/// Among the subsets whose sides both have at least `min_size`, a convex function of (size, sum) is
/// highest at a prefix of the order, from either end, or at one of these: prefixes that are too
/// small, extended in the best way. The proof is in docs/design/subsets.md.
RepairedSubsets repair_prefixes(const SizedGroups& groups, std::uint64_t min_size);

}  // namespace ramify

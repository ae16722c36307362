// SPDX-License-Identifier: BSD-3-Clause
#include "tree/check.hpp"

#include <vector>

namespace ramify {

std::string what_is_wrong(std::span<const std::int64_t> children_left,
                          std::span<const std::int64_t> children_right,
                          std::span<const std::int64_t> feature, std::int64_t n_features) {
  const auto n = static_cast<std::int64_t>(feature.size());
  if (n == 0) return "the tree has no node";
  std::vector<std::uint8_t> has_parent(feature.size());
  for (std::int64_t i = 0; i < n; ++i) {
    const std::string node = "node " + std::to_string(i);
    const std::int64_t left = children_left[i], right = children_right[i];
    if (left < 0 && right < 0) continue;
    // In preorder a child stands behind its parent, so there can be no cycle.
    if (left != i + 1 || right <= left || right >= n)
      return node + " has children " + std::to_string(left) + " and " + std::to_string(right);
    if (has_parent[left] || has_parent[right]) return node + " shares a child with another node";
    has_parent[left] = has_parent[right] = 1;
    if (feature[i] < 0 || feature[i] >= n_features)
      return node + " splits on column " + std::to_string(feature[i]) + " of " +
             std::to_string(n_features);
  }
  for (std::int64_t i = 1; i < n; ++i)
    if (!has_parent[i]) return "node " + std::to_string(i) + " has no parent";
  return "";
}

}  // namespace ramify

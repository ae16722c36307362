// SPDX-License-Identifier: BSD-3-Clause
// What was grown: flat arrays, in preorder, never changed again.
#pragma once

#include <cstdint>
#include <vector>

namespace ramify {

struct Tree {
  static constexpr std::int64_t no_child = -1;
  static constexpr std::int64_t no_feature = -2;

  int n_outputs = 0, max_classes = 0;
  std::vector<std::int64_t> children_left, children_right, feature, n_node_samples;
  std::vector<double> threshold, impurity, weighted_n_node_samples, gain;
  std::vector<std::uint8_t> missing_go_to_left;
  std::vector<double> value;  // [node][output][class], shares that sum to 1

  std::size_t size() const { return feature.size(); }
};

}  // namespace ramify

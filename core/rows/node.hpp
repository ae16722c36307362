// SPDX-License-Identifier: BSD-3-Clause
// A node while the tree grows: a segment of the store and the sums over its rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "util/rng.hpp"

namespace ramify {

/// The fixed-point scale of a node's targets: y = centre + scale * z. Sums of z are exact, whatever
/// the target values elsewhere in the tree are.
struct FixedPoint {
  double centre = 0, scale = 1;
};

/// Statistics of a node's target values, in regression.
struct RegressionStatistics {
  struct Output {
    FixedPoint fixed_point;
    double value = 0;        // what a leaf would predict
    bool is_varied = false;  // whether the target values differ
  };
  std::vector<Output> outputs;
  double impurity = 0;  // mean over the outputs

  bool is_constant() const { return !(impurity > 0); }
};

struct Node {
  std::uint32_t begin = 0, end = 0;  // segment in memory
  std::uint64_t n_elsewhere = 0;     // rows known only by their sums
  int depth = 0;
  std::uint64_t key = 0;     // identifies the node in the tree; seeds its random numbers
  std::vector<double> sums;  // by class (outputs one after the other), then the user-defined ones
  std::vector<std::uint32_t> non_constant;  // columns not known to be constant here
  double lower = 0, upper = 1;      // bounds of the second class's share, from monotonic splits
  RegressionStatistics regression;  // in regression; the bounds then apply to the first output

  std::uint64_t n_rows() const { return end - begin + n_elsewhere; }
};

/// Key of a node's child; it seeds the child's random numbers.
inline std::uint64_t child_key(std::uint64_t key, std::size_t branch) {
  return mix(key ^ (branch + 1));
}

/// Weight of a node: the sum over the classes of the first output.
inline double weight_of(const Target& target, std::span<const double> sums) {
  double total = 0;
  for (int k = 0; k < target.n_classes[0]; ++k) total += sums[static_cast<std::size_t>(k)];
  return total;
}

/// What a leaf predicts from: the class weights of all outputs; in regression the value of each
/// output, impurity and weight.
inline std::vector<double> statistics_of(const Target& target, const Node& node) {
  if (!target.is_numeric())
    return {node.sums.begin(),
            node.sums.begin() + static_cast<std::ptrdiff_t>(target.n_all_classes())};
  std::vector<double> statistics;
  for (const auto& output : node.regression.outputs) statistics.push_back(output.value);
  statistics.push_back(node.regression.impurity);
  statistics.push_back(node.sums[0]);
  return statistics;
}

/// Whether every output has one class only.
inline bool is_pure(const Target& target, std::span<const double> sums) {
  std::size_t at = 0;
  for (const int n_classes : target.n_classes) {
    int present = 0;
    for (int k = 0; k < n_classes; ++k) present += sums[at++] > 0;
    if (present > 1) return false;
  }
  return true;
}

}  // namespace ramify

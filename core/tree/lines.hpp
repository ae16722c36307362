// SPDX-License-Identifier: BSD-3-Clause
// Lines in leaves: a leaf of a model tree predicts its value plus multiples of clipped columns,
// clipped to the range of the numbers that were learnt.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ramify {

/// A multiple of a column, between the least and the largest value that the node had in which the
/// term was made.
struct LineTerm {
  std::int64_t column = 0;
  double slope = 0, low = 0, high = 0;
  double fill = 0;  // stands for a missing value
  double gain = 0;  // how much of the mean squared error it took, where it was made

  double value(double x) const { return slope * std::clamp(x != x ? fill : x, low, high); }
};

/// The lines of all nodes of a tree, one term after the other.
struct TreeLines {
  std::vector<std::int64_t> begin{0}, column;  // `begin` of each node, and the end
  std::vector<double> slope, low, high, fill, gain;
  std::vector<double> mean;  // of what was learnt, in each node
  double y_low = 0, y_high = 0;
};

/// The same in anyone's memory.
struct LinesView {
  std::span<const std::int64_t> begin, column;
  std::span<const double> slope, low, high, fill;
  double y_low = 0, y_high = 0;
};

}  // namespace ramify

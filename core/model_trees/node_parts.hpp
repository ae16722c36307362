// SPDX-License-Identifier: BSD-3-Clause
// What the rows of a node add to its sums: rounded so that every sum of them is exact. Cuts that
// part the rows alike then score alike, in whatever order a column names them, and a row of weight
// 2 is the row twice.
#pragma once

#include <span>
#include <vector>

#include "model_trees/sample.hpp"

namespace ramify {

class NodeParts {
 public:
  double weight = 0, mean = 0, squares = 0;  // of the node; squares about the mean
  std::vector<double> sum, square;           // of each row: weight times number less mean, squared

  /// Reads the numbers of a node's rows.
  void read(const LineSample& sample, Segment node, std::span<const double> number);

 private:
  std::vector<double> term_, times_;
};

}  // namespace ramify

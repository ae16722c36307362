// SPDX-License-Identifier: BSD-3-Clause
// The choices of a model tree in one plain struct.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

namespace ramify {

struct ModelTreeRules {
  enum class Method { pilot, m5 };
  enum class MissingSide { both, left, right };

  Method method = Method::m5;
  int max_depth = std::numeric_limits<int>::max();
  double min_split = 4, min_leaf = 2;  // in weight, which is a number of rows
  std::uint32_t max_columns = 0;       // sampled at each node; 0: all
  std::uint64_t seed = 0;
  MissingSide missing = MissingSide::both;
  bool one_vs_rest = false;  // of categories, instead of subsets

  // PILOT
  double alpha = 1;       // what parameters beyond the first cost: k = 1 + alpha (k - 1)
  double rel_tol = 0.01;  // a line that takes less of the squares ends its node
  int min_unique = 5;     // distinct values that a line needs
  int max_models = 100;   // on the way to a leaf
  bool lin = true, pcon = true, blin = true, plin = true;

  // M5'
  double smoothing = 15;  // how many rows the model of the node above is worth
  double penalty = 1;     // of a line, on standardised columns
  double factor = 2;      // of the parameters in the adjusted error
  double stop = 0.05;     // of the root's deviation: below it a node is a leaf
  double share = 0.2;     // of the rows, plus one row, that a cut leaves on both sides
  bool prune = true;

  // What the answers are clipped to: the range of y if low > high.
  double y_low = 1, y_high = -1;

  std::function<void()> pause;  // throws if the user wants to stop
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The answer of a search on one set of rows.
#pragma once

#include <limits>
#include <memory>

#include "optimal/rows.hpp"

namespace ramify::optimal {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// A tree on some rows, or the proof that there is none below a limit. Its last level is not
/// written out: where `depth` tests are allowed below and no cut is given, the best tree of that
/// depth (0, a leaf; 1, a stump) is found again when the tree is written, since few are.
struct Found {
  double cost = 0;       // loss and penalties of splits; or a bound of it, at least the limit
  bool is_exact = true;  // else `cost` is the bound
  // What no tree costs less than if leaves may have any number of rows. Only that is monotone, so
  // the bounds along a column are taken from it; without a limit it is the cost.
  double floor = 0;
  int depth = 0;
  Cut cut;  // `none`: a leaf or a stump, by depth
  std::unique_ptr<Found> left, right;
};

}  // namespace ramify::optimal

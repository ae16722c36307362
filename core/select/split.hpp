// SPDX-License-Identifier: BSD-3-Clause
// The split, a plain value: which column, which rows go where, and how good it is. Ties are
// resolved in ties.hpp and admissibility in admissible.hpp and nowhere else; judge.hpp chooses
// within one column, top.hpp keeps the best few candidates.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "select/ties.hpp"
#include "tree/tree.hpp"

namespace ramify {

inline constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

struct Split {
  int column = -1;
  double score = minus_infinity;
  double tie_break = minus_infinity;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  std::uint32_t code = 0, next_code = 0;  // the highest code on the left, the lowest on the right
  std::uint64_t rows_left = 0;            // with a value
  bool missing_left = false;
  bool saw_missing = false;  // whether values were missing
  // Where codes are listed: those that occur in the node, ascending (the code of "missing" may be
  // the last), and the branch of each.
  SplitKind kind = SplitKind::threshold;
  std::vector<std::uint32_t> codes, branches;
  std::vector<Term> terms;  // of a hyperplane; `column` is that of the largest share
  std::uint32_t n_branches = 2;
  bool is_chosen = false;  // of the candidates that are recorded
  bool is_optimal = true;  // certainly no split of the column is better
  // Of the whole column, for the choice among columns:
  double best =
      minus_infinity;     // its highest score, which the first of several tied cuts may just miss
  double share_left = 0;  // of the weight
  double branch_entropy = 0;  // of the weights of the branches, in bits; for C4.5's rules
  std::uint32_t n_tried = 0;  // admissible cuts
  bool is_constant = false;

  /// Result for a column that is constant in the node.
  static Split constant() {
    Split split;
    split.is_constant = true;
    return split;
  }
  bool exists() const { return column >= 0 && score > minus_infinity; }
};

/// Bounds of a node's prediction from monotonic splits above: of the second class's share, or of
/// the first output in regression.
struct Bounds {
  double lower = 0, upper = 1;
};

/// A candidate split that is recorded, with its scores by other criteria.
struct Recorded {
  Split split;
  std::vector<double> also;
};

}  // namespace ramify

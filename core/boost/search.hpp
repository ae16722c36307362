// SPDX-License-Identifier: BSD-3-Clause
// The best split of a node, from its histograms. Cuts are compared here and not by the judge of
// `select`: sums are integers, so equal cuts have equal scores and ties need no tolerance, and what
// is not admissible is seen from the sums alone.
#pragma once

#include <bitset>
#include <cstdint>
#include <limits>
#include <span>

#include "boost/binned.hpp"
#include "boost/kernels.hpp"

namespace ramify {

struct BoostSplit {
  double score = -std::numeric_limits<double>::infinity();  // of both sides, in units
  std::uint32_t column = 0;
  std::uint32_t code = 0;  // for a numeric column: the last on the left
  bool saw_missing = false, is_optimal = true;
  Pair left = 0;
  std::bitset<histogram_codes> seen{};  // codes that have rows
  std::bitset<histogram_codes> goes{};  // left, by code, including that of missing values
  /// Whether it wins over the best of lower columns.
  bool beats(const BoostSplit& best) const { return score > best.score; }
  bool exists() const { return score > -std::numeric_limits<double>::infinity(); }
};

/// Sums of a node, for the columns of a block only.
struct BlockSums {
  const Pair* sums;
  const std::uint32_t* counts;  // null if not needed
  Pair total;
  std::uint32_t n_rows;
};

/// The best split among the used columns of a block; the lowest column, then the lowest cut of
/// equals. Categories are sorted by gradient / (hessian + l2), with missing values as one more
/// category, and cut like numeric values.
BoostSplit find_split(const BinnedColumns& binned, const ColumnBlock& block, const BlockSums& sums,
                      const CutRules& rules, std::span<const std::uint8_t> is_used);

}  // namespace ramify

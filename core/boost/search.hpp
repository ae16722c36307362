// SPDX-License-Identifier: BSD-3-Clause
// The best split of a node, from its histograms.
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
  std::uint32_t code = 0;  // of a number: the last on the left
  bool saw_missing = false, is_optimal = true;
  Pair left = 0;
  std::bitset<histogram_codes> seen{};  // codes of which there were rows
  std::bitset<histogram_codes> goes{};  // left, by code; that of missing values included
  bool exists() const { return score > -std::numeric_limits<double>::infinity(); }
};

/// Sums of a node, those of the columns of a block only.
struct BlockSums {
  const Pair* sums;
  const std::uint32_t* counts;  // null if nobody asks for them
  Pair total;
  std::uint32_t n_rows;
};

/// The best split of the columns of a block that are in use; the lowest column, then the lowest cut
/// of equals. Categories are put in the order of gradient / (hessian + l2), where missing values
/// are one more category, and cut like numbers.
BoostSplit find_split(const BinnedColumns& binned, const ColumnBlock& block, const BlockSums& sums,
                      const CutRules& rules, std::span<const std::uint8_t> is_used);

}  // namespace ramify

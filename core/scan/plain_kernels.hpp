// SPDX-License-Identifier: BSD-3-Clause
// The inner loop of small nodes of numbers: walk along a sorted list, score its cuts and find the
// highest, in one function. Compiled once per instruction set, as the kernels of `scan`.
#pragma once

#include <cstdint>
#include <span>

#include "scan/kernels.hpp"

namespace ramify {

/// The cuts of a sorted list of at most CutBlock::capacity rows, all with a value.
struct PlainWalk {
  const std::uint64_t* items;
  std::uint32_t n;
  ItemLayout layout;
  const double* quantised;  // by row: what it adds to the sum, before it its weight if it has one
  bool is_counted;          // all weigh one
  std::uint32_t min_rows;   // on either side
  RegressionCall call;      // but for its cuts
};

/// Rows, weight and sum on the left of each cut, and its score.
struct PlainCuts {
  int n;
  double top;  // the highest score
  std::uint32_t rows_left[CutBlock::stride];
  double left[2 * CutBlock::stride], scores[CutBlock::stride];
};

struct PlainKernel {
  const CriterionInfo* info;
  void (*walk)(const PlainWalk&, PlainCuts&);
};

/// One for each criterion of sums.
const std::span<const PlainKernel>& plain_kernels();

}  // namespace ramify

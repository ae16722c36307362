// SPDX-License-Identifier: BSD-3-Clause
// Inner loops for random cuts of nodes whose rows are the bits of a word. Compiled once per
// instruction set, as those of `scan`.
#pragma once

#include <cstdint>

namespace ramify {

/// Some columns of a node.
struct SubtreeCall {
  static constexpr int max_columns = 64;
  int width;                  // bytes of a value: 1 (codes), 4 or 8 (numbers)
  const void* const* values;  // of each column: those of all lanes
  int n_columns;
  std::uint32_t n_lanes;
  std::uint64_t rows;    // of the node
  std::uint64_t firsts;  // lanes to be counted
};

/// Numbers by lane, of rows that count once.
struct LaneTargets {
  const double* y;
  std::uint64_t rows;
  std::uint32_t n_lanes;
};
/// Sums of terms, each parted into multiples of a coarse and of a fine step; see TermSteps.
struct LaneTerms {
  double centre;
  bool is_squared;  // the terms are squares of what numbers are away from the centre
  double up, finer;
  double coarse, fine;  // found
};

struct SubtreeKernels {
  /// The least and the most of each column.
  void (*find_ends)(const SubtreeCall&, double* min, double* max);
  /// The rows that have at most the threshold of each column, and how many these are.
  void (*find_left)(const SubtreeCall&, const double* threshold, std::uint64_t* left,
                    std::uint32_t* n_left);
  /// Sums of what lanes add, for some sets of rows; exact in any order.
  void (*sum_lanes)(const std::uint64_t* rows, int n, std::uint32_t n_lanes,
                    const double* quantised, double* sums);
  void (*target_ends)(const LaneTargets&, double* min, double* max);
  void (*target_terms)(const LaneTargets&, LaneTerms&);
  /// Marks of numbers less a centre times `per_unit`, by lane; gives their sum. See MarkSteps.
  double (*quantise_targets)(const LaneTargets&, double centre, double per_unit, double up,
                             double down, double* quantised);
};

const SubtreeKernels& subtree_kernels();

}  // namespace ramify

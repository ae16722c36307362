// SPDX-License-Identifier: BSD-3-Clause
// Along flagged lists: which blocks of cuts may hold a better score than is known already, and how
// lists are parted. The kernels are compiled for several instruction sets; what they answer may
// differ by a block that was looked at in vain, and by nothing else.
#pragma once

#include <cstdint>

#include "criteria/bound.hpp"
#include "rows/layout.hpp"

namespace ramify {

/// What floats lose in a sum over all classes, and more: see docs/design/bounds.md.
inline constexpr double filter_share = 1 - 2e-5;
/// Of the rows of a node: more than a deviation loses.
inline constexpr double filter_slack = 1.0 / (1 << 21);
/// Labels that one sum for all classes can tell apart: of more bits the table would be too large.
inline constexpr int max_label_bits = 10;

/// What a criterion promises (criteria/bound.hpp), ready for the cuts of one node: a cut scores
/// less than asked if the norm of the deviations |L_k - n_L share_k| + slack, squared, is below
/// least n_L n_R, or below what is needed with so many rows on the left. The norm is at most that
/// without the slack, and `total_slack`.
struct DeviationFilter {
  int n_classes = 0;
  DeviationNorm norm = DeviationNorm::squares;
  const std::uint32_t* label = nullptr;  // of each class that occurs
  // What a row of each class weighs; then all weights, that of the node included, are shares of
  // it. Null if all rows weigh one.
  const float* weight = nullptr;
  const float* share = nullptr;   // of each class in the node
  const float* factor = nullptr;  // of each class; of magnitudes, its root
  bool equal_factors = false;
  bool is_cumulative = false;  // of more than two classes: shares, too, are those up to a class
  // By how much the factor of each class grows, times the ratio of the sides and its deviation; or
  // null. Of evidence: what the rows of each class, and of the others, are multiplied by, and what
  // is added to them.
  const float* bend = nullptr;
  const float *per_own = nullptr, *per_rest = nullptr, *in_parent = nullptr;
  float adjust = 0;
  float both = 0;         // factor of the square of a deviation that two classes have
  float slack = 0;        // more than all roundings of a deviation
  float total_slack = 0;  // of the whole norm
  float total = 0;        // rows of the node
  float min = 0;
  const float* needed = nullptr;  // by rows on the left, with room behind; null: as `least` says
};

/// A walk along a flagged list, a block of cuts after the other.
struct FlagScan {
  const void* items;
  std::uint32_t n;            // rows with a value
  std::uint32_t next;         // rows that have moved to the left
  std::uint32_t rows_before;  // rows without a value that count as left
  std::uint32_t n_cuts;       // so far
  FlagLayout layout;
  std::uint32_t* left;  // of each class that occurs (of two, only the second is kept up)
  bool has_few_cuts = false;
};

/// Where the sums of a block of cuts are written.
struct CutSumsCall {
  int n_classes;
  const std::uint32_t* channel;    // of each label
  const std::uint8_t* is_present;  // of each label
  const double* all;               // of each class: rows with a value, if cut_at_end
  double* left;                    // channel-major with CutBlock::stride
  std::uint32_t* rows_left;
  bool cut_at_end;  // rows without a value follow
};

/// Rows with weights of their own, while a list of them is walked along.
struct RowWeights {
  const double* weight;  // of each row, as items name it; in whole units
  int n_lanes;           // classes that occur, and room up to 2, 4, 8, 16 or 32; 0 if they are more
  const double* is_class;  // [label][lane]: 1 at its class, else 0
  double* left;            // of each lane
  const double* missing;   // of each lane: rows without a value
  const double* zero;      // of each lane
};

/// The same as DeviationFilter for them: in doubles, of sums that are exact.
struct WeightFilter {
  int n_classes = 0;
  const double* share = nullptr;   // of each lane in the node
  const double* factor = nullptr;  // of each lane
  double slack = 0;                // more than all roundings of the sum of squares
  double total = 0;
  double min = 0;
};

/// A list of a node that is parted. The rows of one side are marked by a bit.
struct FlagPartition {
  void* items;
  std::uint32_t n;
  FlagLayout layout;
  const std::uint32_t* moved;
  bool marked_left;
  Keep keep;
  void* spare;  // room for n items and one vector more
};

struct FlagKernels {
  const char* name;
  bool walks_low_cardinality;  // are columns of few values walked along faster than counted?
  int max_factors;             // classes with factors of their own that a filter may have
  int most_weighted;           // classes with weights of their own
  /// Goes on by one block of cuts (CutBlock::capacity, or what is left), and writes those that
  /// could score what the filter asks for, as sum_cuts does; how many they are.
  int (*find_cuts)(FlagScan&, const DeviationFilter&, const CutSumsCall&);
  int (*find_cuts_short)(FlagScan&, const DeviationFilter&, const CutSumsCall&);
  /// The cuts of the block that begins where the walk is: the rows on the left of each, by class,
  /// and how many they are. Goes on behind it.
  int (*sum_cuts)(FlagScan&, const CutSumsCall&);
  int (*sum_cuts_short)(FlagScan&, const CutSumsCall&);
  /// The same of rows that have weights of their own. The first looks at both sides for the rows
  /// without a value.
  bool (*scan_weights)(FlagScan&, const RowWeights&, const WeightFilter&);
  bool (*scan_weights_short)(FlagScan&, const RowWeights&, const WeightFilter&);
  int (*sum_weights)(FlagScan&, const CutSumsCall&, const RowWeights&);
  int (*sum_weights_short)(FlagScan&, const CutSumsCall&, const RowWeights&);
  /// Stable partition; what is not kept may be overwritten.
  void (*partition)(const FlagPartition&);
  void (*partition_short)(const FlagPartition&);
};

/// The kernels for this processor.
const FlagKernels& flag_kernels();

}  // namespace ramify

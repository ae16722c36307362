// SPDX-License-Identifier: BSD-3-Clause
// Along sorted lists in floats: what the cuts of a column are worth at most, which of them come
// near a value, and how lists are partitioned. Cuts near the best are scored again, exactly. So the
// kernels, which are compiled for several instruction sets, may differ in which cuts are scored in
// vain, and in nothing else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rows/layout.hpp"

namespace ramify {

/// How the deviations of a cut become one number: that of regression in integer steps, or those of
/// classes. See DeviationNorm.
enum class CutNorm {
  steps,
  squares,
  bent,      // squares, with factors that grow with the deviation
  two_bent,  // the same for two classes, of which only the second is counted
  magnitudes,
  largest,
  largest_bent,
  cumulative  // squares of deviations of the classes up to each
};

/// What the cuts of a node have in common, whatever the column. The value of a cut is the norm of
/// the deviations of its left side times a share that depends on the place of the cut; where rows
/// have weights, divided by n_L n_R.
struct SortedScan {
  /// Classes that are counted, and that are if rows have weights.
  static constexpr int max_classes = 64, max_weighted = 16;
  /// Entries that vectors read behind the end of a table.
  static constexpr std::size_t room_behind = 16;

  CutNorm norm = CutNorm::steps;
  FlagLayout layout{};
  /// By rows on the left, up to those of the node and with room behind: minus infinity where no cut
  /// is admissible.
  const float* shares = nullptr;
  float total = 0;  // weight of the node

  // Classes. All that is given by class is zero up to a multiple of four.
  int n_classes = 0;                    // that are counted: of two without weights, the second
  const std::int32_t* label = nullptr;  // where it is in an item; -1 behind the last
  const float* share = nullptr;         // in the node
  const float* factor = nullptr;
  const float* bend = nullptr;  // growth of the factor; of two classes, factors of both
  // By rows on the left: n_L / n_R and n_R / n_L, if factors bend.
  const float *left_to_right = nullptr, *right_to_left = nullptr;
  const double* weight = nullptr;  // by row; null if all weigh one
  // Where rows have weights, more than rounding may change the root of the norm, and a weight.
  float slack = 0, weight_slack = 0;

  // Regression.
  const std::int32_t* steps = nullptr;         // by row, each at most 2^26
  const std::int32_t* whole_weight = nullptr;  // by row; null if all weigh one
};

/// The list of a column. Missing values lie at its end and go to either side.
struct SortedColumn {
  const std::uint32_t* items;
  std::uint32_t n;  // rows with a value
  std::uint32_t n_missing = 0;
  const double* missing = nullptr;  // how much these rows deviate, by class that is counted
  double missing_weight = 0;
};

/// Up to 16 rows of a small node: items of eight bits, the highest set if the code differs from
/// that of the item before, the lowest four the number of the row. Columns are 16 items apart.
struct FewScan {
  static constexpr std::uint32_t max_rows = 16;
  static constexpr std::uint8_t flag = 0x80, row_mask = 0x0f;

  const std::uint8_t* items = nullptr;  // of the first column, where the node begins
  std::uint32_t n = 0;
  const double* sums = nullptr;    // by row: what it adds to the sum; 16 of them
  const double* weight = nullptr;  // by row; null if all weigh one
  // By place: the rows on the left, or 0 if they have weights; NaN where no cut is admissible.
  const double* places = nullptr;
  double total = 0, mean = 0, factor = 1;  // see RegressionCall
};

/// How a small node is partitioned: a bit of `left` is set if the row of this number goes left.
struct FewPartition {
  std::uint8_t* items;
  std::uint32_t n, left;
};

/// A list of a node that is partitioned. The rows of one side are marked by a bit.
struct ListPartition {
  std::uint32_t* items;
  std::uint32_t n;
  FlagLayout layout;
  const std::uint32_t* moved;
  bool marked_left;
  Keep keep;
  std::uint32_t* spare;  // room for n items and one vector more
};

struct SortedKernels {
  const char* name;
  bool has_wide_lanes;  // 16 of them
  /// The highest value of a column: negative if no cut is admissible, NaN if it is constant.
  float (*peak)(const SortedScan&, const SortedColumn&);
  /// The cuts that reach a value: how many rows with a value are on their left.
  std::uint32_t (*near)(const SortedScan&, const SortedColumn&, float wanted,
                        std::uint32_t* places);
  /// Stable partition; what is not kept may be overwritten.
  void (*partition)(const ListPartition&);
  /// By rows on the left: 1 / (n_L n_R), or 1 if rows have weights; minus infinity where a side has
  /// fewer than `min` rows.
  void (*shares)(std::uint32_t n, std::uint32_t min, bool has_weights, float* shares);
  /// Writes shares with which the value of a cut that may have what is needed is one or more. How
  /// much they have grown at most; infinite if some cut needs nothing.
  float (*shares_of_needed)(const double* needed, std::uint32_t begin, std::uint32_t end,
                            float kept, float slack, float* shares);
  /// The highest exact score of each column, minus infinity if it has no admissible cut; and NaN if
  /// it is constant.
  void (*few_tops)(const FewScan&, const std::uint32_t* columns, std::size_t n_columns,
                   double* tops);
  /// The exact score of each cut of one column, by the rows on its left less one; NaN if it is not
  /// admissible.
  void (*few_scores)(const FewScan&, std::uint32_t column, double* scores);
  /// Stable partition of some columns.
  void (*few_partition)(const FewPartition&, const std::uint32_t* columns, std::size_t n_columns);
};

/// The kernels for this processor.
const SortedKernels& sorted_kernels();

}  // namespace ramify

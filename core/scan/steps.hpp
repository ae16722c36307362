// SPDX-License-Identifier: BSD-3-Clause
// Regression trees on sorted lists: how much of the squared error the cuts of a column remove, in
// floats, from deviations in whole steps. Cuts near the highest peak of all columns are scored
// again, exactly. So the kernels, which are compiled for several instruction sets, may differ in
// which cuts are scored in vain, and in nothing else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramify {

/// What the cuts of a node have in common, whatever the column. A row deviates from the mean of the
/// node by a number of steps; a cut removes D^2 / (n_L n_R), where D is the sum of the deviations
/// on its left and n_L, n_R are weights.
struct StepScan {
  std::uint32_t n = 0;                   // rows of the node
  std::uint32_t row_mask = 0;            // of an item
  const std::int32_t* steps = nullptr;   // by row, each at most 2^26
  const std::int32_t* weight = nullptr;  // by row; null if all weigh one
  // By place, with room for a vector behind: 1 / (n_L n_R), or 1 if rows have weights; minus
  // infinity where no cut is admissible.
  const float* shares = nullptr;
  float total = 0;  // weight of the node
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

struct StepKernels {
  /// What floats lose in all that is calculated of a cut, and more.
  static constexpr double lost = 2e-6;

  void (*shares)(std::uint32_t n, std::uint32_t min, bool has_weights, float* shares);
  /// What the best cut of a column removes, but for rounding: negative if no cut is admissible,
  /// NaN if the column is constant.
  float (*peak)(const StepScan&, const void* items);
  float (*peak_short)(const StepScan&, const void* items);
  /// The cuts that remove `min`, but for rounding: how many rows are on their left.
  std::uint32_t (*near)(const StepScan&, const void* items, float min, std::uint32_t* places);
  std::uint32_t (*near_short)(const StepScan&, const void* items, float min, std::uint32_t* places);
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
const StepKernels& step_kernels();

}  // namespace ramify

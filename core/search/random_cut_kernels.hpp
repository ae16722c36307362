// SPDX-License-Identifier: BSD-3-Clause
// Inner loops of random cuts: a pass over the values of a node's rows finds the range of each
// column, a second one sums what lies left of one threshold per column. Classes and regression
// differ only in what a row adds. Compiled once per instruction set, as the kernels of `scan`.
#pragma once

#include <cstdint>
#include <span>

#include "data/row_records.hpp"
#include "rows/layout.hpp"

namespace ramify {

/// The values of some rows in a group of columns: those within `RandomCutKernels::n_together` of
/// the first are read where they are; up to four that lie further apart are gathered side by side.
struct ValueRows {
  ValueRecords records;
  const RowIndex* row_indices;
  std::uint32_t n;
  std::span<const std::uint32_t> columns;  // ascending
  void* gathered;  // [row][4], floats or doubles as in the records; null if not gathered

  static constexpr std::size_t max_gathered = 4;
};

/// What a row adds to the sums of classes: its weight, or how often it counts.
struct ClassAdds {
  ItemLayout layout;
  const double* weight;  // by row; null if rows count
  int n_classes;

  double weight_of(std::uint32_t low) const {
    return weight ? weight[layout.row(low)] : layout.often(low);
  }
};

/// What a row adds in regression: weight and sum; or the sum alone, if all weigh one.
struct RegressionAdds {
  const double* quantised;  // by `low` of a row index
  bool is_counted;
};

/// What lies left of the threshold of each column. Sums are by class; or weight and sum.
struct LeftSums {
  std::uint32_t* n_rows;
  double* sums;        // [channel][column]
  std::size_t stride;  // of channels
  double* work;        // room for max_lanes numbers per channel

  static constexpr std::size_t max_lanes = 24;
};

/// Partitions rows by their values in a column.
struct ValuePartition {
  ValueRecords records;
  const void* gathered;  // the values, max_gathered apart, if they are known; or null
  RowIndex* row_indices;
  std::uint32_t n;
  std::uint32_t column;
  double threshold;
  RowIndex* spare;  // room for n
};

struct RandomCutKernels {
  std::size_t n_together;
  /// Gathers the values, too, if they are to be.
  void (*find_ranges)(const ValueRows&, double* min, double* max);
  void (*sum_classes)(const ValueRows&, const double* thresholds, const ClassAdds&, LeftSums);
  void (*sum_regression)(const ValueRows&, const double* thresholds, const RegressionAdds&,
                         LeftSums);
  std::uint32_t (*partition)(const ValuePartition&);
};

const RandomCutKernels& random_cut_kernels();

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Inner loops for values of rows that lie in no order: random cuts. Compiled once per instruction
// set, as those of `scan`.
#pragma once

#include <cstdint>

#include "data/row_values.hpp"
#include "scan/kernels.hpp"

namespace ramify {

/// Values of up to four columns for some rows, side by side; with the min and the max of each.
struct ValueCall {
  static constexpr int columns_at_once = 4;
  ValueRecords records;
  const RowIndex* row_indices;
  std::uint32_t n;
  const std::uint32_t* columns;
  int n_columns;
  void* values;  // [row][4], floats or doubles as in the records
  double *min, *max;
};

/// Which values are up to the thresholds of their columns: counted, and by class what these rows
/// weigh.
template <class Key>
struct SideCall {
  const void* values;  // as above
  int width;
  const RowIndex* row_indices;
  std::uint32_t n;
  Weigher<Key> weigher;
  const double* threshold;  // of each column
  int n_classes;
  std::uint32_t* n_left;                // of each column
  typename Weigher<Key>::Sum* classes;  // [column][class]
};

/// Parts rows by their values in a column.
struct ValuePartition {
  ValueRecords records;
  const void* gathered;  // the values, four apart, if someone has gathered them; or null
  RowIndex* row_indices;
  std::uint32_t n;
  std::uint32_t column;
  double threshold;
  RowIndex* spare;  // room for n
};

/// Two passes over the values of some rows for all columns at a time, or for the few that are asked
/// for: the ends of each column; then what lies up to a threshold of it.
struct ValuePasses {
  static constexpr std::size_t lanes = 24;  // arrays by column have room for as many beyond
  ValueRecords records;
  const RowIndex* row_indices;  // their `low` is the place of their marks
  std::uint32_t n;
  const std::uint32_t* columns;
  std::size_t n_requested;
  double *min, *max;        // by column
  const double* threshold;  // of each column; no number: nothing is
  const double* quantised;  // what a row adds: weight and sum; or the sum, if all weigh one
  int n_quantised;
  std::uint32_t* n_left;  // rows, weight and sum of each column
  double *weight, *sum;
};

struct SampledKernels {
  void (*gather_values)(const ValueCall&);
  void (*count_up_to)(const SideCall<CountKey>&);
  void (*weigh_up_to)(const SideCall<RowKey>&);
  std::uint32_t (*partition_values)(const ValuePartition&);
  void (*find_ends)(const ValuePasses&);
  void (*sum_up_to)(const ValuePasses&);
};

const SampledKernels& sampled_kernels();

}  // namespace ramify

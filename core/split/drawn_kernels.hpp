// SPDX-License-Identifier: BSD-3-Clause
// Inner loops for the narrow columns of nodes that look at few: counts by code and class, in
// sixteen bits; or, where the rows of a node are bits of a word, no counts at all. Compiled once
// per instruction set, as those of `scan`.
#pragma once

#include <cstdint>
#include <span>

#include "data/row_values.hpp"
#include "scan/kernels.hpp"

namespace ramify {

/// Counts of a few narrow columns, for some rows.
struct CellCall {
  static constexpr std::uint32_t most_weight = 32767;  // of a node
  static constexpr int most_classes = 64, step = 16;   // strides are multiples of the latter
  CodeRecords records;
  const Member* members;
  std::uint32_t n;
  ItemLayout layout;
  const std::uint32_t* columns;
  int n_columns;                // at most columns_at_once
  std::uint16_t* const* cells;  // of each column: [code][class], `stride` apart
  int stride;
};

/// The cuts of a column by its counts, which are cleared.
struct CellWalk {
  std::uint16_t* cells;
  int stride;
  std::uint32_t n_codes;
  const std::uint16_t* parent;  // counts of the node
  double total;
};

/// The cuts of a column whose rows are bits.
struct MaskWalk {
  const std::uint64_t* up_to;  // rows with at most this code, of n codes
  const std::uint32_t* code;
  int n;
  std::uint64_t node;            // its rows
  const std::uint64_t* classes;  // and those of each class that occurs
  const std::uint32_t* parent;   // how many these are
  int n_classes;
  double total;
};

/// For a criterion whose sums of whole weights are exact: so they may be taken in any order, and
/// here as integers. Both write the codes that occur into the block, and score the cuts between.
struct WholeKernel {
  const CriterionInfo* info;
  /// Scores n cuts that may be of different columns: `up_to` has the rows of the node that lie
  /// left.
  void (*score_masks)(const MaskWalk&, double* scores);
  void (*walk_cells)(const CellWalk&, CutBlock&, double* scores);
  void (*walk_masks)(const MaskWalk&, CutBlock&, double* scores);
};

/// Values of up to four columns for some rows, side by side; with the least and the most of each.
struct ValueCall {
  static constexpr int columns_at_once = 4;
  ValueRecords records;
  const Member* members;
  std::uint32_t n;
  const std::uint32_t* columns;
  int n_columns;
  void* values;  // [row][4], floats or doubles as in the records
  double *least, *most;
};

/// Which values are up to the thresholds of their columns: counted, and by class what these rows
/// weigh.
template <class Key>
struct SideCall {
  const void* values;  // as above
  int width;
  const Member* members;
  std::uint32_t n;
  Weigher<Key> weigher;
  const double* threshold;  // of each column
  int n_classes;
  std::uint32_t* n_left;                // of each column
  typename Weigher<Key>::Sum* classes;  // [column][class]
};

/// Parts rows by their values in a column.
struct ValuePart {
  ValueRecords records;
  const void* gathered;  // the values, four apart, if someone has gathered them; or null
  Member* members;
  std::uint32_t n;
  std::uint32_t column;
  double threshold;
  Member* spare;  // room for n
};

/// Two passes over the values of some rows for all columns at a time, or for the few that are asked
/// for: the ends of each column; then what lies up to a threshold of it.
struct ValuePasses {
  static constexpr std::size_t lanes = 12;  // arrays by column have room for whole packs
  ValueRecords records;
  const Member* members;  // their `low` is the place of their marks
  std::uint32_t n;
  const std::uint32_t* columns;
  std::size_t n_asked;
  double *least, *most;     // by column
  const double* threshold;  // of each column; no number: nothing is
  const double* marks;      // what a row adds: weight and sum; or the sum, if all weigh one
  int n_marks;
  std::uint32_t* n_left;  // rows, weight and sum of each column
  double *weight, *sum;
};

struct DrawnKernels {
  std::span<const WholeKernel> whole;
  void (*count_cells)(const CellCall&);
  void (*gather_values)(const ValueCall&);
  void (*count_up_to)(const SideCall<CountKey>&);
  void (*weigh_up_to)(const SideCall<RowKey>&);
  std::uint32_t (*part_values)(const ValuePart&);
  void (*find_ends)(const ValuePasses&);
  void (*sum_up_to)(const ValuePasses&);
};

const DrawnKernels& drawn_kernels();

}  // namespace ramify

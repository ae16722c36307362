// SPDX-License-Identifier: BSD-3-Clause
// Inner loops for the narrow columns of nodes that look at few: counts by code and class, in
// sixteen bits; or, where the rows of a node are bits of a word, no counts at all. Compiled once
// per instruction set, as those of `scan`.
#pragma once

#include <cstdint>
#include <span>

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
  int n_columns;                // at most KeyCall::columns_at_once
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
  void (*walk_cells)(const CellWalk&, CutBlock&, double* scores);
  void (*walk_masks)(const MaskWalk&, CutBlock&, double* scores);
};

struct DrawnKernels {
  std::span<const WholeKernel> whole;
  void (*count_cells)(const CellCall&);
};

const DrawnKernels& drawn_kernels();

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Inner loops for columns of few codes and criteria whose sums of whole weights are exact: counts
// by code and class, in sixteen bits. Compiled once per instruction set, as those of `scan`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "scan/kernels.hpp"

namespace ramify {

/// Counts of a few low-cardinality columns, for some rows.
struct CellCall {
  static constexpr std::uint32_t max_weight = 32767;  // of a node whose cuts are walked by integers
  static constexpr std::uint32_t max_counted = 65535;  // of any node that is counted
  static constexpr int max_classes = 64, step = 16;    // strides are multiples of the latter
  static constexpr std::uint32_t codes_at_once = 4;    // whole groups of codes are read

  CodeRecords records;
  const RowIndex* row_indices;
  std::uint32_t n;
  ItemLayout layout;
  const std::uint32_t* columns;
  int n_columns;                // at most columns_at_once
  std::uint16_t* const* cells;  // of each column: [code][class], `stride` apart
  int stride;

  static int stride_for(std::size_t n_classes) {
    return (static_cast<int>(n_classes) + step - 1) / step * step;
  }
  /// Codes up to a whole group.
  static std::size_t room_for(std::uint32_t n_codes) {
    return (n_codes + codes_at_once - 1) / codes_at_once * codes_at_once;
  }
};

/// The cuts of a column by its counts.
struct CellWalk {
  const std::uint16_t* cells;
  int stride;
  std::uint32_t n_codes;
  const std::uint16_t* parent;  // counts of the node
  double total;
  double min;  // cuts that score less do not matter
};

/// What a walk has found: one code only; cuts, but none that matters; or cuts with scores.
enum class Seen { constant, beaten, scored };

/// For a criterion whose sums of whole weights are exact: so they may be taken in any order, and
/// here as integers. A walk writes into the block the codes that occur, n_cuts + 1 of them, and
/// what weighs up to each; and scores the cuts between.
struct IntegerKernel {
  const CriterionInfo* info;
  /// The highest score of a node, from its weight and the sum over its classes of their squares.
  double (*max)(double total, double whole);
  Seen (*walk_cells)(const CellWalk&, CutBlock&, double* scores);
};

struct IntegerKernels {
  std::span<const IntegerKernel> criteria;
  void (*count_cells)(const CellCall&);
  void (*take_away)(std::uint16_t* from, const std::uint16_t* cells, std::size_t n);

  /// Those of a criterion, or null.
  const IntegerKernel* of(std::string_view name) const {
    for (const IntegerKernel& kernel : criteria)
      if (kernel.info->name == name) return &kernel;
    return nullptr;
  }
};

const IntegerKernels& integer_kernels();

}  // namespace ramify

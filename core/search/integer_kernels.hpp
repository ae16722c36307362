// SPDX-License-Identifier: BSD-3-Clause
// Inner loops for columns of few codes and criteria whose sums of whole weights are exact: counts
// by code and class, in sixteen bits; or, where the rows of a node are bits of a word, no counts at
// all. Compiled once per instruction set, as those of `scan`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "scan/kernels.hpp"

namespace ramify {

/// Counts of a few narrow columns, for some rows.
struct CellCall {
  static constexpr std::uint32_t max_weight = 32767;  // of a node
  static constexpr int max_classes = 64, step = 16;   // strides are multiples of the latter
  static constexpr std::uint32_t codes_at_once = 4;   // whole groups of codes are read

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
  double min;
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
  Seen (*walk_masks)(const MaskWalk&, CutBlock&, double* scores);
};

/// Rows of a small node as bits, and their codes in one column.
struct CodeBits {
  CodeRecords records;
  const RowIndex* row_indices;
  std::size_t n;  // members; the bits of all are 64 at most
  ItemLayout layout;
  std::uint32_t column;
  std::uint64_t* by_code;  // room for 256 words, all zero; they are again
  // For each code that occurs, ascending: the code, and the rows with at most that.
  std::uint32_t* code;
  std::uint64_t* up_to;
};

struct IntegerKernels {
  std::span<const IntegerKernel> criteria;
  void (*count_cells)(const CellCall&);
  /// How many of some rows are among those of each class.
  void (*count_masks)(std::uint64_t rows, const std::uint64_t* classes, std::size_t n,
                      std::uint32_t* counts);
  /// Gives how many codes occur.
  int (*find_codes)(const CodeBits&);
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

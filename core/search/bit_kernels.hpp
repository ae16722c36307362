// SPDX-License-Identifier: BSD-3-Clause
// The cuts of small nodes, whose rows are bits of a word or lie in lists of short items. These are
// worth while with AVX-512 only: other processors have none of these kernels.
#pragma once

#include <cstdint>

#include "scan/flags.hpp"
#include "scan/kernels.hpp"

namespace ramify {

/// A sorted list of up to 64 items of two classes, some of which belong to a node.
struct BitCall {
  const std::uint8_t* order;  // row of each item; room for 64
  std::uint64_t flags;        // items that differ from the one before them
  std::uint32_t n_items;
  std::uint64_t rows;    // of the node
  std::uint64_t second;  // those of the second class
  double* left;          // of the cuts: class-major with CutBlock::stride
  std::uint32_t* items_left;
};

/// Where the second of two classes deviates most from its share, in floats: the most that
/// (|D| + slack)^2 / (n_L n_R) may be, and the cut; none if there are no items on its left.
struct ListPeak {
  float max = 0;
  std::uint32_t items_left = 0, in_second = 0;
};

struct BitKernels {
  /// Writes the sums on the left of all cuts, and how many items of the node these are; gives the
  /// number of cuts.
  int (*sum_cuts)(const BitCall&) = nullptr;
  /// Which items belong to some rows.
  std::uint64_t (*items_of)(const std::uint8_t* order, std::uint32_t n_items,
                            std::uint64_t rows) = nullptr;
  ListPeak (*peak)(const std::uint16_t* items, std::uint32_t n, FlagLayout layout,
                   const DeviationFilter& filter) = nullptr;
};

const BitKernels& bit_kernels();

}  // namespace ramify

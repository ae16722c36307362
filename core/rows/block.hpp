// SPDX-License-Identifier: BSD-3-Clause
// Some rows of a table as plain buffers, which can travel and lie in files: codes row by row,
// labels, weights. Which node a row is in is kept beside them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "util/exact_sum.hpp"

namespace ramify {

/// How the codes of all columns lie in a block, and their sums in a slot: [cell][channel], a cell
/// for each code of each column and for "missing", a channel for each class of each output and,
/// where rows have weights, one for their number, or one for that of each class. If numbers are
/// learnt there are `n_stats` channels of each output instead: weight, sum and perhaps the sum of
/// squares.
struct Layout {
  Layout(std::vector<std::uint32_t> n_codes, std::vector<int> n_classes, bool is_weighted,
         int n_stats = 0, bool counts_classes = false);

  std::vector<std::uint32_t> n_codes;  // by column, without "missing"
  std::vector<int> n_classes;          // of each output
  bool is_weighted;
  int n_stats;                       // 0: classes are learnt
  bool counts_classes;               // are rows that have weights counted by class?
  std::vector<std::uint32_t> place;  // of a column, among those of one byte or those of four
  std::vector<std::size_t> first_cell;
  std::size_t n_cells = 0, n_narrow = 0, n_wide = 0;
  std::size_t n_classes_all = 0;  // or channels of numbers

  bool is_numeric() const { return n_stats > 0; }
  bool is_low_cardinality(std::size_t column) const { return n_codes[column] < 256; }
  /// Channels that count rows.
  std::size_t n_counts() const { return is_weighted ? counts_classes ? n_classes_all : 1 : 0; }
  std::size_t n_channels() const { return n_classes_all + n_counts(); }
  /// Numbers in a slot.
  std::size_t slot_size() const { return n_cells * n_channels(); }
};

struct Block {
  std::size_t n_rows = 0;
  const std::uint8_t* narrow = nullptr;  // codes of one byte, row-major
  const std::uint32_t* wide = nullptr;   // codes of four bytes, row-major
  const void* labels = nullptr;          // row-major, by output
  int label_bytes = 1;
  const double* weight = nullptr;  // null if all rows weigh one
  double unit = 1;                 // of which the sums have whole multiples
  const double* values = nullptr;  // instead of labels, if numbers are learnt

  double times(std::size_t row) const { return weight ? std::nearbyint(weight[row] / unit) : 1; }
};

/// How the numbers of a slot are measured, output by output.
struct RegressionScale {
  double centre = 0, per_unit = 1;
  QuantisedSteps steps;
};

/// Says whether all codes and labels are such as the layout knows.
bool is_within(const Block& block, const Layout& layout);

/// Where the rows of a node go that was split: by a threshold on the codes, or as a list says.
struct Way {
  int column = -1;  // none: the rows stay
  int first_child = 0;
  std::uint32_t highest = 0;  // code that goes to the first child
  std::uint32_t missing = 0;  // branch of "missing"
  std::int64_t begin = -1;    // in the list of branches by code, if it is no threshold
};

/// The ways from all nodes, by number; and the branches of those that list them.
struct Ways {
  std::vector<Way> of_node;
  std::vector<std::uint32_t> branches;
};

/// What is to be counted: the slot of each node, or below zero.
struct Count {
  const Layout& layout;
  const Ways& ways;
  std::span<const std::int32_t> slot_of_node;
  std::span<const RegressionScale> scales{};  // by slot and output, if numbers are learnt
};

/// Moves the rows of a block to the nodes where their ways end, from where they were. Rows below
/// zero are not in the tree, and stay. Throws std::invalid_argument if a row is in no node.
void route(const Block& block, const Layout& layout, const Ways& ways,
           std::span<std::int32_t> node_of_row);

/// Moves the rows, and adds those of nodes that have a slot to its sums. Clears nothing, so that
/// sums of blocks add up in any order. Gives the number of rows that were added.
template <class Sum>
std::uint64_t count(const Block& block, const Count& what, std::span<std::int32_t> node_of_row,
                    std::span<Sum> sums);

}  // namespace ramify

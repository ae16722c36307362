// SPDX-License-Identifier: BSD-3-Clause
// Some rows of a table as plain buffers, for messages and files: row-major codes, labels, weights.
// The node of each row is kept separately.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "util/exact_sum.hpp"

namespace ramify {

/// How the codes of all columns lie in a block, and their sums in a slot: [cell][channel], with a
/// cell for each code of each column and for "missing". Classification has a channel for each class
/// of each output; weighted rows have one more for the number of rows, or one for that of each
/// class. Regression has `n_stats` channels for each output instead: weight, sum and perhaps the
/// sum of squares.
struct Layout {
  Layout(std::vector<std::uint32_t> n_codes, std::vector<int> n_classes, bool is_weighted,
         int n_stats = 0, bool counts_classes = false);

  std::vector<std::uint32_t> n_codes;  // by column, without "missing"
  std::vector<int> n_classes;          // of each output
  bool is_weighted;
  int n_stats;                       // 0: classification
  bool counts_classes;               // whether weighted rows are counted by class
  std::vector<std::uint32_t> place;  // of a column, among those of one byte or those of four
  std::vector<std::size_t> first_cell;
  std::size_t n_cells = 0, n_byte_columns = 0, n_int_columns = 0;
  std::size_t n_classes_all = 0;  // or regression channels

  bool is_numeric() const { return n_stats > 0; }
  bool is_low_cardinality(std::size_t column) const { return n_codes[column] < 256; }
  /// Channels that count rows.
  std::size_t n_counts() const { return is_weighted ? counts_classes ? n_classes_all : 1 : 0; }
  std::size_t n_channels() const { return n_classes_all + n_counts(); }
  /// Number of values in a slot.
  std::size_t slot_size() const { return n_cells * n_channels(); }
};

struct Block {
  std::size_t n_rows = 0;
  const std::uint8_t* byte_codes = nullptr;  // codes of one byte, row-major
  const std::uint32_t* int_codes = nullptr;  // codes of four bytes, row-major
  const void* labels = nullptr;              // row-major, by output
  int label_bytes = 1;
  const double* weight = nullptr;  // null if all rows weigh one
  double unit = 1;                 // the sums are integer multiples of it
  const double* values = nullptr;  // instead of labels, in regression

  double times(std::size_t row) const { return weight ? std::nearbyint(weight[row] / unit) : 1; }
};

/// The fixed-point scale of a slot's regression targets, output by output.
struct RegressionScale {
  double centre = 0, per_unit = 1;
  QuantisedSteps steps;
};

/// Returns whether the layout has all codes and labels of the block.
bool is_within(const Block& block, const Layout& layout);

/// Where the rows of a split node go: by a threshold on the codes, or by a list of branches.
struct Way {
  int column = -1;  // none: the rows stay
  int first_child = 0;
  std::uint32_t highest = 0;  // code that goes to the first child
  std::uint32_t missing = 0;  // branch of "missing"
  std::int64_t begin = -1;    // in the list of branches by code; -1 for a threshold
};

/// The ways from all nodes, by node, and the branches of those that list them.
struct Ways {
  std::vector<Way> of_node;
  std::vector<std::uint32_t> branches;
};

/// What is to be counted: the slot of each node, or a negative value for none.
struct Count {
  const Layout& layout;
  const Ways& ways;
  std::span<const std::int32_t> slot_of_node;
  std::span<const RegressionScale> scales{};  // by slot and output, in regression
};

/// Moves the rows of a block from their nodes down to where their ways end. Rows with a negative
/// node are not in the tree and stay. Throws std::invalid_argument if a node does not exist.
void route(const Block& block, const Layout& layout, const Ways& ways,
           std::span<std::int32_t> node_of_row);

/// Moves the rows, and adds those of nodes that have a slot to its sums. Clears nothing, so that
/// sums of blocks add up in any order. Returns the number of rows added.
template <class Sum>
std::uint64_t count(const Block& block, const Count& what, std::span<std::int32_t> node_of_row,
                    std::span<Sum> sums);

}  // namespace ramify

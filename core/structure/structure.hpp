// SPDX-License-Identifier: BSD-3-Clause
// The rows of a node for measures that look at more than sums, and what these find at its cuts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/expression.hpp"
#include "scan/channels.hpp"
#include "scan/training.hpp"
#include "select/top.hpp"
#include "structure/margins.hpp"
#include "structure/requested_cuts.hpp"
#include "structure/segments.hpp"
#include "structure/space.hpp"

namespace ramify {

struct NodeRows {
  std::vector<std::uint32_t> number;   // among the training rows, ascending
  std::vector<std::uint32_t> label;    // of each row, among the classes that occur
  std::vector<double> weight;          // of each row; empty if all weigh one
  NodeSpace space;                     // if asked for
  RequestedCuts* elsewhere = nullptr;  // if the rows are not here, all that is known of them
  MarginLimits limits;                 // if margins are not looked at before they may matter
  Enemies enemies;                     // if distances between classes are asked for

  double weight_of(std::size_t row) const { return weight.empty() ? 1 : weight[row]; }
  int n_classes() const { return 1 + static_cast<int>(std::ranges::max(label)); }
};

/// A column of a node and its cuts; kept by each thread for the next node.
struct ColumnBuffers {
  CodedColumn coded;
  std::vector<std::uint32_t> n_left;  // of each cut
  std::optional<MarginWalk> margins;
  MarginBounds bounds;
};

/// What steps of an expression found that look at rows: by step, then by cut. Empty for others.
using StepValues = std::vector<std::vector<double>>;

class Structure {
 public:
  /// Looks up what the expressions of a plan need, and gathers the values of the training rows if
  /// some look at all columns of a row at once.
  Structure(const Training& training, std::span<const std::uint32_t> rows);

  bool reads_rows() const { return reads_rows_; }

  /// The step of the score that asks for a margin, if the score rises with it and can be known in
  /// full by that step and by sums; else -1. Then scores have bounds, which spare most margins.
  int bounded_step() const { return bounded_step_; }

  /// The rows of a node: labels, weights, and if asked for all their values as points.
  void read_rows(const Node& node, const NodeChannels& channels, NodeRows& rows) const;

  /// Are the rows of a node counted by code, and not read as points?
  bool counts_codes() const { return counts_codes_; }
  RowCells count_rows(const Node& node, const NodeRows& rows, int n_classes) const;

  /// The rows of a node in the order of a column. `read_rows` was called for the node before.
  void read_column(const Node& node, int column, CodedColumn& coded) const;

  /// What the steps of an expression that look at rows find at all cuts of a column.
  void at_cuts(const Expression& expression, const Node& node, const NodeRows& rows, int column,
               ColumnBuffers& buffers, StepValues& values) const;

  /// The row at a place along a column that is no narrow one.
  std::uint32_t row_at(const std::uint64_t* items, std::uint32_t place) const {
    return place_[training_.store.layout().row(items[place])];
  }

  /// Prepares the bounded step for the cuts of a column.
  void start_margins(const ExpressionStep& step, const Node& node, const NodeRows& rows, int column,
                     ColumnBuffers& buffers) const;

  /// What they find at some cuts of any columns.
  StepValues at_candidates(const Expression& expression, const Node& node, const NodeRows& rows,
                           std::span<const Candidate> candidates) const;

  /// All values of the training rows, [row][column].
  std::span<const double> values() const { return values_; }
  int n_columns() const { return static_cast<int>(training_.table.columns.size()); }

 private:
  Training training_;
  bool reads_rows_ = false, reads_space_ = false, reads_enemies_ = false;  // does an expression?
  bool counts_codes_ = false, sums_exactly_ = false;
  int bounded_step_ = -1;
  std::vector<double> values_;
  mutable std::vector<std::uint32_t> place_;  // of a training row among the rows of its node
};

}  // namespace ramify

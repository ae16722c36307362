// SPDX-License-Identifier: BSD-3-Clause
// The rows of a node for measures that need more than sums, and their values at its cuts.
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
  std::vector<std::uint32_t> number;   // index among the training rows, ascending
  std::vector<std::uint32_t> label;    // of each row, among the classes that occur
  std::vector<double> weight;          // of each row; empty if all weigh one
  NodeSpace space;                     // if requested
  RequestedCuts* elsewhere = nullptr;  // what is known of rows that are stored elsewhere
  MarginLimits limits;                 // if margins are computed only where they may matter
  Enemies enemies;                     // if distances between classes are requested

  double weight_of(std::size_t row) const { return weight.empty() ? 1 : weight[row]; }
  int n_classes() const { return 1 + static_cast<int>(std::ranges::max(label)); }
};

/// A column of a node and its cuts; each thread keeps it for the next node.
struct ColumnBuffers {
  CodedColumn coded;
  std::vector<std::uint32_t> n_left;  // of each cut
  std::optional<MarginWalk> margins;
  MarginBounds bounds;
};

/// Values of the steps of an expression that need rows: by step, then by cut. Empty for other
/// steps.
using StepValues = std::vector<std::vector<double>>;

class Structure {
 public:
  /// Finds what the expressions of a plan need, and gathers the values of the training rows if some
  /// need all columns of a row at once.
  Structure(const Training& training, std::span<const std::uint32_t> rows);

  bool reads_rows() const { return reads_rows_; }

  /// The step of the score that requests a margin, if the score increases with it and depends on
  /// nothing else but sums; else -1. Scores then have bounds, which avoid computing most margins.
  int bounded_step() const { return bounded_step_; }

  /// Reads the rows of a node: labels, weights, and if requested all their values as points.
  void read_rows(const Node& node, const NodeChannels& channels, NodeRows& rows) const;

  /// Whether the rows of a node are counted by code, and not read as points.
  bool counts_codes() const { return counts_codes_; }
  RowCells count_rows(const Node& node, const NodeRows& rows, int n_classes) const;

  /// Reads the rows of a node in the order of a column. `read_rows` must have been called for the
  /// node.
  void read_column(const Node& node, int column, CodedColumn& coded) const;

  /// Evaluates the steps of an expression that need rows at all cuts of a column.
  void at_cuts(const Expression& expression, const Node& node, const NodeRows& rows, int column,
               ColumnBuffers& buffers, StepValues& values) const;

  /// The row at a place along a high-cardinality column.
  std::uint32_t row_at(const std::uint64_t* items, std::uint32_t place) const {
    return place_[training_.store.layout().row(items[place])];
  }

  /// Prepares the bounded step for the cuts of a column.
  void start_margins(const ExpressionStep& step, const Node& node, const NodeRows& rows, int column,
                     ColumnBuffers& buffers) const;

  /// Evaluates them at some cuts of any columns.
  StepValues at_candidates(const Expression& expression, const Node& node, const NodeRows& rows,
                           std::span<const Candidate> candidates) const;

  /// All values of the training rows, [row][column].
  std::span<const double> values() const { return values_; }
  int n_columns() const { return static_cast<int>(training_.table.columns.size()); }

 private:
  Training training_;
  bool reads_rows_ = false, reads_space_ = false, reads_enemies_ = false;  // some expression does
  bool counts_codes_ = false, sums_exactly_ = false;
  int bounded_step_ = -1;
  std::vector<double> values_;
  mutable std::vector<std::uint32_t> place_;  // position of a training row within its node
};

}  // namespace ramify

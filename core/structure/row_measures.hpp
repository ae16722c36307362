// SPDX-License-Identifier: BSD-3-Clause
// Measures of a cut that need the rows of a node, computed at all cuts of one column, or at some
// cuts of any columns.
#pragma once

#include <span>
#include <vector>

#include "structure/structure.hpp"

namespace ramify {

/// A column of a node with all of its cuts.
struct CutsOfColumn {
  const ExpressionStep& step;
  const NodeRows& rows;
  const Column& info;
  const CodedColumn& coded;
  std::span<const std::uint32_t> n_left;  // rows on the left of each cut
  const ColumnPlaces& places;
};

/// Some cuts of a node.
struct CutsOfNode {
  const ExpressionStep& step;
  const Structure& structure;
  const Node& node;
  const NodeRows& rows;
  std::span<const Candidate> candidates;
};

/// How a measure is computed; one of the two functions may be missing.
struct RowMeasure {
  std::vector<double> (*at_cuts)(const CutsOfColumn&) = nullptr;
  std::vector<double> (*at_candidates)(const CutsOfNode&) = nullptr;
};
RowMeasure row_measure(const ExpressionStep& step);

}  // namespace ramify

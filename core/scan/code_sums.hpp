// SPDX-License-Identifier: BSD-3-Clause
// The sums of a node by code, column by column: counted from its records, or told by others.
#pragma once

#include <span>
#include <vector>

#include "scan/channels.hpp"
#include "scan/training.hpp"

namespace ramify {

/// Room for the sums of some narrow columns; kept by each thread for the next node.
struct CodeSumsBuffers {
  struct OfColumn {
    std::vector<std::uint32_t> counts, rows;
    std::vector<double> sums;
    std::vector<std::uint64_t> supplied_rows;
  };
  std::vector<OfColumn> columns;
  std::vector<CodeSums> sums;       // what was summed last, column by column
  const NodeSums* given = nullptr;  // the sums of the node, if they were counted elsewhere
};

/// Sums the codes of some narrow columns, into buffers.sums[0], [1], ... One column at a time
/// unless weights are whole.
void sum_columns(const Training& training, const Node& node, const NodeChannels& channels,
                 std::span<const std::uint32_t> columns, CodeSumsBuffers& buffers);

/// A column of a node, with its sums by code if it is narrow.
NodeColumn summed_column(const Training& training, const Node& node, const NodeChannels& channels,
                         int column, CodeSumsBuffers& buffers);

}  // namespace ramify

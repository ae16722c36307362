// SPDX-License-Identifier: BSD-3-Clause
// The sums of a node in the form that a criterion sees them: one channel for each class that
// occurs, output by output, then the user's; or weight and sum where numbers are learnt. By code,
// for columns of low cardinality: counted from the node's records, or supplied by others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "rows/node.hpp"
#include "scan/kernels.hpp"
#include "scan/training.hpp"

namespace ramify {

struct NodeChannels {
  struct Output {
    int first = 0, n_classes = 0;
    int n_present = 0;  // classes that occur: with less than two there is nothing to part
    double total = 0;
    std::size_t first_class = 0;  // in is_present
    std::size_t n_known = 0;      // classes of the output in the data
  };
  Channels channels;
  std::vector<std::uint32_t> channel;
  std::vector<Output> outputs;
  std::vector<double> parent;
  std::vector<std::uint8_t> is_present;  // of each class, outputs one after the other
  std::uint64_t n_rows = 0;
  bool known_only = false;  // of one column: rows without a value are left out
  const RegressionStatistics* regression = nullptr;  // if numbers are learnt
  int n_stats = 0;                                   // and then the channels of each output

  int size() const { return channels.n_channels; }
  /// The channel of a class that occurs; of a sum, if numbers are learnt.
  std::size_t place(std::size_t k) const { return channel.empty() ? k : channel[k]; }
  std::size_t index_of(const Output& output) const {
    return static_cast<std::size_t>(&output - outputs.data());
  }
  /// The places of the classes of an output that have a channel.
  void list_classes(const Output& output, std::vector<std::uint32_t>& places) const;
  const FixedPoint& fixed_point_of(const Output& output) const {
    return regression->outputs[index_of(output)].fixed_point;
  }
};

/// Makes the channels of nodes whose classes are learnt.
class ClassChannels {
 public:
  explicit ClassChannels(const Target& target);

  /// `present_only`: our own criteria see the classes that occur in the node; a user's knows them
  /// by place.
  NodeChannels of(std::span<const double> sums, std::uint64_t n_rows, bool present_only) const;

  /// The first class of an output among those of all outputs.
  std::uint32_t first_class(std::size_t output) const { return first_class_[output]; }

 private:
  const Target& target_;
  std::vector<std::uint32_t> first_class_;
};

/// A column of a node while it is searched.
struct NodeColumn {
  const Node& node;
  const NodeChannels& channels;  // of all rows of the node, or of those that have a value
  int number;
  CodeSums* sums;                   // by code, if it has low cardinality
  const NodeSums* given = nullptr;  // of the node, if they were counted elsewhere
};

/// Room for the sums of some low-cardinality columns; kept by each thread for the next node.
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

/// Sums the codes of some low-cardinality columns, into buffers.sums[0], [1], ... One column at a
/// time unless weights are whole.
void sum_columns(const Training& training, const Node& node, const NodeChannels& channels,
                 std::span<const std::uint32_t> columns, CodeSumsBuffers& buffers);

/// A column of a node, with its sums by code if it has low cardinality.
NodeColumn summed_column(const Training& training, const Node& node, const NodeChannels& channels,
                         int column, CodeSumsBuffers& buffers);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The regression target, node by node: what a leaf would predict, and what each row adds to sums in
// a fixed-point scale that makes these sums exact; also the order of target values, for losses that
// are not functions of sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "scan/kernels.hpp"
#include "util/exact_sum.hpp"

namespace ramify {

/// Buffers for the rows of one node; each thread keeps them for the next node.
struct RegressionBuffers {
  std::vector<std::uint32_t> left, right;  // rows of two children
  std::vector<double> y, weight, term;
  Node node;  // to check whether it is a leaf
};

/// Every node has its own fixed-point scale, made for the range of its target values. A row is in
/// one node at a time, so one place per row holds what it adds to the sums of that node.
///
/// In this scale a target value is an integer multiple of a power of two, chosen so that the sum
/// over all rows of the node is exact in a double. So sums do not depend on the order of rows, and
/// a value elsewhere, however large, costs no precision here.
class RegressionTarget {
 public:
  RegressionTarget(const Target& target, const Plan& plan);

  /// Channels per output: weight and sum, and the sum of squares if a user-defined function needs
  /// it.
  int n_stats() const { return n_stats_; }
  int n_quantised() const { return n_quantised_; }
  const double* quantised() const { return quantised_.data(); }
  int n_channels() const { return n_stats_ * target_.n_outputs(); }

  /// Partitions the sorted order like the rows of a node; the children know their places.
  void partition(const Node& node, const Node& left, const Node& right,
                 const RegressionBuffers& buffers);

  /// Finds value and impurity of a node with these rows, and their weight.
  void learn(Node& node, std::span<const std::uint32_t> rows, RegressionBuffers& buffers) const;

  /// Call right after `learn`, if the node may be split: finds what its rows add to sums, and these
  /// sums.
  void quantise(Node& node, std::span<const std::uint32_t> rows, RegressionBuffers& buffers);

  /// `learn` for one output whose target values, and weights if any, are in the buffers; not for
  /// losses that need an order. Returns the impurity; `weight` is that of all rows.
  double learn_one(RegressionBuffers& buffers, double weight,
                   RegressionStatistics::Output& output) const;
  /// Writes what these rows add to sums, in the places of the rows; returns the sum.
  double quantise_one(const RegressionBuffers& buffers, double weight,
                      const FixedPoint& fixed_point, std::span<const std::uint32_t> rows);

  void add_row(std::uint32_t row, std::span<double> sums) const;
  /// What a weighted row adds to the sum of an output.
  double weighted(std::uint32_t row, int output) const {
    return quantised_[std::size_t{row} * static_cast<std::size_t>(n_quantised_) +
                      static_cast<std::size_t>(output * n_stats_ + 1)];
  }

  /// Sets where a search finds what a row adds.
  void set(Channels& channels) const {
    channels.is_general = true;
    channels.n_channels = n_channels();
    channels.quantised = quantised_.data();
    channels.n_quantised = n_quantised_;
  }

  // For losses that need the order of target values: by output and place in the node, ascending.
  std::span<const double> ascending(const Node& node, int output) const {
    return std::span(ascending_).subspan(first_of(node, output), node.n_rows());
  }
  std::span<const std::uint32_t> rows_ascending(const Node& node, int output) const {
    return std::span(by_number_).subspan(first_of(node, output), node.n_rows());
  }
  /// The place of a row among those of its node.
  std::uint32_t place(std::uint32_t row, int output) const {
    return place_[std::size_t{row} * static_cast<std::size_t>(target_.n_outputs()) +
                  static_cast<std::size_t>(output)];
  }

 private:
  std::size_t first_of(const Node& node, int output) const {
    return static_cast<std::size_t>(output) * target_.n_rows + node.begin;
  }
  void sort();
  struct QuantisedSums {
    double sum = 0, squares = 0;
  };
  /// Writes what rows, whose target values are in the buffers, add to the sums of an output.
  QuantisedSums quantise_output(const RegressionBuffers& buffers, const QuantisedSteps& steps,
                                const FixedPoint& fixed_point, std::size_t output,
                                std::span<const std::uint32_t> rows);
  double mean_of(const RegressionBuffers& buffers, std::vector<double>& term, double weight,
                 double centre) const;
  double learn_ordered(const Node& node, int y, RegressionBuffers& buffers, double weight,
                       RegressionStatistics::Output& output) const;
  double loss_of(const RegressionBuffers& buffers, std::vector<double>& term, double value) const;
  double pairs_of(const Node& node, int output, double weight, double centre) const;
  double quantile_of(const Node& node, int output, double weight) const;

  const Target& target_;
  RegressionLoss loss_;
  const ChosenCriterion& criterion_;
  bool is_ordered_;
  int n_stats_, n_quantised_;
  std::vector<double> quantised_;         // see Channels
  std::vector<std::uint32_t> by_number_;  // rows of each node, ascending; by output
  std::vector<std::uint32_t> place_;      // of each row in it
  std::vector<double> ascending_;         // the target values in that order
  std::vector<std::uint8_t> is_left_;     // of each row, while its node is partitioned
};

/// The quantile of sorted values with total weight `total` is at the first place up to which the
/// weights exceed this. If exactly the level lies below a gap between two values, the quantile is
/// its middle.
inline double weight_below(double level, double total) { return total * (level - 1e-12); }
inline bool is_at_gap(double level, double total, double weight_up_to) {
  return weight_up_to <= total * (level + 1e-12);
}

}  // namespace ramify

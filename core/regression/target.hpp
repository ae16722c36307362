// SPDX-License-Identifier: BSD-3-Clause
// Room `numbers`: what is special where numbers are learnt and not classes? Node by node, what a
// leaf would predict and what each row adds to sums, by a ruler that makes these sums exact; and
// the order of numbers for losses that are no functions of sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "scan/kernels.hpp"

namespace ramify {

/// Room for the rows of one node; kept by each thread for the next node.
struct RegressionBuffers {
  std::vector<std::uint32_t> left, right;  // rows of two children
  std::vector<double> y, weight, term;
  Node node;  // for who asks whether it is a leaf
};

/// Every node is measured with a ruler of its own, made for the range of its numbers. A row is in
/// one node at a time, so one place per row holds what it adds to the sums of that node.
///
/// In its ruler a number is a whole multiple of a power of two, chosen so that the sum over all
/// rows of the node is exact in a double. So sums do not depend on the order of rows, and a number
/// elsewhere, however large, costs no digit here.
class RegressionTarget {
 public:
  RegressionTarget(const Target& target, const Plan& plan);

  /// Weight and sum, and the sum of squares if a user's function is to see it: channels per output.
  int n_stats() const { return n_stats_; }
  int n_quantised() const { return n_quantised_; }
  const double* quantised() const { return quantised_.data(); }
  int n_channels() const { return n_stats_ * target_.n_outputs(); }

  /// Parts the order of numbers as the rows of a node were parted; the children know their places.
  void partition(const Node& node, const Node& left, const Node& right,
                 const RegressionBuffers& buffers);

  /// Finds value and impurity of a node that has these rows, and their weight.
  void learn(Node& node, std::span<const std::uint32_t> rows, RegressionBuffers& buffers) const;

  /// Right after `learn`, if the node may be split: what its rows add to sums, and these sums.
  void quantise(Node& node, std::span<const std::uint32_t> rows, RegressionBuffers& buffers);

  /// The same for one output whose numbers, and their weights if rows have any, are in the buffers;
  /// not for losses that need an order. Gives the impurity; `weight` is that of all rows.
  double learn_one(RegressionBuffers& buffers, double weight,
                   RegressionStatistics::Output& output) const;
  /// Writes down what these rows add to sums; gives their sum.
  double quantise_one(const RegressionBuffers& buffers, double weight,
                      const FixedPoint& fixed_point, std::span<const std::uint32_t> rows);

  void add_row(std::uint32_t row, std::span<double> sums) const;
  /// What a row that has a weight adds to the sum of an output.
  double weighted(std::uint32_t row, int output) const {
    return quantised_[std::size_t{row} * static_cast<std::size_t>(n_quantised_) +
                      static_cast<std::size_t>(output * n_stats_ + 1)];
  }

  /// Tells a search where to find what a row adds.
  void set(Channels& channels) const {
    channels.is_general = true;
    channels.n_channels = n_channels();
    channels.quantised = quantised_.data();
    channels.n_quantised = n_quantised_;
  }

  // For losses that need the order of numbers: by output and place in the node, ascending.
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
  std::vector<double> ascending_;         // the numbers in that order
  std::vector<std::uint8_t> is_left_;     // of each row, while its node is parted
};

/// Where the quantile of sorted numbers lies that weigh `total`: at the first place up to which
/// more than this weight lies. If exactly the level lies below a gap the middle of it is taken.
inline double weight_below(double level, double total) { return total * (level - 1e-12); }
inline bool is_at_gap(double level, double total, double weight_up_to) {
  return weight_up_to <= total * (level + 1e-12);
}

}  // namespace ramify

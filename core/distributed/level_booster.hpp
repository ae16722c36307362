// SPDX-License-Identifier: BSD-3-Clause
// Grows one tree of a boosted model whose rows are elsewhere: it requests the sums of nodes, and
// receives them as responses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boost/growing_tree.hpp"

namespace ramify {

/// Where rows go by their codes; one entry per node.
struct BoostWays {
  static constexpr std::size_t goes_bytes = histogram_codes / 8;
  std::vector<std::uint32_t> column;
  std::vector<std::int32_t> first_child;  // -1 for leaves
  std::vector<std::uint8_t> goes;         // a bit per code: set if left
};

/// The response of the rows: sums of the requested nodes, [slot][column][code], and the number of
/// rows and the weight of every node without children.
struct BoostResponse {
  std::span<const Pair> sums;
  std::span<const std::uint32_t> counts;  // of rows, likewise; empty unless requested
  std::span<const std::int64_t> n_rows;
  std::span<const double> weight;  // in units; empty if every row weighs one
};

class LevelBooster {
 public:
  /// `budget`: memory for the sums of split nodes, from which those of a child are derived.
  LevelBooster(const BinnedColumns& columns, const GrowthLimits& limits, const Scales& scales,
               double weight_unit, std::vector<std::uint8_t> is_used, std::size_t budget);
  LevelBooster(const LevelBooster&) = delete;

  /// The nodes whose sums are needed next, at most `max`; none if the tree is complete.
  std::vector<int> request(std::size_t max);
  void respond(const BoostResponse& response);
  /// Supplies the rows and weights of the leaves, when the tree is complete.
  void respond_rows(std::span<const std::int64_t> n_rows, std::span<const double> weight);

  std::size_t n_nodes() const { return static_cast<std::size_t>(tree_.n_nodes()); }
  bool needs_counts() const { return tree_.counts_rows(); }
  BoostWays ways() const;
  /// What is added to the score of a row, by the node that it reaches.
  std::vector<double> values() const;
  Tree tree() const { return tree_.tree(); }

 private:
  using Family = GrowingTree::Family;

  void receive(const Family& family, std::span<const Pair> sums,
               std::span<const std::uint32_t> counts);
  void extend();
  void split_in_advance();
  void partition(int number);

  const BinnedColumns& columns_;
  std::vector<std::uint8_t> is_used_;
  bool is_best_first_;
  GrowingTree tree_;
  std::vector<Family> waiting_{{0}}, requested_;
};

}  // namespace ramify

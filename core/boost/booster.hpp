// SPDX-License-Identifier: BSD-3-Clause
// Gradient boosting: trees that follow the derivatives of a loss, round by round, with their own
// batched search over one-byte codes and integer gradient pairs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "boost/binned.hpp"
#include "boost/grow_boosted.hpp"
#include "boost/loss.hpp"
#include "tree/tree.hpp"
#include "util/parallel.hpp"

namespace ramify {

/// All choices of a boosted model; its limits are those of each tree.
struct BoostPlan : GrowthLimits {
  Loss loss = Loss::squared_error;
  double quantile = 0.5;
  std::uint32_t n_scores = 1;     // per row; as many trees per round
  double subsample = 1;           // share of the rows sampled for each round
  std::uint32_t max_columns = 0;  // sampled for each tree; 0 = all
  std::uint64_t seed = 0;
  int n_threads = 1;
};

/// Rows of a table, and their target.
struct BoostRows {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> numbers;  // row indices, by which rows are sampled
  std::vector<double> target;
  std::vector<double> weight;  // empty if every row weighs one
  std::vector<double> start;   // scores before the first round: [score][row]
};

class Booster {
 public:
  /// `held` are held-out rows, possibly none. The table must outlive this.
  Booster(const Table& table, BoostRows training, BoostRows held, const BoostPlan& plan,
          std::uint64_t first_round);

  /// Grows the trees of the next round, one per score.
  std::vector<Tree> step();

  /// Current mean losses.
  double training_loss() const { return loss_; }
  double held_loss() const;

 private:
  void differentiate();
  void make_pairs(std::size_t score);
  double scale_of(const double* derivative, double rough) const;
  void sample_rows(std::vector<std::uint32_t>& sampled, std::vector<std::uint32_t>& others) const;
  double leaf_value(std::span<const std::uint32_t> rows) const;

  BoostPlan plan_;
  BoostRows training_, held_;
  LossRows loss_rows_;
  mutable Pool pool_;
  Binned binned_, held_binned_;
  std::unique_ptr<BoostedGrower> grower_;
  std::vector<double> scores_, held_scores_;  // [score][row]
  std::vector<double> gradients_, hessians_;  // [score][row]
  std::vector<Scales> scales_;
  std::vector<Pair> pairs_;
  std::vector<double> exact_weight_;  // in units
  double weight_unit_ = 1, total_weight_ = 0, loss_ = 0;
  bool has_integer_weights_ = false;
  std::uint64_t round_;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Criteria of survival trees that are functions of sums over the rows on the left: squared errors
// of row scores, and observed against expected events. Sums are of whole numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "survival/row_scores.hpp"
#include "survival/walk.hpp"

namespace ramify {

/// What is summed in a node.
struct SumsNode {
  std::size_t n_sums = 1;
  std::vector<std::int64_t> steps;  // by row, n_sums each: weight times score
  std::vector<std::int64_t> total;
  std::vector<double> step;    // what one step is worth, weight included
  std::vector<double> factor;  // of each squared error
  std::uint64_t n_units = 0;   // weight of the node
  double unit = 1, pairs = 0;
  bool is_constant = false;  // nothing to tell rows apart by

  /// Makes the scores of the rows of a node.
  void set(const TimeOrder& order, const NodeTimes& node, std::span<const std::uint32_t> rows,
           const RootScores& root, const SurvivalRules& rules);
  /// The score of a cut from the weight, in units, and the sums on its left.
  double score(SurvivalCriterion criterion, std::uint64_t left,
               std::span<const std::int64_t> sums) const;
  const std::int64_t* of_row(std::uint32_t row) const { return steps.data() + row * n_sums; }

 private:
  void set_scores(const TimeOrder& order, std::span<const std::uint32_t> rows,
                  const RowScores& scores, const SurvivalRules& rules);
  void set_expected(const TimeOrder& order, std::span<const std::uint32_t> rows,
                    std::span<const double> expected);
  void quantise(const TimeOrder& order, std::span<const std::uint32_t> rows,
                std::span<const double> values);
  double squares(std::uint64_t left, std::span<const std::int64_t> sums) const;
  double of_expected(SurvivalCriterion criterion, std::span<const std::int64_t> sums) const;
};

}  // namespace ramify

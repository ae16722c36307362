// SPDX-License-Identifier: BSD-3-Clause
// Scores of rows that add up over the sides of a cut: those whose squared error is reduced, and the
// observed and expected events of a row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "survival/node_times.hpp"
#include "survival/rules.hpp"

namespace ramify {

/// What of a tree is known once, from its root.
struct RootScores {
  std::vector<double> hazard;    // by row: Nelson-Aalen, for martingale residuals
  std::vector<double> exposure;  // by row: expected events on rpart's scale
  std::vector<double> log_exposure;

  RootScores(const TimeOrder& order, const NodeTimes& root);
};

/// Piecewise exponential hazard, as in rpart: points at the event times (or their 1,000-quantiles),
/// linear between them; the expected events of a time, for all distinct times.
std::vector<double> expected_events(const TimeOrder& order, const NodeTimes& root);

/// Scores of the rows of a node, `n_outputs` for each row, row by row; none if all are equal.
struct RowScores {
  std::vector<double> values;
  std::size_t n_outputs = 1;
  double pairs = 0;  // comparable ones, for harrell_c
};
RowScores row_scores(const TimeOrder& order, const NodeTimes& node,
                     std::span<const std::uint32_t> rows, const RootScores& root,
                     const SurvivalRules& rules);

/// Expected events of the rows of a node.
std::vector<double> expected_of_rows(const TimeOrder& order, const NodeTimes& node,
                                     std::span<const std::uint32_t> rows, const RootScores& root,
                                     SurvivalCriterion criterion);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// What a criterion of numbers says of some cuts of a node, in the node's ruler and out of it.
#pragma once

#include <span>

#include "regression/target.hpp"
#include "scan/class_scores.hpp"

namespace ramify {

/// The sums of a node whose numbers are learnt, as a criterion sees them.
NodeChannels regression_channels(const RegressionTarget& regression, const Node& node,
                                 std::span<const double> sums, std::uint64_t n_rows);

/// All of a call but its cuts. Scores are shares of the node's impurity: numbers without a unit, so
/// that ties and gains of nothing are the same whatever the numbers are measured in.
RegressionCall regression_call(const ChosenCriterion& criterion, const RegressionStatistics& known,
                               std::size_t output, const double* parent);
RegressionCall regression_call(const ChosenCriterion& criterion, const FixedPoint& fixed_point,
                               double impurity, const double* parent);

/// Scores cuts by the share of the node's impurity that they take away.
void score_regression(const ChosenCriterion& criterion, const NodeChannels& channels,
                      const double* left, int n_cuts, double* scores);

/// Turns weights, sums and sums of squares in a node's ruler into those of the numbers themselves.
/// The three are `stride` apart, each for n sides of cuts.
void leave_fixed_point(const FixedPoint& fixed_point, double* sums, std::size_t stride,
                       std::size_t n);

}  // namespace ramify

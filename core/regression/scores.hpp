// SPDX-License-Identifier: BSD-3-Clause
// Scores of a regression criterion for cuts of a node, in the node's fixed-point scale and in the
// target's own.
#pragma once

#include <span>

#include "regression/target.hpp"
#include "scan/class_scores.hpp"

namespace ramify {

/// The sums of a regression node, as a criterion sees them.
NodeChannels regression_channels(const RegressionTarget& regression, const Node& node,
                                 std::span<const double> sums, std::uint64_t n_rows);

/// A call without its cuts. Scores are fractions of the node's impurity: they have no unit, so that
/// ties and zero gains do not depend on the unit of the target.
RegressionCall regression_call(const ChosenCriterion& criterion, const RegressionStatistics& known,
                               std::size_t output, const double* parent);
RegressionCall regression_call(const ChosenCriterion& criterion, const FixedPoint& fixed_point,
                               double impurity, const double* parent);

/// Scores cuts by the fraction of the node's impurity that they remove.
void score_regression(const ChosenCriterion& criterion, const NodeChannels& channels,
                      const double* left, int n_cuts, double* scores);

/// Converts weights, sums and sums of squares from a node's fixed-point scale to the target's own.
/// The three are `stride` apart, each for n sides of cuts.
void leave_fixed_point(const FixedPoint& fixed_point, double* sums, std::size_t stride,
                       std::size_t n);

}  // namespace ramify

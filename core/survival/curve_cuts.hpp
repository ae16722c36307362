// SPDX-License-Identifier: BSD-3-Clause
// Criteria that compare the whole curves of both sides: linear in the event times for each cut.
#pragma once

#include <span>
#include <vector>

#include "survival/node_times.hpp"
#include "survival/rules.hpp"

namespace ramify {

/// The counts of the side on the left of one cut.
struct LeftCurve {
  std::span<const double> at_risk, events, tied;  // by event time
  double weight;
  double last, last_right;  // the largest times of both sides
};

/// The score of a cut by a built-in criterion; `time` are the event times.
double score_of_curves(const NodeTimes& node, std::span<const double> time, const LeftCurve& left,
                       const SurvivalRules& rules);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The event times of a node, with the weights at risk and of events: what all criteria of survival
// trees are made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "survival/target.hpp"

namespace ramify {

/// Entry k - 1 of a vector is that of the k-th event time; the rank of a row is the number of event
/// times up to its own time. Weights are in the user's unit.
struct NodeTimes {
  std::vector<double> at_risk, events;
  std::vector<std::uint64_t> units_at_risk;
  std::vector<double> tied;          // censored at an event time
  std::vector<std::uint32_t> place;  // of the event times among all times
  double total = 0;                  // weight of the node
  double n_events = 0;               // weight of its events
  std::vector<std::uint32_t> ranks;  // of the rows, in the order of time

  /// `rows` are those of the node, in the order of time.
  void read(const TimeOrder& order, std::span<const std::uint32_t> rows);

  std::size_t size() const { return at_risk.size(); }
  /// The Nelson-Aalen estimate of the cumulative hazard by rank, from 0 on.
  std::vector<double> cumulative_hazard() const;
  /// The Kaplan-Meier estimate of survival by rank, from 0 on.
  std::vector<double> survival() const;
};

/// The weights of event times that a criterion of the log-rank family gives.
struct SurvivalRules;
std::vector<double> time_weights(const NodeTimes& node, const SurvivalRules& rules);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "survival/node_times.hpp"

#include <cmath>

#include "survival/rules.hpp"

namespace ramify {

void NodeTimes::read(const TimeOrder& order, std::span<const std::uint32_t> rows) {
  units_at_risk.clear();
  events.clear();
  place.clear();
  tied.clear();
  ranks.resize(rows.size());
  std::uint64_t before = 0, all_events = 0;  // whole units: their sums are exact
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < rows.size();) {
    const std::uint32_t time = order.place[rows[i]];
    std::uint64_t here = 0, dead = 0;
    std::size_t end = i;
    for (; end < rows.size() && order.place[rows[end]] == time; ++end) {
      const std::uint64_t weight = order.weight[rows[end]];
      here += weight;
      dead += order.event[rows[end]] ? weight : 0;
    }
    if (dead > 0) {
      ++rank;
      units_at_risk.push_back(before);  // those that are not, for now
      events.push_back(static_cast<double>(dead) * order.unit);
      place.push_back(time);
      tied.push_back(static_cast<double>(here - dead) * order.unit);
      all_events += dead;
    }
    for (; i < end; ++i) ranks[i] = rank;
    before += here;
  }
  at_risk.resize(rank);
  for (std::size_t k = 0; k < rank; ++k) {
    units_at_risk[k] = before - units_at_risk[k];
    at_risk[k] = static_cast<double>(units_at_risk[k]) * order.unit;
  }
  total = static_cast<double>(before) * order.unit;
  n_events = static_cast<double>(all_events) * order.unit;
}

std::vector<double> NodeTimes::cumulative_hazard() const {
  std::vector<double> hazard(size() + 1, 0.0);
  for (std::size_t k = 0; k < size(); ++k) hazard[k + 1] = hazard[k] + events[k] / at_risk[k];
  return hazard;
}

std::vector<double> NodeTimes::survival() const {
  std::vector<double> survival(size() + 1, 1.0);
  for (std::size_t k = 0; k < size(); ++k)
    survival[k + 1] = survival[k] * (1 - events[k] / at_risk[k]);
  return survival;
}

namespace {

/// 0^0 is 1.
double power(double x, double exponent) { return exponent == 0 ? 1 : std::pow(x, exponent); }

}  // namespace

std::vector<double> time_weights(const NodeTimes& node, const SurvivalRules& rules) {
  std::vector<double> weights(node.size(), 1.0);
  double left = 1;  // the share that is left: the estimate of survival
  for (std::size_t k = 0; k < node.size(); ++k) {
    const double n = node.at_risk[k], d = node.events[k];
    switch (rules.criterion) {
      case SurvivalCriterion::gehan:
        weights[k] = n;
        break;
      case SurvivalCriterion::tarone_ware:
        weights[k] = std::sqrt(n);
        break;
      case SurvivalCriterion::peto_peto:
        left *= 1 - d / (n + 1);
        weights[k] = rules.andersen ? left * n / (n + 1) : left;
        break;
      case SurvivalCriterion::fleming_harrington:
        weights[k] = power(left, rules.rho) * power(1 - left, rules.gamma);
        left *= 1 - d / n;
        break;
      default:
        break;
    }
  }
  return weights;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "survival/curve_cuts.hpp"

#include <algorithm>
#include <cmath>

#include "select/split.hpp"

namespace ramify {
namespace {

/// A side of a cut, by event time.
template <class AtRisk, class Events>
std::vector<double> survival_of(std::size_t n_times, AtRisk at_risk, Events events) {
  std::vector<double> survival(n_times);
  double alive = 1;
  for (std::size_t k = 0; k < n_times; ++k) {
    if (at_risk(k) > 0) alive *= 1 - events(k) / at_risk(k);
    survival[k] = alive;
  }
  return survival;
}

struct Mean {
  double mean, variance;
};

/// The restricted mean up to tau, and Greenwood's estimate of its variance.
template <class AtRisk, class Events>
Mean restricted_mean(std::span<const double> time, double tau, AtRisk at_risk, Events events) {
  const std::vector<double> survival = survival_of(time.size(), at_risk, events);
  double area = 0, variance = 0, until = tau;
  for (std::size_t k = time.size(); k-- > 0;) {
    if (time[k] >= tau) continue;
    area += survival[k] * (until - time[k]);
    until = time[k];
    const double n = at_risk(k), d = events(k);
    if (n > d) variance += area * area * d / (n * (n - d));
  }
  return {area + until, variance};
}

}  // namespace

double score_of_curves(const NodeTimes& node, std::span<const double> time, const LeftCurve& left,
                       const SurvivalRules& rules) {
  const auto n_left = [&](std::size_t k) { return left.at_risk[k]; };
  const auto d_left = [&](std::size_t k) { return left.events[k]; };
  const auto n_right = [&](std::size_t k) { return node.at_risk[k] - left.at_risk[k]; };
  const auto d_right = [&](std::size_t k) { return node.events[k] - left.events[k]; };
  const std::size_t n_times = time.size();
  if (rules.criterion == SurvivalCriterion::concordance) {
    double later = 0, earlier = 0;  // pairs in which the row on the left is the later one
    for (std::size_t k = 0; k < n_times; ++k) {
      const double tied = left.tied[k];
      earlier += d_left(k) * (n_right(k) - d_right(k) - (node.tied[k] - tied));
      later += d_right(k) * (n_left(k) - d_left(k) - tied);
    }
    return later + earlier > 0 ? std::max(later, earlier) / (later + earlier) : minus_infinity;
  }
  if (rules.criterion == SurvivalCriterion::rmst_difference) {
    const double tau = std::isfinite(rules.tau) ? rules.tau : time.back();
    const Mean a = restricted_mean(time, tau, n_left, d_left),
               b = restricted_mean(time, tau, n_right, d_right);
    const double variance = a.variance + b.variance;
    if (!(variance > 1e-12)) return minus_infinity;
    return (a.mean - b.mean) * (a.mean - b.mean) / variance;
  }
  const std::vector<double> one = survival_of(n_times, n_left, d_left),
                            other = survival_of(n_times, n_right, d_right);
  const double end = std::min(left.last, left.last_right);
  double area = 0;
  for (std::size_t k = 0; k < n_times && time[k] < end; ++k) {
    const double until = k + 1 < n_times ? std::min(time[k + 1], end) : end;
    area += std::abs(one[k] - other[k]) * (until - time[k]);
  }
  const double right = node.total - left.weight;
  return left.weight * right / (node.total * node.total) * area;
}

}  // namespace ramify

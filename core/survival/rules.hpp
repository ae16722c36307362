// SPDX-License-Identifier: BSD-3-Clause
// What was chosen for a survival tree besides the plan that all trees have.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace ramify {

/// How the cuts of a survival tree are scored.
enum class SurvivalCriterion {
  // U^2 / V: they differ in the weights of event times.
  logrank,
  gehan,
  tarone_ware,
  peto_peto,
  fleming_harrington,
  // Squared errors of row scores that are made anew in each node.
  logrank_score,
  maxstat,
  ctree,
  harrell_c,
  gehan_score,
  martingale,
  rmst,
  brier,
  user_scores,
  // Observed and expected events.
  approximate_logrank,
  poisson,
  exponential,
  full_likelihood,
  // Whole curves.
  l1,
  rmst_difference,
  concordance,
  user_cuts,
};

inline bool is_log_rank(SurvivalCriterion c) { return c <= SurvivalCriterion::fleming_harrington; }
inline bool is_observed_expected(SurvivalCriterion c) {
  return c >= SurvivalCriterion::approximate_logrank && c <= SurvivalCriterion::full_likelihood;
}
inline bool is_of_curves(SurvivalCriterion c) { return c >= SurvivalCriterion::l1; }
inline bool is_of_scores(SurvivalCriterion c) {
  return !is_log_rank(c) && !is_observed_expected(c) && !is_of_curves(c);
}

/// The rows of a node in the order of time, as a user's function sees them.
struct NodeRows {
  std::span<const double> time, weight;
  std::span<const std::uint8_t> event;
};

/// Some cuts of a node: counts of the left side by cut and event time, those of the node by event
/// time.
struct CurveCuts {
  std::size_t n_cuts;
  std::span<const double> at_risk_left, events_left, at_risk, events, times;
};

struct SurvivalRules {
  SurvivalCriterion criterion = SurvivalCriterion::logrank;
  double rho = 0, gamma = 0;    // fleming_harrington
  bool andersen = false;        // peto_peto
  bool hothorn_lausen = false;  // the ties of row scores
  double alpha = 0.05;          // maxstat, ctree: the largest p that splits
  double minprop = 0.1;         // maxstat
  double tau = std::numeric_limits<double>::infinity();  // rmst, rmst_difference
  std::vector<double> times;     // brier; empty: quantiles of the events of a node
  std::uint32_t max_cuts = 256;  // of curves; 0: all
  double min_events = 0;         // weight of the events of each side
  bool filters = true;           // skip what cannot win; the trees are the same
  /// One or more scores of each row, row by row.
  std::function<std::vector<double>(const NodeRows&)> scores_of;
  std::function<std::vector<double>(const CurveCuts&)> score_cuts;
};

}  // namespace ramify

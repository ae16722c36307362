// SPDX-License-Identifier: BSD-3-Clause
#include "model_trees/fifth_root.hpp"

#include <algorithm>
#include <cmath>

namespace ramify {
namespace {

double fifth_root(double x) { return x > 0 ? std::pow(x, 0.2) : 0; }

}  // namespace

double FifthRootSums::variance() const {
  if (!(weight > 0)) return 0;
  const double mean = sum / weight;
  return std::max(squares / weight - mean * mean, 0.0);
}

double fifth_root_score(const FifthRootSums& left, const FifthRootSums& right) {
  const FifthRootSums all = left + right;
  const double variance = all.variance();
  const auto part = [&](const FifthRootSums& side) {
    const double own = side.variance();
    return own > 1e-12 * variance ? side.weight / all.weight * fifth_root(own) : 0;
  };
  return fifth_root(variance) - part(left) - part(right);
}

FifthRootSearch::FifthRootSearch(const ModelTreeRules& rules, double weight, double squares)
    : rules_(rules),
      all_{weight, 0, squares},
      least_(std::max(rules.min_leaf, std::floor(weight * rules.share + 1e-9) + 1)),
      tolerance_(1e-12 * fifth_root(all_.variance())) {}

bool FifthRootSearch::side_without_missing(double left_weight) const {
  if (rules_.missing != ModelTreeRules::MissingSide::both)
    return rules_.missing == ModelTreeRules::MissingSide::left;
  return 2 * left_weight >= all_.weight;
}

template <class Found>
bool FifthRootSearch::consider(const Runs& runs, const FifthRootSums& left, bool takes_all,
                               Found found) {
  const MissingSides sides = sides_to_try(rules_.missing, runs.n_missing > 0);
  const FifthRootSums missing{runs.missing_weight, runs.missing_sum, runs.missing_squares};
  bool admits = false;
  for (const bool missing_left : {true, false}) {
    if (!(missing_left ? sides.left : sides.right) || (takes_all && missing_left)) continue;
    const FifthRootSums own = missing_left ? left + missing : left, rest = all_ - own;
    if (!(own.weight >= least_ && rest.weight >= least_)) continue;
    admits = true;
    const double score = fifth_root_score(own, rest);
    if (score <= (best_ ? best_->score : 0) + tolerance_) continue;
    best_ = FifthRootCut{.score = score, .left = own, .right = rest};
    found(runs.n_missing > 0 ? missing_left : side_without_missing(own.weight));
  }
  return admits;
}

bool FifthRootSearch::consider_numbers(const Runs& runs, std::uint32_t column) {
  FifthRootSums left;
  bool admits = false;
  const std::size_t n = runs.size();
  for (std::size_t j = 0; j < n; ++j) {
    left = left + FifthRootSums{runs.weight[j], runs.sum[j], runs.squares[j]};
    const bool takes_all = j + 1 == n;
    if (takes_all && runs.n_missing == 0) break;
    admits |= consider(runs, left, takes_all, [&](bool missing_left) {
      best_->division = {
          .column = column,
          .threshold = takes_all ? HUGE_VAL : between(runs.value[j], runs.value[j + 1]),
          .missing_left = missing_left};
    });
  }
  return admits;
}

bool FifthRootSearch::consider_categories(Runs& runs, std::uint32_t column,
                                          std::uint32_t n_categories) {
  if (!rules_.one_vs_rest) runs.sort_by_mean();
  FifthRootSums left;
  bool admits = false;
  const std::size_t n = runs.size();
  for (std::size_t j = 0; j < n; ++j) {
    const FifthRootSums own{runs.weight[j], runs.sum[j], runs.squares[j]};
    left = rules_.one_vs_rest ? own : left + own;
    const bool takes_all = rules_.one_vs_rest ? n == 1 : j + 1 == n;
    if (takes_all && runs.n_missing == 0) break;
    admits |= consider(runs, left, takes_all, [&](bool missing_left) {
      Division& by = best_->division;
      by = {.column = column, .by_category = true, .missing_left = missing_left};
      by.is_left.assign(n_categories, 0);
      for (std::size_t i = rules_.one_vs_rest ? j : 0; i <= j; ++i)
        by.is_left[static_cast<std::size_t>(runs.value[i])] = 1;
    });
  }
  return admits;
}

}  // namespace ramify

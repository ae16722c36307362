// SPDX-License-Identifier: BSD-3-Clause
// What the methods propose where numbers are learnt: least squares of the numbers themselves, or a
// method of classes that sees two groups of rows.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "linear_algebra/cholesky.hpp"
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "oblique/standard.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

/// The numbers of two groups of rows: up to the cut that lowers the variance most, the lowest of
/// several, and above it. No groups if all numbers are equal.
struct TwoGroups {
  std::vector<std::uint32_t> label;
  std::vector<double> class_weight;

  explicit TwoGroups(const ObliqueProblem& problem) {
    const std::size_t n = problem.n_rows;
    std::vector<double> number(n);
    for (std::size_t i = 0; i < n; ++i) number[i] = problem.number[i] / problem.weight_of(i);
    RowOrder order;
    const std::span<const std::uint32_t> rows = order.sort(number);
    double total = 0, sum = 0, left = 0, left_sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      total += problem.weight_of(i);
      sum += problem.number[i];
    }
    double best = no_score, cut = 0, weight = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      left += problem.weight_of(rows[i]);
      left_sum += problem.number[rows[i]];
      if (number[rows[i]] == number[rows[i + 1]]) continue;
      const double away = left_sum - sum * left / total;
      const double gain = away * away / (left * (total - left));
      if (!beats(gain, best)) continue;
      best = gain;
      cut = number[rows[i]];
      weight = left;
    }
    if (best == no_score) return;
    for (const double each : number) label.push_back(each > cut);
    class_weight = {weight, total - weight};
  }
};

template <class Rules>
Proposal propose_by_groups(const ObliqueProblem& problem, const Rules& rules) {
  const TwoGroups groups(problem);
  if (groups.label.empty()) return {};
  ObliqueProblem two = problem;
  two.label = groups.label;
  two.class_weight = groups.class_weight;
  return propose(two, rules);
}

/// Ridge regression of the numbers on standardised columns; the penalty rises until the equations
/// can be solved.
Proposal least_squares(const ObliqueProblem& problem, double penalty, bool own_cut) {
  const std::size_t d = problem.n_columns;
  const Standard standard(problem);
  const std::vector<const double*> middle(problem.class_weight.size(), standard.mean.data());
  std::optional<Symmetric> products = scatter_about(problem, middle);
  if (!products || !products->is_finite()) return {};
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      products->at(i, j) /= standard.deviation[i] * standard.deviation[j];
  std::vector<double> w(d);
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    const double* x = problem.values + row * d;
    for (std::size_t j = 0; j < d; ++j)
      w[j] += (x[j] - standard.mean[j]) / standard.deviation[j] * problem.number[row];
  }
  const double total = problem.total();
  for (double own = penalty; own < 1e12 * (total + penalty);
       own = own > 0 ? 10 * own : 1e-12 * total) {
    Symmetric factored = *products;
    for (std::size_t j = 0; j < d; ++j) factored.at(j, j) += own;
    if (!factor_cholesky(factored.values.data(), d, factored.stride)) continue;
    solve_cholesky(factored.values.data(), d, factored.stride, w.data());
    return standard.back(w, 0, own_cut);
  }
  return {};
}

/// Least squares of a bootstrap sample of the rows: as many, with replacement.
Proposal redrawn_least_squares(const ObliqueProblem& problem) {
  std::vector<double> times(problem.n_rows), weight, number;
  Rng rng(mix(problem.key ^ 0x636366));
  for (std::size_t i = 0; i < problem.n_rows; ++i)
    times[rng.below(static_cast<std::uint32_t>(problem.n_rows))] += 1;
  double total = 0;
  for (std::size_t i = 0; i < problem.n_rows; ++i) {
    weight.push_back(times[i] * problem.weight_of(i));
    number.push_back(times[i] * problem.number[i]);
    total += weight.back();
  }
  const double all[] = {total};
  ObliqueProblem redrawn = problem;
  redrawn.weight = weight;
  redrawn.number = number;
  redrawn.class_weight = all;
  return least_squares(redrawn, 0, false);
}

Proposal propose_one(const ObliqueProblem& problem, const SingleRules& rules) {
  return std::visit(
      [&](const auto& own) -> Proposal {
        using Rules = std::decay_t<decltype(own)>;
        if constexpr (std::is_same_v<Rules, RidgeRules>) {
          return least_squares(problem, own.penalty / problem.unit, own.own_cut);
        } else if constexpr (std::is_same_v<Rules, CcaRules>) {
          Proposal found = own.bootstrap ? redrawn_least_squares(problem) : Proposal{};
          return found ? found : least_squares(problem, 0, false);
        } else if constexpr (std::is_same_v<Rules, RandomSparseRules>) {
          return propose(problem, own);
        } else if constexpr (std::is_same_v<Rules, LogisticRules> ||
                             std::is_same_v<Rules, SvmRules> || std::is_same_v<Rules, MpsvmRules> ||
                             std::is_same_v<Rules, FisherRules> ||
                             std::is_same_v<Rules, PptreeRules> ||
                             std::is_same_v<Rules, HhcartRules> ||
                             std::is_same_v<Rules, MdtRules>) {
          return propose_by_groups(problem, own);
        } else {
          throw std::invalid_argument("this oblique method parts classes, not numbers");
        }
      },
      rules);
}

}  // namespace

Proposal propose_for_numbers(const ObliqueProblem& problem, const ObliqueRules& rules) {
  return std::visit(
      [&](const auto& own) -> Proposal {
        if constexpr (std::is_same_v<std::decay_t<decltype(own)>, HeterogeneousRules>) {
          std::vector<Direction> candidates;
          for (const SingleRules& each : own.methods) {
            if (problem.must_stop()) return {};
            if (Proposal found = propose_one(problem, each)) candidates.push_back(*found);
          }
          return best_of(problem, std::move(candidates));
        } else {
          return propose_one(problem, own);
        }
      },
      rules);
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Weighted oblique trees (Yang, Shen, Gao 2019), also with a penalty that leaves few columns.
#include <cmath>
#include <vector>

#include "linear_algebra/lbfgs.hpp"
#include "oblique/for_tests.hpp"
#include "oblique/methods.hpp"
#include "oblique/proposals/weighted_entropy.hpp"
#include "oblique/scan.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

class WodtSearch {
 public:
  WodtSearch(const ObliqueProblem& problem, const WodtRules& rules)
      : problem_(problem), rules_(rules) {}

  Proposal search() {
    const std::size_t d = problem_.n_columns;
    WeightedEntropy objective(problem_, problem_.values, d);
    Lbfgs lbfgs(d + 1, lbfgs_rules());
    SplitJudge judge(problem_, *problem_.judges[0]);
    std::vector<double> theta(d + 1), projection(problem_.n_rows);
    for (int restart = 0; restart <= rules_.n_restarts; ++restart) {
      Rng rng(mix(problem_.key ^ static_cast<std::uint64_t>(restart)));
      for (double& entry : theta) entry = rng.uniform() - 0.5;
      fit(lbfgs, objective, theta);
      if (rules_.penalty > 0 && !is_stopped_) make_sparse(lbfgs, objective, theta);
      if (is_stopped_) return {};
      objective.project(theta.data(), projection);
      if (judge.score([&](std::size_t row) { return projection[row] < 0; }) > 0) {
        const double bias = theta.back();
        theta.pop_back();
        return Direction{std::move(theta), bias, true};
      }
    }
    return {};
  }

 private:
  LbfgsRules lbfgs_rules() const {
    return {.memory = rules_.memory,
            .max_iterations = rules_.max_iterations,
            .tolerance = rules_.tolerance};
  }

  /// Checks whether to stop after every 2^24 cells or so, a few milliseconds.
  bool must_stop(const WeightedEntropy& objective) {
    work_ += 2 * objective.n_cells();
    if (work_ >= std::size_t{1} << 24) {
      work_ = 0;
      is_stopped_ = problem_.must_stop && problem_.must_stop();
    }
    return is_stopped_ || objective.is_flat();
  }

  void fit(Lbfgs& lbfgs, WeightedEntropy& objective, std::span<double> theta) {
    lbfgs.minimise(objective, theta, [&] { return must_stop(objective); });
  }

  /// Scales theta, where the objective was settled last, to the best length under the penalty. A
  /// dense solution is so long that descending from it would pass everything on the way to 0.
  void shorten(WeightedEntropy& objective, double penalty, std::span<double> theta) const {
    double length = 0;
    for (const double entry : theta.first(problem_.n_columns)) length += std::abs(entry);
    objective.aim(theta.data());
    double best = 1, best_value = INFINITY;
    for (double share = 1; share > 1e-6; share /= 2) {
      const double value = objective.along(share - 1).value + penalty * share * length;
      if (value < best_value) best = share, best_value = value;
    }
    for (double& entry : theta) entry *= best;
  }

  /// Minimises with the penalty from a dense solution, then refits the remaining columns without
  /// it.
  void make_sparse(Lbfgs& lbfgs, WeightedEntropy& objective, std::vector<double>& theta) {
    const std::size_t d = problem_.n_columns;
    const double own = rules_.penalty * objective.total_weight();
    std::vector<double> penalty(d + 1, own);
    penalty[d] = 0;
    shorten(objective, own, theta);
    lbfgs.minimise(objective, theta, penalty, [&] { return must_stop(objective); });
    double largest = 0;
    for (const double entry : theta) largest = std::max(largest, std::abs(entry));
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < d; ++i) {
      if (std::abs(theta[i]) < 1e-6 * largest) theta[i] = 0;
      if (theta[i] != 0) kept.push_back(i);
    }
    if (rules_.debias && !kept.empty() && !is_stopped_) fit_columns(kept, theta);
  }

  void fit_columns(std::span<const std::size_t> columns, std::vector<double>& theta) {
    const std::size_t n = columns.size(), d = problem_.n_columns;
    std::vector<double> values(problem_.n_rows * n);
    for (std::size_t row = 0; row < problem_.n_rows; ++row)
      for (std::size_t i = 0; i < n; ++i)
        values[row * n + i] = problem_.values[row * d + columns[i]];
    WeightedEntropy objective(problem_, values.data(), n);
    Lbfgs lbfgs(n + 1, lbfgs_rules());
    std::vector<double> part(n + 1, theta[d]);
    for (std::size_t i = 0; i < n; ++i) part[i] = theta[columns[i]];
    fit(lbfgs, objective, part);
    for (std::size_t i = 0; i < n; ++i) theta[columns[i]] = part[i];
    theta[d] = part[n];
  }

  const ObliqueProblem& problem_;
  const WodtRules& rules_;
  std::size_t work_ = 0;
  bool is_stopped_ = false;
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const WodtRules& rules) {
  if (problem.n_rows < 2 || problem.n_columns == 0) return {};
  return WodtSearch(problem, rules).search();
}

double weighted_entropy(const ObliqueProblem& problem, std::span<const double> theta,
                        double* gradient) {
  WeightedEntropy objective(problem, problem.values, problem.n_columns);
  const double value = objective.at(theta.data());
  objective.settle(gradient);
  return value;
}

}  // namespace ramify

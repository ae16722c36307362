// SPDX-License-Identifier: BSD-3-Clause
// Linear combinations of CART (Breiman, Friedman, Olshen, Stone 1984, section 5.2).
#include <cmath>
#include <limits>

#include "oblique/climber.hpp"
#include "oblique/methods.hpp"

namespace ramify {
namespace {

class CartLcClimb {
 public:
  CartLcClimb(const ObliqueProblem& problem, const CartLcRules& rules)
      : problem_(problem),
        rules_(rules),
        matrix_(problem),
        logs_(problem),
        climber_(problem, matrix_, logs_, *problem.judges[0]),
        slope_(problem.n_rows),
        mean_(problem.n_columns, 0.0),
        deviation_(problem.n_columns, 1.0) {}

  Proposal run() {
    if (rules_.standardize) find_moments();
    if (problem_.start && !rules_.random_start) {
      climber_.start_at(*problem_.start);
    } else {
      Rng rng(mix(problem_.key));
      climber_.start_anywhere(rng);
    }
    double gain = std::numeric_limits<double>::infinity();
    for (int i = 0; i < rules_.max_cycles && gain >= rules_.min_gain; ++i) {
      const double before = climber_.score();
      for (std::size_t j = 0; j < problem_.n_columns; ++j) {
        if (problem_.must_stop && problem_.must_stop()) return {};
        change(j);
      }
      const Line line = climber_.along_bias();
      if (const Interval best = climber_.look(line); best.exists()) climber_.go(line, best);
      gain = climber_.score() - before;
      if (climber_.is_perfect()) break;
    }
    climber_.settle();
    if (!(climber_.score() > no_score)) return {};
    return rules_.deletion > 0 ? without_idle_columns() : climber_.at();
  }

 private:
  /// v - delta (z + gamma), where z is the standardised column.
  Line line(std::size_t column, double gamma) {
    const double* x = matrix_.column(column);
    const double factor = 1 / deviation_[column], shift = gamma - mean_[column] * factor;
    for (std::size_t row = 0; row < slope_.size(); ++row) slope_[row] = -(x[row] * factor + shift);
    return {.slope = slope_.data(),
            .weight = {},
            .column = column,
            .one_weight = -factor,
            .bias = -shift};
  }

  void change(std::size_t column) {
    Interval best;
    double best_gamma = 0;
    for (const double gamma : {-0.25, 0.0, 0.25}) {
      const Interval here = climber_.look(line(column, gamma));
      if (!here.exists() || (best.exists() && !beats(here.score, best.score))) continue;
      best = here;
      best_gamma = gamma;
    }
    if (best.exists()) climber_.go(line(column, best_gamma), best);
  }

  /// Removes columns, the least important first, while little is lost.
  Direction without_idle_columns() {
    Direction at = climber_.at();
    double score = climber_.score();
    std::vector<double> value(problem_.n_rows);
    while (true) {
      Direction best_at;
      Interval best;
      std::size_t n_used = 0;
      for (std::size_t j = 0; j < problem_.n_columns; ++j) {
        if (at.weight[j] == 0) continue;
        ++n_used;
        Direction rest = at;
        rest.weight[j] = 0;
        matrix_.project(rest, value);
        const Interval here = climber_.scan().best(value.data(), climber_.along_bias().slope);
        if (!here.exists() || (best.exists() && !beats(here.score, best.score))) continue;
        best = here;
        best_at = rest;
        best_at.bias += best.middle();
      }
      if (n_used < 2 || !best.exists() || !(score - best.score < rules_.deletion * score))
        return at;
      at = best_at;
      score = best.score;
    }
  }

  /// Means and standard deviations of the columns.
  void find_moments() {
    const double total = problem_.total();
    for (std::size_t j = 0; j < problem_.n_columns; ++j) {
      const double* x = matrix_.column(j);
      double sum = 0, squares = 0;
      for (std::size_t row = 0; row < problem_.n_rows; ++row)
        sum += problem_.weight_of(row) * x[row];
      mean_[j] = sum / total;
      for (std::size_t row = 0; row < problem_.n_rows; ++row) {
        const double away = x[row] - mean_[j];
        squares += problem_.weight_of(row) * (away * away);
      }
      deviation_[j] = squares > 0 ? std::sqrt(squares / total) : 1;
    }
  }

  const ObliqueProblem& problem_;
  const CartLcRules& rules_;
  ColumnReader matrix_;
  LogTable logs_;
  Climber climber_;
  std::vector<double> slope_;
  std::vector<double> mean_, deviation_;  // of each column
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const CartLcRules& rules) {
  return CartLcClimb(problem, rules).run();
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Hyperplanes that separate one class from the rest with a margin: they minimise the sum of a
// smooth loss of t f, where f = w . z + b and t is +1 or -1, and a penalty on the squared weights.
// Reads the matrix row by row.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "linear_algebra/lbfgs.hpp"
#include "linear_algebra/vectors.hpp"
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "oblique/standard.hpp"

namespace ramify {

/// The objective for one class, in the form that L-BFGS needs. A loss has value(m) and slope(m) of
/// a margin m.
template <class Loss>
class MarginObjective {
 public:
  MarginObjective(const ObliqueProblem& problem, std::span<const double> rows, std::size_t label,
                  double penalty)
      : problem_(problem),
        rows_(rows),
        d_(problem.n_columns),
        label_(label),
        penalty_(penalty),
        place_(problem.n_rows),
        change_(problem.n_rows),
        at_(d_ + 1) {}

  double at(const double* theta) {
    std::ranges::fill(at_, 0.0);
    std::ranges::fill(place_, 0.0);
    aim(theta);
    return along(1).value;
  }
  void aim(const double* direction) {
    direction_ = direction;
    for (std::size_t i = 0; i < change_.size(); ++i)
      change_[i] = dot(direction, row(i), d_) + direction[d_];
  }
  LinePoint along(double step) {
    step_ = step;
    LinePoint point{0, 0};
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const double f = place_[i] + step * change_[i];
      point.value += problem_.weight_of(i) * Loss::value(sign(i) * f);
      point.slope += slope_of(i, f) * change_[i];
    }
    for (std::size_t j = 0; j < d_; ++j) {
      const double w = at_[j] + step * direction_[j];
      point.value += penalty_ / 2 * w * w;
      point.slope += penalty_ * w * direction_[j];
    }
    return point;
  }
  void settle(double* gradient) {
    for (std::size_t i = 0; i < place_.size(); ++i) place_[i] += step_ * change_[i];
    for (std::size_t j = 0; j <= d_; ++j) at_[j] += step_ * direction_[j];
    for (std::size_t j = 0; j < d_; ++j) gradient[j] = penalty_ * at_[j];
    gradient[d_] = 0;
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const double slope = slope_of(i, place_[i]);
      if (slope == 0) continue;
      const double* z = row(i);
      for (std::size_t j = 0; j < d_; ++j) gradient[j] += slope * z[j];
      gradient[d_] += slope;
    }
  }

 private:
  const double* row(std::size_t i) const { return rows_.data() + i * d_; }
  double sign(std::size_t i) const { return problem_.label[i] == label_ ? 1 : -1; }
  double slope_of(std::size_t i, double f) const {
    return problem_.weight_of(i) * sign(i) * Loss::slope(sign(i) * f);
  }

  const ObliqueProblem& problem_;
  std::span<const double> rows_;  // standardised
  std::size_t d_, label_;
  double penalty_;
  std::vector<double> place_, change_, at_;
  const double* direction_ = nullptr;
  double step_ = 0;
};

/// The best of one against the rest.
template <class Loss>
Proposal propose_by_margin(const ObliqueProblem& problem, double penalty, bool own_cut) {
  const std::size_t d = problem.n_columns, n = n_against_rest(problem);
  const Standard standard(problem);
  std::vector<double> rows(problem.n_rows * d);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = (problem.values[i] - standard.mean[i % d]) / standard.deviation[i % d];
  if (!std::ranges::all_of(rows, [](double z) { return std::isfinite(z); })) return {};
  // The gradient per row must fall below 1e-8, however little the last steps gain.
  const LbfgsRules rules{.tolerance = 1e-8 * problem.total(), .min_progress = 0};
  std::vector<Direction> candidates(n);
  std::atomic<bool> stopped = false;
  const auto fit = [&](int i, int worker) {
    MarginObjective<Loss> objective(
        problem, rows, class_against_rest(problem, static_cast<std::size_t>(i)), penalty);
    std::vector<double> theta(d + 1);
    Lbfgs(d + 1, rules).minimise(objective, theta, [&] {
      if (worker == 0 && problem.must_stop()) stopped = true;
      return stopped.load();
    });
    candidates[static_cast<std::size_t>(i)] =
        standard.back(std::span(theta).first(d), theta[d], own_cut);
  };
  problem.run(static_cast<int>(n), fit);
  if (stopped) return {};
  return best_of(problem, std::move(candidates));
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// L-BFGS (Nocedal 1980; Liu, Nocedal 1989) with a strong Wolfe line search, and OWL-QN (Andrew, Gao
// 2007) for a penalty on absolute values. Nothing is allocated between one step and the next.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "linear_algebra/vectors.hpp"

namespace ramify {

struct LbfgsRules {
  int memory = 10;
  int max_iterations = 1000;
  double tolerance = 1e-5;     // of the largest entry of the gradient
  double min_progress = 1e-9;  // of one step, relative to the value (or to 1 if that is larger)
  // A line search ends where the slope is this fraction of the initial one. Where evaluating along
  // a line is cheap compared to a gradient, a smaller fraction saves steps.
  double flatness = 0.9;
};

struct LbfgsResult {
  enum class End { converged, no_progress, max_iterations, stopped };
  double value = 0;
  int n_iterations = 0;
  End end = End::converged;
};

/// Value and slope at some point of a line.
struct LinePoint {
  double value, slope;
};

/// The last few steps and what they did to the gradient: an approximate inverse Hessian.
class StepHistory {
 public:
  StepHistory(std::size_t n, int memory)
      : n_(n),
        capacity_(static_cast<std::size_t>(std::max(memory, 1))),
        steps_(n * capacity_),
        changes_(n * capacity_),
        inverse_(capacity_),
        share_(capacity_) {}

  void clear() { size_ = next_ = 0; }
  bool is_empty() const { return size_ == 0; }

  /// Where to write a step and the change of the gradient before `keep`.
  double* step() { return &steps_[next_ * n_]; }
  double* change() { return &changes_[next_ * n_]; }

  /// Keeps the pair if the curvature along it is positive.
  void keep() {
    const double curvature = dot(step(), change(), n_);
    const double square = dot(change(), change(), n_);
    if (!(curvature > 1e-14 * square)) return;
    inverse_[next_] = 1 / curvature;
    scale_ = curvature / square;
    next_ = (next_ + 1) % capacity_;
    size_ = std::min(size_ + 1, capacity_);
  }

  /// direction = -(inverse Hessian) gradient.
  void find_direction(const double* gradient, double* direction) {
    for (std::size_t i = 0; i < n_; ++i) direction[i] = -gradient[i];
    if (size_ == 0) return;
    for (std::size_t age = 1; age <= size_; ++age) {
      const std::size_t k = slot(age);
      share_[k] = inverse_[k] * dot(&steps_[k * n_], direction, n_);
      add(direction, -share_[k], &changes_[k * n_]);
    }
    for (std::size_t i = 0; i < n_; ++i) direction[i] *= scale_;
    for (std::size_t age = size_; age >= 1; --age) {
      const std::size_t k = slot(age);
      const double share = inverse_[k] * dot(&changes_[k * n_], direction, n_);
      add(direction, share_[k] - share, &steps_[k * n_]);
    }
  }

 private:
  std::size_t slot(std::size_t age) const { return (next_ + capacity_ - age) % capacity_; }
  void add(double* sum, double factor, const double* x) const {
    for (std::size_t i = 0; i < n_; ++i) sum[i] += factor * x[i];
  }

  std::size_t n_, capacity_, size_ = 0, next_ = 0;
  std::vector<double> steps_, changes_;  // [slot][coordinate]
  std::vector<double> inverse_, share_;  // [slot]
  double scale_ = 1;
};

struct LineStep {
  double step, value;
};

/// Finds a step along a line, from where the objective was aimed, that meets the strong Wolfe
/// conditions; step 0 if there is none. The objective is left evaluated there.
template <class Objective>
LineStep search_line(Objective& objective, LinePoint start, double step, double flatness) {
  constexpr double min_decrease = 1e-4;
  constexpr int max_trials = 30;
  // Between `low` (low enough, but still falling steeply) and `high` (too high, or rising) lies a
  // step that meets the conditions.
  double low = 0, high = INFINITY, evaluated = 0;
  LinePoint at_low = start, at_high{};
  for (int trial = 0; trial < max_trials; ++trial) {
    const LinePoint point = objective.along(step);
    evaluated = step;
    const bool is_low = point.value <= start.value + min_decrease * step * start.slope;
    if (is_low && std::abs(point.slope) <= -flatness * start.slope) return {step, point.value};
    if (is_low && point.slope < 0) {
      low = step, at_low = point;
    } else {
      high = step, at_high = point;
    }
    const double width = high - low;
    if (std::isinf(high)) {
      step *= 4;
    } else if (!(width > 1e-10 * high)) {
      break;
    } else {
      // The minimum of the cubic through both ends, but not too close to them.
      const double bend = at_low.slope + at_high.slope - 3 * (at_high.value - at_low.value) / width;
      const double root = std::sqrt(std::max(0.0, bend * bend - at_low.slope * at_high.slope));
      const double share =
          1 - (at_high.slope + root - bend) / (at_high.slope - at_low.slope + 2 * root);
      step = low + width * (std::isfinite(share) ? std::clamp(share, 0.1, 0.9) : 0.5);
    }
  }
  if (low > 0 && low != evaluated) objective.along(low);
  return {low, at_low.value};
}

/// An objective sees points along a line, so that it may keep what a whole line has in common:
///   at(theta)        the value at a point
///   aim(direction)   starts a line at the point where it was settled last
///   along(step)      value and slope at a point of the line
///   settle(gradient) moves to the point evaluated last and writes the gradient there
class Lbfgs {
 public:
  using End = LbfgsResult::End;

  Lbfgs(std::size_t n, const LbfgsRules& rules)
      : n_(n),
        rules_(rules),
        history_(n, rules.memory),
        gradient_(n),
        next_gradient_(n),
        direction_(n) {}

  /// Minimises from `theta` on, which becomes the lowest point. `stop()` is checked before each
  /// step.
  template <class Objective, class Stop>
  LbfgsResult minimise(Objective& objective, std::span<double> theta, Stop&& stop) {
    history_.clear();
    LbfgsResult result{.value = objective.at(theta.data())};
    objective.settle(gradient_.data());
    for (;; ++result.n_iterations) {
      if (largest(gradient_) <= rules_.tolerance) return ended(result, End::converged);
      if (result.n_iterations == rules_.max_iterations) return ended(result, End::max_iterations);
      if (stop()) return ended(result, End::stopped);
      LineStep found = look(objective, gradient_, result.value);
      if (!(found.step > 0) && !history_.is_empty()) {  // once more, by steepest descent
        history_.clear();
        found = look(objective, gradient_, result.value);
      }
      if (!(found.step > 0)) return ended(result, End::no_progress);
      objective.settle(next_gradient_.data());
      double* step = history_.step();
      for (std::size_t i = 0; i < n_; ++i) {
        step[i] = found.step * direction_[i];
        theta[i] += step[i];
      }
      accept();
      if (!is_progress(std::exchange(result.value, found.value), found.value))
        return ended(result, End::no_progress);
    }
  }

  /// The same for objective + sum of penalty[i] * |theta[i]|.
  template <class Objective, class Stop>
  LbfgsResult minimise(Objective& objective, std::span<double> theta,
                       std::span<const double> penalty, Stop&& stop) {
    history_.clear();
    std::vector<double> slope(n_), trial(n_), orthant(n_);
    const auto penalised = [&](double value, std::span<const double> at) {
      for (std::size_t i = 0; i < n_; ++i) value += penalty[i] * std::abs(at[i]);
      return value;
    };
    LbfgsResult result{.value = penalised(objective.at(theta.data()), theta)};
    objective.settle(gradient_.data());
    for (;; ++result.n_iterations) {
      for (std::size_t i = 0; i < n_; ++i)
        slope[i] = steepest_slope(gradient_[i], theta[i], penalty[i]);
      if (largest(slope) <= rules_.tolerance) return ended(result, End::converged);
      if (result.n_iterations == rules_.max_iterations) return ended(result, End::max_iterations);
      if (stop()) return ended(result, End::stopped);
      double step = aim(slope);
      // Moves only where the direction agrees with the slope, and not beyond 0, where the penalty
      // has a kink.
      for (std::size_t i = 0; i < n_; ++i) {
        if (direction_[i] * slope[i] >= 0) direction_[i] = 0;
        orthant[i] = theta[i] != 0 ? theta[i] : -slope[i];
      }
      double value = 0;
      bool is_low = false;
      for (int k = 0; k < 30 && !is_low; ++k, step /= 2) {
        double expected = 0;
        for (std::size_t i = 0; i < n_; ++i) {
          const double moved = theta[i] + step * direction_[i];
          trial[i] = penalty[i] == 0 || moved * orthant[i] > 0 ? moved : 0;
          expected += slope[i] * (trial[i] - theta[i]);
        }
        value = penalised(objective.at(trial.data()), trial);
        is_low = value <= result.value + 1e-4 * expected && expected < 0;
      }
      if (!is_low && history_.is_empty()) return ended(result, End::no_progress);
      if (!is_low) {
        history_.clear();
        continue;
      }
      objective.settle(next_gradient_.data());
      for (std::size_t i = 0; i < n_; ++i) {
        history_.step()[i] = trial[i] - theta[i];
        theta[i] = trial[i];
      }
      accept();
      if (!is_progress(std::exchange(result.value, value), value))
        return ended(result, End::no_progress);
    }
  }

 private:
  static LbfgsResult ended(LbfgsResult result, End end) {
    result.end = end;
    return result;
  }
  static double largest(std::span<const double> x) {
    double max = 0;
    for (const double value : x) max = std::max(max, std::abs(value));
    return max;
  }
  /// The slope towards the side where the penalised function falls; 0 where it rises on both.
  static double steepest_slope(double gradient, double at, double penalty) {
    if (at != 0) return gradient + std::copysign(penalty, at);
    if (gradient + penalty < 0) return gradient + penalty;
    if (gradient - penalty > 0) return gradient - penalty;
    return 0;
  }

  bool is_progress(double before, double after) const {
    return before - after >
           rules_.min_progress * std::max({std::abs(before), std::abs(after), 1.0});
  }

  /// Finds a direction, and the first step to try along it.
  double aim(std::span<const double> gradient) {
    history_.find_direction(gradient.data(), direction_.data());
    if (!history_.is_empty()) return 1;
    return std::min(1.0, 1 / std::sqrt(dot(gradient.data(), gradient.data(), n_)));
  }

  template <class Objective>
  LineStep look(Objective& objective, std::span<const double> gradient, double value) {
    const double first_step = aim(gradient);
    const double slope = dot(gradient.data(), direction_.data(), n_);
    if (!(slope < 0)) return {0, value};  // rounding, or NaN
    objective.aim(direction_.data());
    return search_line(objective, {value, slope}, first_step, rules_.flatness);
  }

  /// Stores the step in history_.step() and goes on to the next gradient.
  void accept() {
    for (std::size_t i = 0; i < n_; ++i) history_.change()[i] = next_gradient_[i] - gradient_[i];
    history_.keep();
    std::swap(gradient_, next_gradient_);
  }

  std::size_t n_;
  LbfgsRules rules_;
  StepHistory history_;
  std::vector<double> gradient_, next_gradient_, direction_;
};

}  // namespace ramify

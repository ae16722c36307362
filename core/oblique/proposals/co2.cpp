// SPDX-License-Identifier: BSD-3-Clause
// CO2 (Norouzi et al. 2015): stochastic gradient descent on a bound of the log loss, which is a
// difference of convex functions. Reads the matrix row by row, as doubles.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "linear_algebra/products.hpp"
#include "linear_algebra/vectors.hpp"
#include "oblique/for_tests.hpp"
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "simd/pack.hpp"
#include "simd/prefetch.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

using RAMIFY_KERNELS::Pack;
using RAMIFY_KERNELS::pack_width;

/// Class probabilities of a leaf, as logarithms up to a constant, and values derived from them.
class Leaf {
 public:
  explicit Leaf(std::span<const double> theta)
      : n_classes_(theta.size()), theta_(padded(theta.size()), below_all), exp_(theta_.size()) {
    std::ranges::copy(theta, theta_.begin());
    normalize();
  }

  std::span<const double> theta() const { return std::span(theta_).first(n_classes_); }
  /// -ln of the probability of a class.
  double loss(std::uint32_t label) const { return log_sum_ - theta_[label]; }

  /// One step down the gradient of the loss.
  void descend(std::uint32_t label, double step) {
    const double share = step / sum_;
    for (std::size_t k = 0; k < n_classes_; ++k) theta_[k] -= share * exp_[k];
    theta_[label] += step;
    normalize();
  }

 private:
  /// Its exponential is negligible beside that of the largest, which is 1.
  static constexpr double below_all = -1e300, lowest_exponent = -700;

  static std::size_t padded(std::size_t n) {
    return (n + pack_width - 1) / pack_width * pack_width;
  }

  void normalize() {
    const double top = *std::max_element(theta_.begin(), theta_.end());
    Pack sum{};
    for (std::size_t k = 0; k < theta_.size(); k += pack_width) {
      const Pack below = RAMIFY_KERNELS::load<Pack>(&theta_[k]) - RAMIFY_KERNELS::spread<Pack>(top);
      const Pack power = RAMIFY_KERNELS::exp_of(
          RAMIFY_KERNELS::larger(below, RAMIFY_KERNELS::spread<Pack>(lowest_exponent)));
      RAMIFY_KERNELS::store(&exp_[k], power);
      sum += power;
    }
    sum_ = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    log_sum_ = top + std::log(sum_);
  }

  std::size_t n_classes_;
  std::vector<double> theta_, exp_;  // up to a full pack
  double sum_ = 0, log_sum_ = 0;
};

/// A hyperplane and the leaves on both of its sides.
struct Stump {
  std::vector<double> weight;
  double bias = 0;
  Leaf left, right;

  double value(const double* x) const { return long_dot(weight.data(), x, weight.size()) + bias; }
  double squared_length() const {
    return dot(weight.data(), weight.data(), weight.size()) + bias * bias;
  }
  void rescale(double factor) {
    for (double& w : weight) w *= factor;
    bias *= factor;
  }
};

const double* row_of(const ObliqueProblem& problem, std::size_t row) {
  return problem.values + row * problem.n_columns;
}

double row_bound(double value, double left, double right) {
  return std::max(-value + left, value + right) - std::abs(value);
}

class Co2 {
 public:
  Co2(const ObliqueProblem& problem, const Co2Rules& rules)
      : problem_(problem),
        rules_(rules),
        rng_(mix(problem.key ^ 0xc02)),
        judge_(problem, *problem.judges[0]),
        unit_(problem.total() / static_cast<double>(problem.n_rows)),
        value_(problem.n_rows),
        stump_(start()) {}

  Proposal search() {
    double bound = look();
    for (int outer = 0; outer < rules_.max_outer; ++outer) {
      if (!descend()) return {};
      const double before = std::exchange(bound, look());
      if (std::abs(before - bound) < rules_.tolerance * std::abs(before)) break;
    }
    if (best_score_ == no_score) return {};
    return best_;
  }

 private:
  /// The best axis-parallel split, or any hyperplane; with leaves fitted to its sides.
  Stump start() {
    std::vector<double> w;
    double bias = 0;
    if (problem_.start && !rules_.random_start) {
      w = problem_.start->weight;
      bias = problem_.start->bias;
    } else {
      w.resize(problem_.n_columns);
      for (double& each : w) each = rng_.uniform() - 0.5;
      bias = rng_.uniform() - 0.5;
    }
    const std::vector<double> nothing(problem_.class_weight.size());
    Stump stump{std::move(w), bias, Leaf(nothing), Leaf(nothing)};
    shorten(stump, stump.squared_length());
    // Counted in rows, so that the unit of the weights does not matter; plus one of each class.
    std::vector<double> left(nothing.size(), 1), right(nothing.size(), 1);
    for (std::size_t row = 0; row < problem_.n_rows; ++row) {
      auto& side = stump.value(row_of(problem_, row)) < 0 ? left : right;
      side[problem_.label[row]] += problem_.weight_of(row) / unit_;
    }
    for (double& each : left) each = std::log(each);
    for (double& each : right) each = std::log(each);
    stump.left = Leaf(left);
    stump.right = Leaf(right);
    return stump;
  }

  /// Projects back into the ball of squared radius nu. Returns the squared length.
  double shorten(Stump& stump, double squared_length) const {
    if (!(squared_length > rules_.nu)) return squared_length;
    stump.rescale(std::sqrt(rules_.nu / squared_length));
    return rules_.nu;
  }

  /// The bound. Records the values of the rows, and the hyperplane itself if it is the best so far.
  double look() {
    double bound = 0;
    for (std::size_t row = 0; row < problem_.n_rows; ++row) {
      const std::uint32_t y = problem_.label[row];
      value_[row] = stump_.value(row_of(problem_, row));
      bound += problem_.weight_of(row) *
               row_bound(value_[row], stump_.left.loss(y), stump_.right.loss(y));
    }
    const double score = judge_.score([&](std::size_t row) { return value_[row] < 0; });
    if (beats(score, best_score_)) {
      best_score_ = score;
      best_ = {stump_.weight, stump_.bias, true};
    }
    return bound;
  }

  /// One pass of as many steps as rows; `value_` holds the values of the rows before it. Returns
  /// false if the user wants to stop.
  bool descend() {
    constexpr std::uint64_t steps_between_questions = 1 << 14;
    const auto n = static_cast<std::uint32_t>(problem_.n_rows);
    double squared_length = stump_.squared_length();
    std::uint32_t next = rng_.below(n);
    for (std::size_t step = 0; step < n; ++step) {
      if (n_steps_ % steps_between_questions == 0 && problem_.must_stop()) return false;
      const std::uint32_t row = std::exchange(next, rng_.below(n));
      prefetch(row_of(problem_, next), problem_.n_columns);
      squared_length = shorten(stump_, squared_length + step_at(row));
    }
    return true;
  }

  /// A step at one row. Returns the increase of the hyperplane's squared length.
  double step_at(std::size_t row) {
    ++n_steps_;
    const double* x = row_of(problem_, row);
    const std::uint32_t y = problem_.label[row];
    const double decay = rules_.decay ? std::sqrt(static_cast<double>(n_steps_)) : 1;
    const double step = rules_.eta / decay * (problem_.weight_of(row) / unit_);
    const double value = stump_.value(x);
    const bool is_left = -value + stump_.left.loss(y) >= value + stump_.right.loss(y);
    (is_left ? stump_.left : stump_.right).descend(y, step);
    const bool was_left = value_[row] < 0;
    if (is_left == was_left) return 0;  // only where the bound disagrees with the last hyperplane
    const double factor = is_left ? 2 * step : -2 * step;
    const double bias = stump_.bias;
    stump_.bias += factor;
    return grow_sum(stump_.weight.data(), x, stump_.weight.size(), factor) +
           (stump_.bias * stump_.bias - bias * bias);
  }

  const ObliqueProblem& problem_;
  const Co2Rules& rules_;
  Rng rng_;
  SplitJudge judge_;
  double unit_;                // the mean weight of a row
  std::vector<double> value_;  // of each row, before this pass
  Stump stump_;
  std::uint64_t n_steps_ = 0;
  Direction best_;
  double best_score_ = no_score;
};

}  // namespace

Co2Objective co2_objective(const ObliqueProblem& problem, std::span<const double> w,
                           std::span<const double> theta_0, std::span<const double> theta_1) {
  const Stump stump{{w.begin(), w.end() - 1}, w.back(), Leaf(theta_0), Leaf(theta_1)};
  Co2Objective sum;
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    const double value = stump.value(row_of(problem, row)), weight = problem.weight_of(row);
    const double left = stump.left.loss(problem.label[row]);
    const double right = stump.right.loss(problem.label[row]);
    sum.loss += weight * (value < 0 ? left : right);
    sum.bound += weight * row_bound(value, left, right);
  }
  return sum;
}

Proposal propose(const ObliqueProblem& problem, const Co2Rules& rules) {
  return Co2(problem, rules).search();
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// What one target value contributes to a node: its fixed-point scale, and the loss of a prediction.
#pragma once

#include <algorithm>
#include <cmath>

#include "criteria/kernel.hpp"
#include "rows/node.hpp"
#include "util/exact_sum.hpp"

namespace ramify {

/// The fixed-point scale of target values from low to high. Its centre is a multiple of a not too
/// small fraction of the scale, so that integers stay integer multiples of its steps.
inline FixedPoint fixed_point_of(double low, double high) {
  const double scale = power_of_two(std::max(exponent_of(high - low) + 1, -900));
  const double middle = low + (high - low) / 2, step = scale * 0x1p-20;
  const bool is_near = std::abs(middle) < scale * 0x1p30;
  return {is_near ? nearest_integer(middle / step) * step : middle, scale};
}

/// Records that target values range from low to high.
inline void set_fixed_point(double low, double high, RegressionStatistics::Output& output) {
  output.is_varied = low != high;
  output.value = low;
  output.fixed_point = output.is_varied ? fixed_point_of(low, high) : FixedPoint{.centre = low};
}

/// Finds the mean of target values from low to high, and returns the sum of squared deviations: the
/// largest terms of both sums are at the ends. sum_of(from, is_squared, largest) is the exact sum
/// of the deviations from a point, or of their squares; none is above `largest`.
template <class SumOf>
double measure_squares(double weight, double low, double high, RegressionStatistics::Output& output,
                       SumOf sum_of) {
  const auto farthest_from = [=](double x) {
    return std::max(std::abs(low - x), std::abs(high - x));
  };
  const double centre = output.fixed_point.centre;
  const double sum = sum_of(centre, false, farthest_from(centre));
  const double value = output.value = std::clamp(centre + sum / weight, low, high);
  const double far = farthest_from(value);
  return sum_of(value, true, far * far);
}

/// The half deviance of a target value that is (1 + more) times the mean, in units of the mean.
inline double poisson_deviance(double more) {
  return more > -1 ? (1 + more) * std::log1p(more) - more : 1;
}

/// The same for Tweedie's family, in units of the mean to the power of 2 - p.
inline double tweedie_deviance(double more, double p) {
  constexpr double near = 1e-8;  // as in the criterion
  if (std::abs(p - 1) < near) return poisson_deviance(more);
  if (std::abs(p - 2) < near) return more - std::log1p(more);
  return (std::pow(1 + more, 2 - p) - 1 - (2 - p) * more) / ((1 - p) * (2 - p));
}

/// The same for the negative binomial distribution; w = 1 / (dispersion mean).
inline double negative_binomial_deviance(double more, double w) {
  const double own = more > -1 ? (1 + more) * std::log1p(more) : 0;
  return own - (1 + more + w) * std::log1p(more / (1 + w));
}

/// Calls use(term_of), where term_of(y) is the loss of a target value if `value` is predicted. Only
/// for losses that are functions of sums.
template <class Use>
void with_loss_term(RegressionLoss loss, double parameter, double value, Use use) {
  switch (loss) {
    case RegressionLoss::poisson:
      return use([=](double y) { return value * poisson_deviance((y - value) / value); });
    case RegressionLoss::gamma:
      return use([=](double y) {
        const double more = (y - value) / value;
        return more - std::log(y / value);
      });
    case RegressionLoss::tweedie: {
      const double unit = parameter > 0 ? std::pow(value, 2 - parameter) : 0.5;
      return use([=](double y) {
        const double error = y - value;
        return unit * (parameter > 0 ? tweedie_deviance(error / value, parameter) : error * error);
      });
    }
    case RegressionLoss::negative_binomial: {
      const double w = 1 / (parameter * value);
      return use(
          [=](double y) { return value * negative_binomial_deviance((y - value) / value, w); });
    }
    default:
      return use([=](double y) { return (y - value) * (y - value); });
  }
}

}  // namespace ramify

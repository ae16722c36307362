// SPDX-License-Identifier: BSD-3-Clause
// Parts of methods, for tests and for study.
#pragma once

#include <span>

#include "oblique/problem.hpp"

namespace ramify {

/// The result of one step: the score it leads to (minus infinity if there is none), and where.
struct Step {
  double score, value;
};

/// OC1: the best value of weight `column` (of the bias, if that is n_columns), the rest held.
Step coefficient_step(const ObliqueProblem& problem, const Direction& at, int column);

/// CART-LC: the best delta of weight . x + bias - delta (x_column + gamma).
Step combination_step(const ObliqueProblem& problem, const Direction& at, int column, double gamma);

/// The log loss of two leaves, whose class probabilities are softmax(theta_0) on the left and
/// softmax(theta_1) on the right, and the bound of it that CO2 minimises (Norouzi et al. 2015). `w`
/// holds one weight per column, then the bias.
struct Co2Objective {
  double loss = 0, bound = 0;
};
Co2Objective co2_objective(const ObliqueProblem& problem, std::span<const double> w,
                           std::span<const double> theta_0, std::span<const double> theta_1);

/// The weighted entropy E (see weighted_entropy.hpp) and its gradient at theta: one number per
/// column, then the bias.
double weighted_entropy(const ObliqueProblem& problem, std::span<const double> theta,
                        double* gradient);

}  // namespace ramify

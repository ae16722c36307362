// SPDX-License-Identifier: BSD-3-Clause
// Single steps of the hill-climbing searches, for tests and for study.
#pragma once

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

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The objective of CO2: the log loss of a tree with one split, and an upper bound of it.
#pragma once

#include <span>

#include "oblique/problem.hpp"

namespace ramify {

/// The log loss of two leaves, whose class probabilities are softmax(theta_0) on the left and
/// softmax(theta_1) on the right. `w` holds one weight per column, then the bias.
double co2_loss(const ObliqueProblem& problem, std::span<const double> w,
                std::span<const double> theta_0, std::span<const double> theta_1);

/// The bound of Norouzi et al. (2015): never below the loss.
double co2_bound(const ObliqueProblem& problem, std::span<const double> w,
                 std::span<const double> theta_0, std::span<const double> theta_1);

}  // namespace ramify

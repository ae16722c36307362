// SPDX-License-Identifier: BSD-3-Clause
// Weighted oblique trees, for tests and study; `propose` is declared in oblique/methods.hpp.
#pragma once

#include <span>

#include "oblique/problem.hpp"

namespace ramify {

/// The weighted entropy E (see weighted_entropy.hpp) and its gradient at theta: one number per
/// column, then the bias.
double weighted_entropy(const ObliqueProblem& problem, std::span<const double> theta,
                        double* gradient);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Tail probabilities as logarithms, so that very small ones can still be compared.
#pragma once

namespace ramify {

/// ln P(X > x) of a chi-square variable.
double log_chi2_tail(double x, double degrees);

/// ln P(X > x) of an F variable.
double log_f_tail(double x, double degrees_above, double degrees_below);

/// ln Gamma(x) for x > 0; unlike std::lgamma it may be called by several threads.
double log_gamma(double x);

}  // namespace ramify

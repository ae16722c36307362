// SPDX-License-Identifier: BSD-3-Clause
// When scores are tied.
#pragma once

#include <cmath>

namespace ramify {

/// Scores closer than this are tied. Relative above 1: chi-square and DCSM are not bounded, and
/// their last digits are rounding.
inline double tolerance(double score) { return 1e-12 * std::fmax(1, std::abs(score)); }

}  // namespace ramify

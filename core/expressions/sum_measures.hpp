// SPDX-License-Identifier: BSD-3-Clause
// Measures of a cut that need only sums.
#pragma once

#include "plan/expression.hpp"
#include "scan/channels.hpp"

namespace ramify {

/// The sums of some cuts: left[channel * stride + cut].
struct CutSums {
  const double* left;
  std::size_t stride, n_cuts;
};

/// Evaluates a measure for all cuts. `n_extra`: number of trailing channels that are not classes.
void measure_sums(const ExpressionStep& step, const NodeChannels& channels, int n_extra,
                  const CutSums& sums, double* out);

}  // namespace ramify

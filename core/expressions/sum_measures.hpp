// SPDX-License-Identifier: BSD-3-Clause
// Measures of a cut that see nothing but sums.
#pragma once

#include "plan/expression.hpp"
#include "scan/channels.hpp"

namespace ramify {

/// The sums of some cuts: left[channel * stride + cut].
struct CutSums {
  const double* left;
  std::size_t stride, n_cuts;
};

/// Calculates a measure for all of them. `n_extra`: the last channels, which are not classes.
void measure_sums(const ExpressionStep& step, const NodeChannels& channels, int n_extra,
                  const CutSums& sums, double* out);

}  // namespace ramify

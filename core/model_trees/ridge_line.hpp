// SPDX-License-Identifier: BSD-3-Clause
// A line through the rows of a node: ridge regression on standardised columns, of which the least
// important are dropped.
#pragma once

#include <cstdint>
#include <span>

#include "model_trees/grown.hpp"
#include "model_trees/rules.hpp"

namespace ramify {

/// The root mean square of residuals made larger by the number of parameters: (n + factor v) /
/// (n - v), or ten times if there are more parameters than rows.
double adjusted_error(double rms, double n, double n_parameters, double factor);

/// The line of some number columns, ascending; without `drops` all of them stay. A missing value
/// stands at the mean of the known ones.
NodeLine ridge_line(const LineSample& sample, std::span<const std::uint32_t> rows,
                    std::span<const std::uint32_t> columns, const ModelTreeRules& rules,
                    bool drops);

}  // namespace ramify

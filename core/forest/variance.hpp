// SPDX-License-Identifier: BSD-3-Clause
// How much the mean of trees would vary with other training rows: the infinitesimal jackknife
// (Wager, Hastie, Efron 2014).
#pragma once

#include <cstddef>
#include <span>

#include "util/stop.hpp"

namespace ramify {

/// Writes the variance for each new row. `drawn` says how often each tree drew each training row,
/// [tree][row]; `votes` what each tree predicts, [row][tree].
void jackknife_variance(std::span<const double> drawn, std::size_t n_trees,
                        std::span<const double> votes, double* variance, int n_threads, Stop& stop);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Intervals from the predictions of the trees that left a training row out: the jackknife+ after
// the bootstrap (Kim, Xu, Barber 2020).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "util/stop.hpp"

namespace ramify {

/// Training rows, each left out by some trees.
struct LeftOutRows {
  std::size_t n_trees;
  std::span<const std::uint8_t> unseen;  // [tree][row]: 1 if the tree has not seen the row
  std::span<const double> error;         // of the mean of these trees, not negative
  std::span<const double> weight;        // empty if all rows count once
  double rank;                           // the weight that must lie up to an end
};

/// Writes lower and upper end for each new row: ends[2 * row]. `votes` has what each tree predicts,
/// [row][tree]. With f_-i the mean of the trees that have not seen training row i, and s_i its
/// error, the upper end is the smallest f_-i + s_i up to which `rank` of the weight lies, the lower
/// end the largest f_-i - s_i from which on as much lies; infinite if there is less weight.
void jackknife_plus(const LeftOutRows& rows, std::span<const double> votes, double* ends,
                    int n_threads, Stop& stop);

}  // namespace ramify

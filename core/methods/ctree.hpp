// SPDX-License-Identifier: BSD-3-Clause
// Conditional inference trees (Hothorn, Hornik, Zeileis 2006): a permutation test chooses the
// column with the most significant association with the target, and a node is a leaf if none is
// significant.
#pragma once

#include <span>

#include "categories/search.hpp"

namespace ramify {

/// Whether weights are counts of rows, i.e. all are integers; others are scaled to the number of
/// rows.
bool weights_are_counts(const Target& target);

/// Tests a column, by the rows that have a value in it: -log10 p as the score, or no split if it
/// varies too little to be tested. `categories` is a buffer for its sums.
Split test_by_ctree(const Training& training, const NodeColumn& column, bool are_counts,
                    CategorySums& categories);

/// Returns the columns that are significant after correction for multiple tests, the most
/// significant first, and at most as many as the plan tries; their score becomes that of the
/// adjusted p-value.
std::vector<Split> rank_by_ctree(const Plan& plan, std::span<const Split> found);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Conditional inference trees (Hothorn, Hornik, Zeileis 2006): the column is the one that depends
// most surely on what is learnt, by a permutation test, and a node is a leaf if none does.
#pragma once

#include <span>

#include "categories/search.hpp"

namespace ramify {

/// Does a weight say how often a row was seen? If all are whole numbers; others are scaled to the
/// number of rows.
bool weights_are_counts(const Target& target);

/// The test of a column, by the rows that have a value in it: -log10 p as the score, or no split if
/// it varies too little to be tested. `categories` is room for its sums.
Split test_by_ctree(const Training& training, const NodeColumn& column, bool are_counts,
                    CategorySums& categories);

/// The columns whose tests are significant though there are several, the surest first, and no more
/// than the plan tries; their score becomes that of the adjusted p.
std::vector<Split> rank_by_ctree(const Plan& plan, std::span<const Split> found);

}  // namespace ramify

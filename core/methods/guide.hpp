// SPDX-License-Identifier: BSD-3-Clause
// GUIDE (Loh 2009): chooses the column whose groups of values differ most in their classes, by
// chi-square tests of few groups, so that columns with many values have no advantage; the criterion
// chooses its cut.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "categories/search.hpp"

namespace ramify {

/// Tests a column: its chi-square, transformed to one degree of freedom, is the score. Missing
/// values are a group. `categories` is a buffer for its sums.
Split test_by_guide(const Training& training, const NodeColumn& column, bool are_counts,
                    CategorySums& categories);

/// Returns the columns by their tests, the largest first.
std::vector<Split> rank_by_guide(std::span<const Split> found);

/// Returns two columns that together separate the classes where neither does alone, if there are
/// such.
std::optional<std::pair<int, int>> find_interaction(const Training& training, const Node& node,
                                                    bool are_counts, std::span<const Split> found);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// GUIDE (Loh 2009): the column is the one whose groups of values differ most in their classes, by
// chi-square tests of few groups, so that columns with many values have no advantage; its cut is
// that of the criterion.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "categories/search.hpp"

namespace ramify {

/// The test of a column: its chi-square, brought to one degree of freedom, as the score. Missing
/// values are a group. `categories` is room for its sums.
Split test_by_guide(const Training& training, const NodeColumn& column, bool are_counts,
                    CategorySums& categories);

/// The columns by their tests, the largest first.
std::vector<Split> rank_by_guide(std::span<const Split> found);

/// Two columns that together tell the classes apart where none does alone, if there are such.
std::optional<std::pair<int, int>> find_interaction(const Training& training, const Node& node,
                                                    bool are_counts, std::span<const Split> found);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// QUEST (Loh, Shih 1997): the column is chosen by tests, its cut by discriminant analysis, so that
// columns with many values have no advantage.
#pragma once

#include <span>

#include "categories/search.hpp"

namespace ramify {

/// The tests of a column: analysis of variance or chi-square as the score, Levene's test as what
/// settles ties. `categories` is room for its sums.
Split test_by_quest(const Training& training, const NodeColumn& column, CategorySums& categories);

/// The smallest p of the first tests if it is significant; else that of Levene's tests if it is;
/// else the first again.
Split choose_by_quest(const Table& table, const Plan& plan, std::span<const Split> found);

/// The cut of the column that was chosen, or no split if it is not admissible.
Split cut_by_quest(const Training& training, const NodeColumn& column, Split split,
                   CategorySums& categories);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// QUEST (Loh, Shih 1997): tests choose the column, discriminant analysis its cut, so that columns
// with many values have no advantage.
#pragma once

#include <span>

#include "categories/search.hpp"

namespace ramify {

/// Tests a column: analysis of variance or chi-square as the score, Levene's test as the
/// tie-breaker. `categories` is a buffer for its sums.
Split test_by_quest(const Training& training, const NodeColumn& column, CategorySums& categories);

/// Chooses the smallest p-value of the first tests if it is significant; else that of Levene's
/// tests if it is; else the first again.
Split choose_by_quest(const Table& table, const Plan& plan, std::span<const Split> found);

/// Returns the cut of the chosen column, or no split if it is not admissible.
Split cut_by_quest(const Training& training, const NodeColumn& column, Split split,
                   CategorySums& categories);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// CHAID (Kass 1980): merges categories that do not differ, and splits the column whose groups
// differ most, by an adjusted chi-square test, into its groups.
#pragma once

#include "categories/search.hpp"

namespace ramify {

/// Returns the groups of one column, if they differ. `categories` is a buffer for its sums.
Split best_by_chaid(const Training& training, const NodeColumn& column, CategorySums& categories);

}  // namespace ramify

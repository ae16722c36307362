// SPDX-License-Identifier: BSD-3-Clause
// CHAID (Kass 1980): categories that do not differ are merged, and the column whose groups differ
// most, by an adjusted chi-square test, is split into them.
#pragma once

#include "categories/search.hpp"

namespace ramify {

/// The groups of one column, if they differ. `categories` is room for its sums.
Split best_by_chaid(const Training& training, const NodeColumn& column, CategorySums& categories);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// How columns of a table become search columns.
#pragma once

#include <span>

#include "optimal/problem.hpp"

namespace ramify::optimal {

/// With at most so many categories every way to divide them in two is a search column; with more,
/// one category against the others.
inline constexpr std::uint32_t max_subset_categories = 6;

/// Adds the search columns of all columns of a table. Those that divide the rows as an earlier one
/// does are left out, since they can do nothing that it cannot.
void add_columns(Problem& problem, const Table& table, std::span<const std::uint32_t> rows);

}  // namespace ramify::optimal

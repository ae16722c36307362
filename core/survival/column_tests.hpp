// SPDX-License-Identifier: BSD-3-Clause
// Columns that are chosen by a test: maximally selected rank statistics, and the linear statistic
// of conditional inference trees.
#pragma once

#include <cstdint>
#include <span>

#include "survival/search.hpp"

namespace ramify {

class ColumnTests {
 public:
  ColumnTests(const SurvivalSearch& search, const SearchedNode& node, const SurvivalSums& sums)
      : search_(search), node_(node), sums_(sums) {}

  /// ln of the lesser of the p-values of Lausen, Schumacher (1992) and Lausen et al. (1994).
  double log_p_of_cuts(std::uint32_t column, double best, const SearchRoom& room) const;
  /// The column of the least p-value, if that holds after Benjamini, Hochberg (1995).
  Split choose_by_p(std::span<const Split> found) const;
  /// The column whose linear statistic is the most significant, if it holds after Bonferroni.
  Split choose_by_statistic(std::span<const Split> found, SearchRoom& room) const;
  /// ln p of the linear statistic of a column.
  double log_p_of_column(std::uint32_t column) const;

 private:
  const SurvivalSearch& search_;
  const SearchedNode& node_;
  const SurvivalSums& sums_;
};

}  // namespace ramify

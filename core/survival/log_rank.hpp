// SPDX-License-Identifier: BSD-3-Clause
// The log-rank family as sums over the rows on the left, in whole numbers: U is additive, and V is
// the weight of a cut of a complete graph, V = sum over i left, j right of w_i w_j B(min(r_i,
// r_j)). See docs/design/log-rank.md.
#pragma once

#include <cstdint>
#include <vector>

#include "survival/node_times.hpp"
#include "survival/rules.hpp"
#include "util/wide.hpp"

namespace ramify {

/// A row: its score in steps, its rank and its weight.
struct LogRankRow {
  std::int64_t u;
  std::uint32_t rank, weight;
};

/// Of one rank r: B_r, and A_r = the sum over the rows of the node of w_j B(min(r, r_j)).
template <class Sum>
struct LogRankRank {
  std::uint64_t b;
  Sum a;
};

/// The terms of a node. Sums of scores of rows are in steps of `u_step`, V in steps of `v_step`,
/// with event times whose largest weight is `largest`.
struct LogRankNode {
  std::vector<LogRankRank<std::uint64_t>> ranks;  // if weights are whole
  std::vector<LogRankRank<Wide>> wide_ranks;      // if not
  Wide u = 0;                                     // of all rows: zero, but for rounding
  double u_step = 1, v_step = 1, largest = 1;

  bool is_wide() const { return !wide_ranks.empty(); }
  /// U^2 / V of a cut; minus infinity if its V is too small to be told from zero.
  double score(Wide u_left, double v) const;

  /// Writes what each row adds into its place of `rows`.
  void set(const TimeOrder& order, const NodeTimes& node, std::span<const std::uint32_t> node_rows,
           const SurvivalRules& rules, std::vector<LogRankRow>& rows);
};

}  // namespace ramify

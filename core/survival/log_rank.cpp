// SPDX-License-Identifier: BSD-3-Clause
#include "survival/log_rank.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "select/split.hpp"

namespace ramify {
namespace {

/// A is at most the cumulative hazard, which is below 22.1 for 2^31 rows: it fits 62 bits.
constexpr double b_steps = 0x1p57;
/// V below this is no variance.
constexpr double least_variance = 1e-12;

double magnitude(Wide x) { return to_double(x < 0 ? Wide{0} - x : x); }
std::uint64_t rounded(double x) { return static_cast<std::uint64_t>(std::nearbyint(x)); }

template <class Sum>
void add_up(const std::vector<std::uint64_t>& at_risk, std::vector<LogRankRank<Sum>>& ranks) {
  for (std::size_t k = 1; k < ranks.size(); ++k)
    ranks[k].a = ranks[k - 1].a +
                 static_cast<Sum>(ranks[k].b - ranks[k - 1].b) * static_cast<Sum>(at_risk[k - 1]);
}

}  // namespace

double LogRankNode::score(Wide u_left, double v) const {
  const double variance = v * v_step;
  if (!(variance * largest * largest > least_variance)) return minus_infinity;
  // Left less right, so that a cut and its mirror image have the same score to the bit.
  const double twice = magnitude(2 * u_left - u) * u_step;
  return twice * twice / (4 * variance);
}

void LogRankNode::set(const TimeOrder& order, const NodeTimes& node,
                      std::span<const std::uint32_t> node_rows, const SurvivalRules& rules,
                      std::vector<LogRankRow>& rows) {
  const std::size_t n_times = node.size();
  std::vector<double> weights = time_weights(node, rules);
  largest = n_times > 0 ? *std::ranges::max_element(weights) : 1;
  if (!(largest > 0)) largest = 1;
  for (double& w : weights) w /= largest;
  const auto n_units = static_cast<std::uint64_t>(std::nearbyint(node.total / order.unit));
  // The sums of weights that are not whole have room enough.
  const int u_bits = order.are_whole ? 56 - static_cast<int>(std::bit_width(n_units)) : 56;
  const double u_up = std::ldexp(1.0, u_bits);
  u_step = order.unit / u_up;
  v_step = order.unit * order.unit / b_steps;

  ranks.clear();
  wide_ranks.clear();
  // Prefix sums are rounded, not their terms, whose errors would add up.
  std::vector<std::uint64_t> b(n_times + 1, 0);
  std::vector<std::int64_t> shares(n_times + 1, 0), own(n_times + 1, 0);
  double b_sum = 0, share_sum = 0;
  for (std::size_t k = 0; k < n_times; ++k) {
    const double n = node.at_risk[k], d = node.events[k], w = weights[k];
    const double c = n > 1 ? std::max(0.0, d * (n - d) / (n - 1)) : 0;
    b_sum += w * w * c / (n * n);
    share_sum += w * d / n;
    b[k + 1] = rounded(b_sum * b_steps);
    shares[k + 1] = static_cast<std::int64_t>(std::nearbyint(share_sum * u_up));
    own[k + 1] = static_cast<std::int64_t>(std::nearbyint(w * u_up));
  }
  if (order.are_whole) {
    for (const std::uint64_t each : b) ranks.push_back({each, 0});
    add_up(node.units_at_risk, ranks);
  } else {
    for (const std::uint64_t each : b) wide_ranks.push_back({each, 0});
    add_up(node.units_at_risk, wide_ranks);
  }
  u = 0;
  for (std::size_t i = 0; i < node_rows.size(); ++i) {
    const std::uint32_t row = node_rows[i], rank = node.ranks[i], weight = order.weight[row];
    const std::int64_t each = (order.event[row] ? own[rank] : 0) - shares[rank];
    rows[row] = {each, rank, weight};
    u += static_cast<Wide>(each) * static_cast<Wide>(weight);
  }
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "survival/walk.hpp"

namespace ramify {
namespace {

/// Nodes of fewer event times need fewer groups for bounds as good.
constexpr std::size_t few_times = 4096;
constexpr int n_groups_of_few = 24;

}  // namespace

void TimeGroups::set(const LogRankNode& node, const std::vector<std::uint64_t>& units_at_risk) {
  const auto& ranks = node.ranks;
  const std::size_t n_times = ranks.size() - 1;
  const int most = n_times < few_times ? n_groups_of_few : max;
  // A grows by b times the weight at risk: in equal parts.
  const double part = static_cast<double>(ranks[n_times].a) / most;
  const double unit = node.v_step / (node.u_step * node.u_step);
  of_rank.resize(n_times + 1);
  n = 0;
  std::size_t begin = 0;
  of_rank[0] = 0;
  for (std::size_t rank = 1; rank <= n_times; ++rank) {
    const bool is_end = rank == n_times || n_times <= static_cast<std::size_t>(most) ||
                        static_cast<double>(ranks[rank].a) >= part * (n + 1);
    if (is_end && n < most) {
      b[n] = static_cast<float>(static_cast<double>(ranks[rank].b - ranks[begin].b) * unit);
      at_risk[n] = static_cast<float>(units_at_risk[rank - 1]);
      ++n;
      begin = rank;
    }
    of_rank[rank] = static_cast<std::uint8_t>(n);
  }
}

}  // namespace ramify

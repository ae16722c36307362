// SPDX-License-Identifier: BSD-3-Clause
#include "simd/pack.hpp"  // names the instruction set
#include "survival/levels.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

template <int depth>
std::uint32_t walk_levels(const WalkedList& list, const LogRankRow* rows,
                          const LogRankRank<std::uint64_t>* ranks, std::uint32_t n_times,
                          PrefixRoom& room, LogRankCut* cuts) {
  Levels<depth> levels(n_times, room);
  std::int64_t u = 0;
  std::uint64_t n_left = 0;
  Wide v = 0;
  std::uint32_t n_cuts = 0;
  walk_list(
      list,
      [&](std::uint32_t row) {
        const LogRankRow own = rows[row];
        u += own.u * own.weight;
        if (own.rank == 0) return;  // at risk at no event time
        const LogRankRank<std::uint64_t> rank = ranks[own.rank];
        std::uint64_t weight = 0, product = 0;
        levels.sum_up_to(own.rank - 1, weight, product);
        const std::uint64_t q = product + rank.b * (n_left - weight);
        const auto moved = static_cast<std::int64_t>(rank.a - own.weight * rank.b - 2 * q);
        v += static_cast<Wide>(moved) * static_cast<std::int64_t>(own.weight);
        levels.add(own.rank - 1, own.weight, own.weight * rank.b);
        n_left += own.weight;
      },
      [&](std::uint32_t place) { cuts[n_cuts++] = {u, to_double(v), place}; });
  return n_cuts;
}

std::uint32_t walk(const WalkedList& list, const LogRankRow* rows,
                   const LogRankRank<std::uint64_t>* ranks, std::uint32_t n_times, PrefixRoom& room,
                   LogRankCut* cuts) {
  if (n_times <= 1u << 4) return walk_levels<1>(list, rows, ranks, n_times, room, cuts);
  if (n_times <= 1u << 8) return walk_levels<2>(list, rows, ranks, n_times, room, cuts);
  if (n_times <= 1u << 12) return walk_levels<3>(list, rows, ranks, n_times, room, cuts);
  if (n_times <= 1u << 16) return walk_levels<4>(list, rows, ranks, n_times, room, cuts);
  if (n_times <= 1u << 20) return walk_levels<5>(list, rows, ranks, n_times, room, cuts);
  return walk_levels<8>(list, rows, ranks, n_times, room, cuts);
}

}  // namespace

extern const SurvivalKernels survival_table;
const SurvivalKernels survival_table = {.walk = walk};

}  // namespace ramify::RAMIFY_KERNELS

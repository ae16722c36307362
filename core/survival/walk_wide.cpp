// SPDX-License-Identifier: BSD-3-Clause
// The walk for weights that are not whole: the same sums in 128 bits, in the tree of Fenwick
// (1994).
#include "survival/walk.hpp"

namespace ramify {

std::uint32_t walk_wide(const WalkedList& list, const LogRankRow* rows,
                        const LogRankRank<Wide>* ranks, std::uint32_t n_times, PrefixRoom& room,
                        LogRankCut* cuts) {
  room.wide.assign(2 * (std::size_t{n_times} + 1), 0);
  Wide* sums = room.wide.data();  // weight and product by rank
  Wide u = 0, v = 0, n_left = 0;
  std::uint32_t n_cuts = 0;
  walk_list(
      list,
      [&](std::uint32_t row) {
        const LogRankRow own = rows[row];
        u += static_cast<Wide>(own.u) * static_cast<Wide>(own.weight);
        if (own.rank == 0) return;
        const LogRankRank<Wide> rank = ranks[own.rank];
        const Wide weight = own.weight, product = weight * static_cast<Wide>(rank.b);
        Wide below_weight = 0, below_product = 0;
        for (std::uint32_t at = own.rank; at > 0; at &= at - 1) {
          below_weight += sums[2 * at];
          below_product += sums[2 * at + 1];
        }
        const Wide q = below_product + static_cast<Wide>(rank.b) * (n_left - below_weight);
        v += weight * (rank.a - product - 2 * q);
        for (std::uint32_t at = own.rank; at <= n_times; at += at & (0u - at)) {
          sums[2 * at] += weight;
          sums[2 * at + 1] += product;
        }
        n_left += weight;
      },
      [&](std::uint32_t place) { cuts[n_cuts++] = {u, to_double(v), place}; });
  return n_cuts;
}

}  // namespace ramify

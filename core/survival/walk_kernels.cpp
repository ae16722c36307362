// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "simd/pack.hpp"  // names the instruction set
#include "simd/prefetch.hpp"
#include "survival/levels.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

/// How many rows ahead what is summed of them is fetched.
constexpr std::uint32_t rows_ahead = 12;

/// U and V of the rows on the left.
template <int depth>
class LogRankLeft {
 public:
  LogRankLeft(const LogRankRow* rows, const LogRankRank<std::uint64_t>* ranks,
              std::uint32_t n_times, PrefixRoom& room)
      : rows_(rows), ranks_(ranks), n_times_(n_times), levels_(n_times, room) {}

  void add(std::uint32_t row) {
    const LogRankRow own = rows_[row];
    u_ += own.u * own.weight;
    if (own.rank == 0) return;  // at risk at no event time
    const LogRankRank<std::uint64_t> rank = ranks_[own.rank];
    std::uint64_t weight = 0, product = 0;
    levels_.sum_up_to(own.rank - 1, weight, product);
    const std::uint64_t own_product = own.weight * rank.b;
    const std::uint64_t q = product + rank.b * (n_left_ - weight);
    const auto moved = static_cast<std::int64_t>(rank.a - own_product - 2 * q);
    v_ += static_cast<Wide>(moved) * static_cast<std::int64_t>(own.weight);
    levels_.add(own.rank - 1, own.weight, own_product);
    n_left_ += own.weight;
  }

  /// Starts with many rows at once, from their weights by rank.
  void start(std::int64_t u, const std::uint32_t* counts) {
    u_ = u;
    for (std::uint32_t rank = 1; rank <= n_times_; ++rank) n_left_ += counts[rank];
    std::uint64_t at_risk = n_left_;
    for (std::uint32_t rank = 1; rank <= n_times_; ++rank) {
      const std::uint64_t b = ranks_[rank].b - ranks_[rank - 1].b;
      // The weight at risk of the node, from A.
      const std::uint64_t all = b > 0 ? (ranks_[rank].a - ranks_[rank - 1].a) / b : at_risk;
      v_ += static_cast<Wide>(b) * static_cast<Wide>(at_risk * (all - at_risk));
      at_risk -= counts[rank];
    }
    levels_.fill(n_times_, counts + 1,
                 [&](std::uint32_t i) { return ranks_[i + std::size_t{1}].b; });
  }

  LogRankCut cut(std::uint32_t place) const { return {u_, to_double(v_), place}; }

 private:
  const LogRankRow* rows_;
  const LogRankRank<std::uint64_t>* ranks_;
  std::uint32_t n_times_;
  Levels<depth> levels_;
  std::int64_t u_ = 0;
  std::uint64_t n_left_ = 0;
  Wide v_ = 0;
};

template <int depth>
std::uint32_t walk_levels(const WalkedList& list, const LogRankRow* rows,
                          const LogRankRank<std::uint64_t>* ranks, std::uint32_t n_times,
                          PrefixRoom& room, LogRankCut* cuts) {
  LogRankLeft<depth> left(rows, ranks, n_times, room);
  const std::uint32_t mask = list.layout.row_mask(), end = std::min(list.n_valued, list.to);
  std::uint32_t i = 0, n_cuts = 0;
  if (list.from > n_times / 8) {  // to count is faster then
    std::int64_t u = 0;
    room.counts.assign(n_times + std::size_t{1}, 0);
    const auto count = [&](std::uint32_t item) {
      const LogRankRow& own = rows[item & mask];
      u += own.u * own.weight;
      room.counts[own.rank] += own.weight;
    };
    for (std::uint32_t j = list.n_valued; list.missing_left && j < list.n; ++j)
      count(list.items[j]);
    for (; i < list.from && i < end; ++i) count(list.items[i]);
    left.start(u, room.counts.data());
  } else if (list.missing_left) {
    for (std::uint32_t j = list.n_valued; j < list.n; ++j) left.add(list.items[j] & mask);
  }
  for (; i < end; ++i) {
    const std::uint32_t item = list.items[i];
    prefetch(rows + (list.items[std::min(i + rows_ahead, list.n - 1)] & mask));
    if ((item & FlagLayout::flag) && i >= list.from && list.is_cut(i)) cuts[n_cuts++] = left.cut(i);
    left.add(item & mask);
  }
  if (list.has_last_cut() && list.to > list.n_valued) cuts[n_cuts++] = left.cut(list.n_valued);
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

/// What floats may lose of V.
constexpr float kept = 1 - 1e-4F;

void bound(const WalkedList& list, const LogRankRow* rows, const TimeGroups& groups, std::int64_t u,
           std::vector<CutRange>& ranges) {
  const int n_groups = groups.n;
  std::uint32_t counts[TimeGroups::max + 1] = {};
  float at_start[TimeGroups::max] = {}, at_end[TimeGroups::max] = {};
  std::int64_t twice = -u;  // U on the left less U on the right
  const std::uint32_t mask = list.layout.row_mask();
  const std::uint8_t* of_rank = groups.of_rank.data();
  const auto add = [&](std::uint32_t item) {
    const LogRankRow& own = rows[item & mask];
    twice += 2 * own.u * own.weight;
    counts[of_rank[own.rank]] += own.weight;
  };
  /// A bound of the cuts since the last one, of which the largest |2 U_L - U| is given.
  const auto bound_of = [&](double largest, bool is_one) {
    std::uint32_t sum = 0;
    for (int g = n_groups; g-- > 0;) {
      sum += counts[g + 1];
      at_end[g] = static_cast<float>(sum);
    }
    const float* left = is_one ? at_end : at_start;
    float v = 0;
    for (int g = 0; g < n_groups; ++g) v += groups.b[g] * left[g] * (groups.at_risk[g] - at_end[g]);
    std::memcpy(at_start, at_end, sizeof(at_start));
    return static_cast<float>(largest * largest / 4) / (v * kept);
  };
  ranges.clear();
  const std::uint32_t n_before = list.missing_left ? list.n_missing() : 0;
  for (std::uint32_t j = list.n_valued; list.missing_left && j < list.n; ++j) add(list.items[j]);
  for (std::uint32_t i = 0; i < list.n_valued;) {
    const std::uint32_t n_left = i + n_before;
    const std::uint32_t size = std::clamp(std::min(n_left, list.n - n_left) / 12, 1u, 64u);
    const std::uint32_t end = std::min(i + size, list.n_valued), begin = i;
    std::int64_t high = 0;
    bool has_cut = false;
    for (; i < end; ++i) {
      const std::uint32_t item = list.items[i];
      prefetch(rows + (list.items[std::min(i + rows_ahead, list.n - 1)] & mask));
      if ((item & FlagLayout::flag) && list.is_cut(i)) {
        has_cut = true;
        high = std::max(high, twice < 0 ? -twice : twice);
      }
      if (i + 1 == end && has_cut)
        ranges.push_back({begin, end, bound_of(static_cast<double>(high), size == 1)});
      add(item);
    }
  }
  if (list.has_last_cut()) {
    const auto high = static_cast<double>(twice < 0 ? -twice : twice);
    ranges.push_back({list.n_valued, list.n_valued + 1, bound_of(high, true)});
  }
}

}  // namespace

extern const SurvivalKernels survival_table;
const SurvivalKernels survival_table = {.walk = walk, .bound = bound};

}  // namespace ramify::RAMIFY_KERNELS

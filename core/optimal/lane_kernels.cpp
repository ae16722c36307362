// SPDX-License-Identifier: BSD-3-Clause
// The walks for one instruction set. Sums of whole numbers are exact in any order, and formulas are
// the same operations on each lane, so that all sets give the same numbers.
#include <algorithm>
#include <cstring>

#include "optimal/lanes.hpp"
#include "simd/cut_lanes.hpp"

namespace ramify::optimal::RAMIFY_KERNELS {
namespace {

using ramify::RAMIFY_KERNELS::CutLanes;
using ramify::RAMIFY_KERNELS::CutMask;

/// Two answers. The second loses less than the first by the `value` of a row; with P the sum of it
/// over a prefix of a column, and A and B what the whole side loses by the first and by the second,
/// "first up to here, then second" loses B + P, "second, then first" A - P.
template <class T, class Row>
void walk_two(const CutWalk& walk) {
  using Lanes = CutLanes<T>;
  const auto* rows = static_cast<const Row*>(walk.rows);
  const Lanes zero = Lanes::spread(0);
  Lanes most_left = zero, least_left = zero, most_right = zero, least_right = zero;
  Lanes left = zero, all = zero;
  for (std::uint32_t j = 0; j < walk.n_columns; ++j) {
    const std::uint32_t* order = walk.order + j * walk.stride;
    left = all = zero;
    for (std::uint32_t i = 0, n = walk.n_rows; i < n; ++i) {
      const std::uint32_t entry = order[i];
      const Row row = rows[entry & ~run_end];
      const Lanes value = Lanes::spread(static_cast<T>(row.value));
      left = CutMask<T>(row.word).added(left, value);
      all = all + value;
      if (entry & run_end) {
        const Lanes right = all - left;
        most_left = larger(most_left, left);
        least_left = smaller(least_left, left);
        most_right = larger(most_right, right);
        least_right = smaller(least_right, right);
      }
    }
  }
  T sums[2][Lanes::n], most[2][Lanes::n], least[2][Lanes::n];
  left.store(sums[0]);
  (all - left).store(sums[1]);
  most_left.store(most[0]);
  most_right.store(most[1]);
  least_left.store(least[0]);
  least_right.store(least[1]);
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < Lanes::n; ++i) {
      const double first = (walk.total[side][i] + static_cast<double>(sums[side][i])) / 2;
      const double second = walk.total[side][i] - first;
      walk.leaf[side][i] = std::min(first, second);
      walk.stump[side][i] = std::min(second + static_cast<double>(least[side][i]),
                                     first - static_cast<double>(most[side][i]));
    }
}

/// Errors of several classes: the largest class of each prefix, walking up, and of what lies behind
/// it, walking down. Counts only grow, so that one comparison per row keeps the largest.
template <class T, class Row>
void walk_classes(const CutWalk& walk) {
  using Lanes = CutLanes<T>;
  const auto* rows = static_cast<const Row*>(walk.rows);
  const auto n_classes = static_cast<std::size_t>(walk.n_classes);
  const Lanes zero = Lanes::spread(0);
  std::byte* const counts = walk.room;  // a line of the left and one of the right side per class
  std::byte* const kept = counts + 2 * n_classes * sizeof(Lanes);
  Lanes best_left = zero, best_right = zero, top_left = zero, top_right = zero;
  const auto clear = [&] {
    for (std::size_t k = 0; k < 2 * n_classes; ++k) zero.store(counts + k * sizeof(Lanes));
    top_left = top_right = zero;
  };
  const auto add = [&](const Row& row) {
    std::byte* const line = counts + 2 * row.class_code * sizeof(Lanes);
    const Lanes value = Lanes::spread(static_cast<T>(row.value));
    const Lanes left = CutMask<T>(row.word).added(Lanes::load(line), value);
    const Lanes right = CutMask<T>(~row.word).added(Lanes::load(line + sizeof(Lanes)), value);
    left.store(line);
    right.store(line + sizeof(Lanes));
    top_left = larger(top_left, left);
    top_right = larger(top_right, right);
  };
  Lanes leaf_left = zero, leaf_right = zero;
  for (std::uint32_t j = 0; j < walk.n_columns; ++j) {
    const std::uint32_t* order = walk.order + j * walk.stride;
    clear();
    std::byte* end = kept;
    for (std::uint32_t i = 0; i < walk.n_rows; ++i) {
      add(rows[order[i] & ~run_end]);
      if (order[i] & run_end) {
        top_left.store(end);
        top_right.store(end + sizeof(Lanes));
        end += 2 * sizeof(Lanes);
      }
    }
    leaf_left = top_left;
    leaf_right = top_right;
    clear();
    for (std::uint32_t i = walk.n_rows; i-- > 0;) {
      if (order[i] & run_end) {
        end -= 2 * sizeof(Lanes);
        best_left = larger(best_left, Lanes::load(end) + top_left);
        best_right = larger(best_right, Lanes::load(end + sizeof(Lanes)) + top_right);
      }
      add(rows[order[i] & ~run_end]);
    }
  }
  T best[2][Lanes::n], leaf[2][Lanes::n];
  best_left.store(best[0]);
  best_right.store(best[1]);
  leaf_left.store(leaf[0]);
  leaf_right.store(leaf[1]);
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < Lanes::n; ++i) {
      walk.leaf[side][i] = walk.total[side][i] - static_cast<double>(leaf[side][i]);
      walk.stump[side][i] = walk.total[side][i] - static_cast<double>(best[side][i]);
    }
}

/// Errors that cost differently: what each answer loses, for the rows up to here and for the
/// others.
void walk_costs(const CutWalk& walk) {
  using Lanes = CutLanes<double>;
  const auto* rows = static_cast<const WeighedRow*>(walk.rows);
  const auto n_classes = static_cast<std::size_t>(walk.n_classes);
  std::byte* const now = walk.room;  // of the left and right side by answer, up to here and in all
  std::byte* const all = now + 2 * n_classes * sizeof(Lanes);
  const Lanes zero = Lanes::spread(0);
  const auto add = [&](std::byte* sums, const WeighedRow& row) {
    const CutMask<double> is_left(row.word), is_right(~row.word);
    const double* cost = walk.costs + row.class_code * n_classes;
    for (std::size_t k = 0; k < n_classes; ++k) {
      if (cost[k] == 0) continue;
      std::byte* const line = sums + 2 * k * sizeof(Lanes);
      const Lanes value = Lanes::spread(row.value * cost[k]);
      is_left.added(Lanes::load(line), value).store(line);
      is_right.added(Lanes::load(line + sizeof(Lanes)), value).store(line + sizeof(Lanes));
    }
  };
  for (std::size_t k = 0; k < 2 * n_classes; ++k) zero.store(all + k * sizeof(Lanes));
  for (std::uint32_t i = 0; i < walk.n_rows; ++i) add(all, rows[i]);
  Lanes leaf[2], best[2];
  for (std::size_t side = 0; side < 2; ++side) {
    leaf[side] = Lanes::load(all + side * sizeof(Lanes));
    for (std::size_t k = 1; k < n_classes; ++k)
      leaf[side] = smaller(leaf[side], Lanes::load(all + (2 * k + side) * sizeof(Lanes)));
    best[side] = leaf[side];
  }
  for (std::uint32_t j = 0; j < walk.n_columns; ++j) {
    const std::uint32_t* order = walk.order + j * walk.stride;
    for (std::size_t k = 0; k < 2 * n_classes; ++k) zero.store(now + k * sizeof(Lanes));
    for (std::uint32_t i = 0; i < walk.n_rows; ++i) {
      add(now, rows[order[i] & ~run_end]);
      if (!(order[i] & run_end)) continue;
      for (std::size_t side = 0; side < 2; ++side) {
        Lanes below = Lanes::load(now + side * sizeof(Lanes));
        Lanes above = Lanes::load(all + side * sizeof(Lanes)) - below;
        for (std::size_t k = 1; k < n_classes; ++k) {
          const std::size_t at = (2 * k + side) * sizeof(Lanes);
          const Lanes own = Lanes::load(now + at);
          below = smaller(below, own);
          above = smaller(above, Lanes::load(all + at) - own);
        }
        best[side] = smaller(best[side], below + above);
      }
    }
  }
  for (int side = 0; side < 2; ++side) {
    leaf[side].store(walk.leaf[side]);
    best[side].store(walk.stump[side]);
  }
}

/// Squared errors: a leaf loses what its squares sum to, less s s / n.
void walk_numbers(const CutWalk& walk) {
  using Lanes = CutLanes<double>;
  const auto* rows = static_cast<const NumberRow*>(walk.rows);
  const Lanes zero = Lanes::spread(0);
  // Without rows the sum is zero, too, and any weight will do.
  const Lanes least = Lanes::spread(1e-300);
  const auto score = [&](const Lanes& weight, const Lanes& sum) {
    return sum * sum / larger(weight, least);
  };
  Lanes weights[2] = {zero, zero}, sums[2] = {zero, zero};
  for (std::uint32_t i = 0; i < walk.n_rows; ++i) {
    const CutMask<double> is_left(rows[i].word), is_right(~rows[i].word);
    const Lanes weight = Lanes::spread(rows[i].weight), sum = Lanes::spread(rows[i].sum);
    weights[0] = is_left.added(weights[0], weight);
    weights[1] = is_right.added(weights[1], weight);
    sums[0] = is_left.added(sums[0], sum);
    sums[1] = is_right.added(sums[1], sum);
  }
  const Lanes leaf[2] = {score(weights[0], sums[0]), score(weights[1], sums[1])};
  Lanes best_left = leaf[0], best_right = leaf[1];
  for (std::uint32_t j = 0; j < walk.n_columns; ++j) {
    const std::uint32_t* order = walk.order + j * walk.stride;
    Lanes weight = zero, sum = zero, all_weight = zero, all_sum = zero;
    for (std::uint32_t i = 0; i < walk.n_rows; ++i) {
      const std::uint32_t entry = order[i];
      const NumberRow& row = rows[entry & ~run_end];
      const CutMask<double> is_left(row.word);
      const Lanes own_weight = Lanes::spread(row.weight), own_sum = Lanes::spread(row.sum);
      weight = is_left.added(weight, own_weight);
      sum = is_left.added(sum, own_sum);
      all_weight = all_weight + own_weight;
      all_sum = all_sum + own_sum;
      if (!(entry & run_end)) continue;
      const Lanes right_weight = all_weight - weight, right_sum = all_sum - sum;
      best_left = larger(best_left, score(weight, sum) + score(weights[0] - weight, sums[0] - sum));
      best_right = larger(best_right, score(right_weight, right_sum) +
                                          score(weights[1] - right_weight, sums[1] - right_sum));
    }
  }
  double best[2][Lanes::n], own[2][Lanes::n];
  best_left.store(best[0]);
  best_right.store(best[1]);
  leaf[0].store(own[0]);
  leaf[1].store(own[1]);
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < Lanes::n; ++i) {
      walk.leaf[side][i] = std::max(0.0, walk.total[side][i] - own[side][i]);
      walk.stump[side][i] = std::max(0.0, walk.total[side][i] - best[side][i]);
    }
}

}  // namespace

extern const LaneKernels kernels;
const LaneKernels kernels{walk_two<std::int16_t, SignedRow>,
                          walk_two<std::int32_t, SignedRow>,
                          walk_two<double, WeighedRow>,
                          walk_classes<std::int16_t, CountedRow>,
                          walk_classes<std::int32_t, CountedRow>,
                          walk_classes<double, WeighedRow>,
                          walk_costs,
                          walk_numbers};

}  // namespace ramify::optimal::RAMIFY_KERNELS

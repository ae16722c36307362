// SPDX-License-Identifier: BSD-3-Clause
// Extremely randomised trees of numbers: one random cut per column, so there is no need to walk.
#include <algorithm>

#include "split/each_block.hpp"

namespace ramify {

/// The best of one random cut per column. A cut parts a sorted list at one place, and the sums of
/// the shorter side tell those of the other: they are exact. Removes from `node.live` what turns
/// out constant.
Split Search::best_of_random(Node& node, std::span<const std::uint32_t> columns) const {
  const ItemLayout layout = store.layout();
  const std::uint32_t n = node.n_rows();
  const LeafLimits limits = tried_limits(plan);
  const double* marks = numbers->marks();
  const bool is_counted = numbers->n_marks() == 1;
  double left[2 * CutBlock::stride], scores[CutBlock::stride];
  NumberCall call = number_call(node.numbers, 0, node.sums.data());
  call.left = left;
  call.n_cuts = 1;
  Split best;
  std::vector<std::uint32_t> constant;
  for (const std::uint32_t column : columns) {
    const Column& info = table.columns[column];
    const std::uint64_t* items = store.list(static_cast<int>(column)) + node.begin;
    const std::uint32_t first_code = layout.code(items[0]), last_code = layout.code(items[n - 1]);
    if (first_code == last_code) {
      constant.push_back(column);
      continue;
    }
    const double threshold =
        random_threshold(info, static_cast<int>(column), node.key, first_code, last_code);
    const std::uint64_t* cut = std::partition_point(items, items + n, [&](std::uint64_t item) {
      return info.lower(layout.code(item)) <= threshold;
    });
    const auto n_left = static_cast<std::uint32_t>(cut - items);
    const std::uint32_t code = layout.code(cut[-1]);
    if (!limits.allow_rows(n_left, n) || info.upper(code) > threshold) continue;
    const bool is_left_shorter = n_left <= n - n_left;
    double weight = 0, sum = 0;
    for (const std::uint64_t* item = is_left_shorter ? items : cut;
         item != (is_left_shorter ? cut : items + n); ++item) {
      const std::size_t row = layout.row(*item);
      weight += is_counted ? 1 : marks[2 * row];
      sum += is_counted ? marks[row] : marks[2 * row + 1];
    }
    weight = is_left_shorter ? weight : node.sums[0] - weight;
    sum = is_left_shorter ? sum : node.sums[1] - sum;
    for (int i = 0; i < RAMIFY_KERNELS::pack_width; ++i) {  // packs read beyond the last cut
      left[i] = weight;
      left[CutBlock::stride + i] = sum;
    }
    plan.criterion.numeric->score(call, scores);
    const double score = scores[0];
    if (!(score > minus_infinity) || (best.exists() && !beats(score, best.best))) continue;
    best.column = static_cast<int>(column);
    best.score = best.best = score;
    best.threshold = threshold;
    best.code = code;
    best.next_code = layout.code(*cut);
    best.rows_left = n_left;
    best.share_left = weight / node.sums[0];
    best.is_optimal = false;
  }
  if (!constant.empty())
    std::erase_if(node.live, [&](std::uint32_t column) {
      return std::ranges::binary_search(constant, column);
    });
  return best;
}

}  // namespace ramify

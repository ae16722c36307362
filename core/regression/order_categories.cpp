// SPDX-License-Identifier: BSD-3-Clause
// Losses that need the order of the target values, for categorical columns.
#include <algorithm>
#include <numeric>

#include "regression/order_search.hpp"
#include "regression/pair_sums.hpp"
#include "select/judge.hpp"

namespace ramify {
namespace {

constexpr std::uint32_t no_category = 0xffffffffu;

}  // namespace

/// Lists the rows of a categorical column, category by category in the given sequence, and where
/// each ends; missing values apart.
void OrderSearch::list_categories(const NodeColumn& column, const CategorySums& categories,
                                  std::span<const std::uint32_t> sequence,
                                  OrderBuffers& order) const {
  std::vector<std::uint32_t> category_of(training_.column(column.number).n_codes() + 1,
                                         no_category);
  for (std::uint32_t i = 0; i < categories.size(); ++i) category_of[categories.code[i]] = i;
  std::vector<std::uint32_t> begin(categories.size());
  order.cut.clear();
  std::uint32_t n_rows = 0;
  for (const std::uint32_t i : sequence) {
    if (n_rows > 0) order.cut.push_back(n_rows);
    begin[i] = n_rows;
    n_rows += categories.rows[i];
  }
  order.rows.resize(n_rows);
  order.fixed.clear();
  order.absent.clear();
  order.category.assign(column.node.n_rows(), no_category);
  auto& others = column.channels.known_only ? order.absent : order.fixed;
  each_code(training_, column.node, column.number, [&](std::uint32_t row, std::uint32_t code) {
    const std::uint32_t i = category_of[code];
    if (i == no_category) return others.push_back(row);
    order.rows[begin[i]++] = row;
    order.category[regression_.place(row, 0)] = i;
  });
}

Split OrderSearch::best_of_categories(const NodeColumn& column, CategoryBuffers& categories,
                                      CutBuffers& cuts, OrderBuffers& order) const {
  CutBlock& block = cuts.start(column.channels.size());
  if (!start_subsets(training_, column, categories)) return Split::constant();
  const Subsets& subsets = categories.subsets;
  const auto only = subsets.only_order();
  // Places in the order, or the order of codes if there is none.
  std::vector<std::uint32_t> sequence(only.begin(), only.end());
  if (sequence.empty()) {
    sequence.resize(categories.sums.size());
    std::iota(sequence.begin(), sequence.end(), 0u);
  }
  list_categories(column, categories.sums, sequence, order);
  if (!only.empty()) {
    judge_cuts(column, order);
    judge_ties(column.channels, order);
  }
  const bool fixed_left = !order.fixed.empty() && is_left_named(training_.plan.missing);
  const auto verdict_on = [&](std::uint32_t number) -> Verdict {
    if (only.empty() || number >= order.cut.size())
      return judge_subset(column, subsets.left_of(number), fixed_left, order);
    // A subset has the first category on its left; the cut may have it on its right.
    const bool is_turned = !subsets.left_of(number)[sequence.front()];
    const int way = !order.fixed.empty() && fixed_left != is_turned;
    return {order.loss[way][number], order.tie[way][number]};
  };
  Judge judge(training_, column, {}, {});
  for (categories.subsets.next(block); block.n_cuts > 0; categories.subsets.next(block)) {
    for (int i = 0; i < block.n_cuts; ++i) {
      const auto [score, tie] = verdict_on(block.code[i]);
      cuts.scores[0][i] = score;
      cuts.ties[0][i] = tie;
    }
    judge.refuse(block, false, cuts.scores[0]);
    judge.offer_with_ties(block, cuts.scores[0], cuts.ties[0], nullptr, nullptr);
  }
  return judge.result();
}

/// Judges one subset of categories, by a pass over all rows.
OrderSearch::Verdict OrderSearch::judge_subset(const NodeColumn& column,
                                               std::span<const std::uint8_t> is_left,
                                               bool fixed_left, const OrderBuffers& order) const {
  const Node& node = column.node;
  const NodeChannels& channels = column.channels;
  const Target& target = training_.target;
  const double total = channels.outputs[0].total;
  Verdict verdict{0, 0};
  // -1 for rows that do not count.
  const auto side_of = [&](std::uint32_t row) {
    const std::uint32_t i = order.category[regression_.place(row, 0)];
    if (i != no_category) return is_left[i] ? 0 : 1;
    return channels.known_only ? -1 : fixed_left ? 0 : 1;
  };
  std::vector<double> sums[2];
  for (auto& side : sums) side.assign(channels.parent.size(), 0);
  for (const std::uint32_t row : regression_.rows_ascending(node, 0))
    if (const int side = side_of(row); side >= 0) regression_.add_row(row, sums[side]);
  for (std::size_t o = 0; o < channels.outputs.size(); ++o) {
    if (channels.outputs[o].n_present < 2) continue;
    const auto first = static_cast<std::size_t>(channels.outputs[o].first);
    const auto rows = regression_.rows_ascending(node, static_cast<int>(o));
    const auto ascending = regression_.ascending(node, static_cast<int>(o));
    double before[3] = {}, sum_before[3] = {}, quantile[3] = {};  // of both sides, and of all
    double pairs[3] = {};
    bool is_found[3] = {};
    double loss[3] = {};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int side = side_of(rows[i]);
      if (side < 0) continue;
      const double weight = target.weight_of(rows[i]);
      const double sum =
          target.weight.empty() ? ascending[i] : regression_.weighted(rows[i], static_cast<int>(o));
      for (const int j : {side, 2}) {
        if (is_of_pairs()) pairs[j] += weight * (ascending[i] * before[j] - sum_before[j]);
        if (is_found[j]) continue;
        const double all = j == 2 ? total : sums[j][first];
        if (!is_of_pairs() && before[j] + weight > weight_below(level(), all)) {
          is_found[j] = true;
          quantile[j] = ascending[i];
          continue;
        }
        before[j] += weight;
        sum_before[j] += is_of_pairs() ? weight * ascending[i] : sum;
      }
    }
    for (int j = 0; j < 3; ++j) {
      const double all = j == 2 ? total : sums[j][first];
      const double sum = j == 2 ? channels.parent[first + 1] : sums[j][first + 1];
      loss[j] = is_of_pairs() ? loss_of_pairs(pairs[j], all, unit_of_rows())
                              : pinball(level(), quantile[j], all, sum, before[j], sum_before[j]);
    }
    verdict.score += (loss[2] - loss[0] - loss[1]) * node.regression.outputs[o].fixed_point.scale;
    const double weight = sums[0][first];
    const double moved =
        sums[0][first + 1] - weight * (channels.parent[first + 1] / channels.parent[first]);
    verdict.tie += moved * moved / (weight * (total - weight));
  }
  verdict.score *= unit_of(column);
  return verdict;
}

}  // namespace ramify

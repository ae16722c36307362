// SPDX-License-Identifier: BSD-3-Clause
#include "regression/order_search.hpp"

#include <algorithm>
#include <numeric>

#include "regression/leaving.hpp"
#include "regression/pair_sums.hpp"
#include "select/judge.hpp"

namespace ramify {
namespace {

constexpr std::uint32_t no_category = 0xffffffffu;

}  // namespace

/// Lists the rows of a column by code, and where it may be cut. `codes` has those of a
/// low-cardinality or categorical column in the order in which their rows move; rows of other codes
/// stay apart. Empty for a sorted list, whose rows without a value stay apart.
void OrderSearch::list_rows(const NodeColumn& column, std::span<const std::uint32_t> codes,
                            OrderBuffers& order) const {
  order.rows.clear();
  order.fixed.clear();
  order.absent.clear();
  order.cut.clear();
  order.code.clear();
  const std::uint32_t n_codes = training_.column(column.number).n_codes();
  auto& others = column.channels.known_only ? order.absent : order.fixed;
  const auto add_code = [&](std::uint32_t code, std::size_t n_before) {
    if (n_before > 0) order.cut.push_back(static_cast<std::uint32_t>(n_before));
    order.code.push_back(code);
  };
  const auto each = [&](auto visit) { each_code(training_, column.node, column.number, visit); };
  if (codes.empty())
    return each([&](std::uint32_t row, std::uint32_t code) {
      if (code == n_codes) return others.push_back(row);
      if (order.code.empty() || order.code.back() != code) add_code(code, order.rows.size());
      order.rows.push_back(row);
    });
  std::vector<std::uint32_t> n_rows(n_codes + std::size_t{1}), place(n_rows.size(), no_category);
  each([&](std::uint32_t, std::uint32_t code) { ++n_rows[code]; });
  std::uint32_t n = 0;
  for (const std::uint32_t code : codes) {
    if (n_rows[code] > 0) add_code(code, n);
    place[code] = n;
    n += n_rows[code];
  }
  order.rows.resize(n);
  each([&](std::uint32_t row, std::uint32_t code) {
    if (place[code] == no_category)
      others.push_back(row);
    else
      order.rows[place[code]++] = row;
  });
}

/// The fraction of the node's loss that each cut removes, with the fixed rows on the right and, if
/// there are any, on the left.
void OrderSearch::judge_cuts(const NodeColumn& column, OrderBuffers& order) const {
  const Node& node = column.node;
  const NodeChannels& channels = column.channels;
  const std::size_t n_cuts = order.cut.size();
  const int n_ways = order.fixed.empty() ? 1 : 2;
  const bool is_monotonic = !training_.plan.monotonic.empty();
  const double unit = unit_of(column);
  for (int way = 0; way < n_ways; ++way) {
    order.loss[way].assign(n_cuts, 0);
    order.left_value[way].assign(n_cuts, 0);
    order.right_value[way].assign(n_cuts, 0);
  }
  for (std::size_t o = 0; o < channels.outputs.size(); ++o) {
    if (channels.outputs[o].n_present < 2) continue;
    const auto [centre, scale] = node.regression.outputs[o].fixed_point;
    Leaving leaving(regression_, training_.target, node, static_cast<int>(o),
                    training_.plan.criterion, order);
    for (int way = 0; way < n_ways; ++way) {
      const std::span<const std::uint32_t> none, fixed = order.fixed;
      std::vector<double>& loss = order.loss[way];
      leaving.run(way == 0 ? fixed : none, false, [&](std::size_t cut, const auto& quantile) {
        loss[cut] -= quantile.loss() * (unit * scale);
        if (o == 0 && is_monotonic) order.left_value[way][cut] = centre + scale * quantile.value();
      });
      const double whole =
          leaving.run(way == 0 ? none : fixed, true, [&](std::size_t cut, const auto& quantile) {
            loss[cut] -= quantile.loss() * (unit * scale);
            if (o == 0 && is_monotonic)
              order.right_value[way][cut] = centre + scale * quantile.value();
          });
      for (double& gain : loss) gain += whole * (unit * scale);
    }
  }
}

/// Ties are broken by the squared error. Its sums also yield the weights of the sides.
void OrderSearch::judge_ties(const NodeChannels& channels, OrderBuffers& order) const {
  const std::size_t n_cuts = order.cut.size();
  const int n_ways = order.fixed.empty() ? 1 : 2;
  const double total = channels.outputs[0].total;
  for (int way = 0; way < n_ways; ++way) order.tie[way].assign(n_cuts, 0);
  std::vector<double> left(channels.parent.size()), fixed(channels.parent.size());
  for (const std::uint32_t row : order.fixed) regression_.add_row(row, fixed);
  order.left_weight.resize(n_cuts);
  std::vector<double> mean(channels.parent.size());
  for (const auto& output : channels.outputs) {
    const auto k = static_cast<std::size_t>(output.first);
    mean[k] = channels.parent[k + 1] / channels.parent[k];
  }
  std::uint32_t at = 0;
  for (std::size_t cut = 0; cut < n_cuts; ++cut) {
    while (at < order.cut[cut]) regression_.add_row(order.rows[at++], left);
    order.left_weight[cut] = left[0];
    for (int way = 0; way < n_ways; ++way)
      for (const auto& output : channels.outputs) {
        const auto k = static_cast<std::size_t>(output.first);
        const double weight = left[k] + way * fixed[k], sum = left[k + 1] + way * fixed[k + 1];
        const double moved = sum - weight * mean[k];
        order.tie[way][cut] += moved * moved / (weight * (total - weight));
      }
  }
}

/// Copies cuts of the order into a block, from `first` on, with their scores.
void OrderSearch::fill_block(const Column& info, const OrderBuffers& order, std::size_t first,
                             CutBuffers& cuts) const {
  CutBlock& block = cuts.block;
  block.is_supplied = false;
  block.n_cuts =
      static_cast<int>(std::min<std::size_t>(CutBlock::capacity, order.cut.size() - first));
  for (int i = 0; i < block.n_cuts; ++i) {
    const std::size_t cut = first + static_cast<std::size_t>(i);
    block.rows_left[i] = order.cut[cut];
    block.code[i] = order.code[cut];
    block.next_code[i] = cut + 1 < order.code.size() ? order.code[cut + 1] : info.n_codes();
    block.left[i] = order.left_weight[cut];
    if (training_.plan.monotonic.empty()) continue;
    for (int way = 0; way < 2 && cut < order.loss[way].size(); ++way) {
      block.left[(1 + 2 * way) * CutBlock::stride + i] = order.left_value[way][cut];
      block.left[(2 + 2 * way) * CutBlock::stride + i] = order.right_value[way][cut];
    }
  }
  for (int way = 0; way < (order.fixed.empty() ? 1 : 2); ++way) {
    const auto from = static_cast<std::ptrdiff_t>(first);
    std::copy_n(order.loss[way].begin() + from, block.n_cuts, cuts.scores[way]);
    std::copy_n(order.tie[way].begin() + from, block.n_cuts, cuts.ties[way]);
  }
}

Split OrderSearch::best(const NodeColumn& column, CutBuffers& cuts, OrderBuffers& order) const {
  const Column& info = training_.column(column.number);
  std::vector<std::uint32_t> codes(info.is_low_cardinality() ? info.n_codes() : 0);
  std::iota(codes.begin(), codes.end(), 0u);
  list_rows(column, codes, order);
  // All values against the missing ones.
  if (!order.fixed.empty() && !order.rows.empty())
    order.cut.push_back(static_cast<std::uint32_t>(order.rows.size()));
  if (order.cut.empty()) return Split::constant();
  judge_cuts(column, order);
  const bool has_missing = !order.fixed.empty();
  double top = minus_infinity;
  for (int way = 0; way < (has_missing ? 2 : 1); ++way)
    top = std::max(top, std::ranges::max(order.loss[way]));
  if (top < cuts.to_beat) return {};  // an earlier column is better
  judge_ties(column.channels, order);
  cuts.missing.assign(column.channels.parent.size(), 0);
  for (const std::uint32_t row : order.fixed) regression_.add_row(row, cuts.missing);
  const auto n_missing = static_cast<std::uint32_t>(order.fixed.size());
  Judge judge(training_, column, {order.code.front(), order.code.back(), n_missing}, cuts.missing);
  // The weight on the left, then what the sides predict: missing values on the right, on the left.
  CutBlock& block = cuts.start(5);
  for (std::size_t first = 0; first < order.cut.size(); first += CutBlock::capacity) {
    fill_block(info, order, first, cuts);
    judge.refuse(block, false, cuts.scores[0]);
    if (has_missing) judge.refuse(block, true, cuts.scores[1]);
    judge.offer_with_ties(block, cuts.scores[0], cuts.ties[0],
                          has_missing ? cuts.scores[1] : nullptr, cuts.ties[1]);
  }
  return judge.result();
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
  std::vector<std::uint32_t> codes;
  for (const std::uint32_t i : sequence) codes.push_back(categories.sums.code[i]);
  list_rows(column, codes, order);
  if (!only.empty()) {
    judge_cuts(column, order);
    judge_ties(column.channels, order);
  }
  const bool fixed_left = !order.fixed.empty() && is_left_named(training_.plan.missing);
  OrderBuffers alone;
  const auto verdict_on = [&](std::uint32_t number) -> Verdict {
    if (only.empty() || number >= order.cut.size()) {
      const auto is_left = subsets.left_of(number);
      return judge_subset(
          column, [&](std::size_t group) { return is_left[sequence[group]] != 0; }, fixed_left,
          order, alone);
    }
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

/// Judges one subset of categories, whose rows move to the left as if they were the first of the
/// order. Its groups of rows end at the cuts.
template <class IsLeft>
OrderSearch::Verdict OrderSearch::judge_subset(const NodeColumn& column, IsLeft is_left,
                                               bool fixed_left, const OrderBuffers& order,
                                               OrderBuffers& alone) const {
  alone.fixed = order.fixed;
  alone.absent = order.absent;
  alone.rows.clear();
  for (const bool left : {true, false}) {
    auto first = order.rows.begin();
    for (std::size_t group = 0; group <= order.cut.size(); ++group) {
      const auto end =
          group < order.cut.size() ? order.rows.begin() + order.cut[group] : order.rows.end();
      if (is_left(group) == left) alone.rows.insert(alone.rows.end(), first, end);
      first = end;
    }
    if (left) alone.cut = {static_cast<std::uint32_t>(alone.rows.size())};
  }
  judge_ties(column.channels, alone);
  const int way = fixed_left && !order.fixed.empty();
  const std::span<const std::uint32_t> none, fixed = alone.fixed;
  Verdict verdict{0, alone.tie[way][0]};
  for (std::size_t o = 0; o < column.channels.outputs.size(); ++o) {
    if (column.channels.outputs[o].n_present < 2) continue;
    Leaving leaving(regression_, training_.target, column.node, static_cast<int>(o),
                    training_.plan.criterion, alone);
    double left = 0, right = 0;
    leaving.run(way == 0 ? fixed : none, false,
                [&](std::size_t, const auto& quantile) { left = quantile.loss(); });
    const double whole =
        leaving.run(way == 0 ? none : fixed, true,
                    [&](std::size_t, const auto& quantile) { right = quantile.loss(); });
    verdict.score += (whole - left - right) * column.node.regression.outputs[o].fixed_point.scale;
  }
  verdict.score *= unit_of(column);
  return verdict;
}

}  // namespace ramify

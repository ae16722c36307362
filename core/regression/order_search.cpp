// SPDX-License-Identifier: BSD-3-Clause
#include "regression/order_search.hpp"

#include <algorithm>

#include "regression/leaving.hpp"
#include "select/judge.hpp"

namespace ramify {

/// Lists the rows of a column by code, and where it may be cut; missing values apart.
void OrderSearch::list_rows(const NodeColumn& column, OrderBuffers& order) const {
  const Column& info = training_.column(column.number);
  const Store& store = training_.store;
  const Node& node = column.node;
  const std::uint32_t n = node.n_rows(), n_codes = info.n_codes();
  order.rows.clear();
  order.fixed.clear();
  order.absent.clear();
  order.cut.clear();
  order.code.clear();
  const auto add_code = [&](std::uint32_t code) {  // the rows so far have lower codes
    if (!order.rows.empty()) order.cut.push_back(static_cast<std::uint32_t>(order.rows.size()));
    order.code.push_back(code);
  };
  auto& without = column.channels.known_only ? order.absent : order.fixed;
  if (info.is_low_cardinality()) {
    const RecordView records = store.records(node.begin, node.end);
    const std::uint8_t* codes = records.codes + store.record_offset(column.number);
    order.start.assign(n_codes + 2, 0);
    for (std::uint32_t i = 0; i < n; ++i) ++order.start[codes[i * records.stride] + 1u];
    const std::uint32_t n_known = n - order.start[n_codes + 1];
    for (std::uint32_t code = 0; code < n_codes; ++code)
      if (order.start[code + 1] > 0) {
        if (!order.code.empty()) order.cut.push_back(order.start[code]);
        order.code.push_back(code);
        order.start[code + 1] += order.start[code];
      } else {
        order.start[code + 1] = order.start[code];
      }
    order.rows.resize(n_known);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t code = codes[i * records.stride];
      if (code == n_codes)
        without.push_back(records.rows[i]);
      else
        order.rows[order.start[code]++] = records.rows[i];
    }
  } else {
    const std::uint64_t* items = store.list(column.number) + node.begin;
    const ItemLayout layout = store.layout();
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t code = layout.code(items[i]), row = layout.row(items[i]);
      if (code == n_codes) {
        without.push_back(row);
        continue;
      }
      if (order.code.empty() || order.code.back() != code) add_code(code);
      order.rows.push_back(row);
    }
  }
  // All values against the missing ones.
  if (!order.fixed.empty() && !order.rows.empty())
    order.cut.push_back(static_cast<std::uint32_t>(order.rows.size()));
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
  list_rows(column, order);
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
    fill_block(training_.column(column.number), order, first, cuts);
    judge.refuse(block, false, cuts.scores[0]);
    if (has_missing) judge.refuse(block, true, cuts.scores[1]);
    judge.offer_with_ties(block, cuts.scores[0], cuts.ties[0],
                          has_missing ? cuts.scores[1] : nullptr, cuts.ties[1]);
  }
  return judge.result();
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/boost_block.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace ramify {
namespace {

constexpr std::size_t cache_local_pairs =
    2048;  // gathered at a time, so that they stay in the cache

/// Moves rows that go left before the others, keeping the order on both sides.
std::size_t partition_node(const BoostCodes& codes, std::uint32_t column, const std::uint8_t* bits,
                           std::span<std::uint32_t> rows, std::uint8_t* is_left,
                           std::uint32_t* right) {
  std::uint8_t goes[histogram_codes];
  for (std::size_t code = 0; code < histogram_codes; ++code)
    goes[code] = bits[code / 8] >> code % 8 & 1;
  const std::size_t n_left = boost_kernels().divide_rows(
      codes.codes + column, codes.n_columns, goes, {rows.data(), nullptr, 0, rows.size()}, is_left);
  std::size_t to_left = 0, to_right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t row = rows[i];
    rows[to_left] = row;  // its place was read before
    right[to_right] = row;
    to_left += is_left[i];
    to_right += !is_left[i];
  }
  std::copy_n(right, rows.size() - n_left, rows.data() + n_left);
  return n_left;
}

/// The rows of each node lie from `begin` to `end`.
struct BoostNodeRows {
  std::vector<std::uint32_t> begin, end;
};

/// Moves rows down to the nodes without children.
BoostNodeRows partition_indices(const BoostCodes& codes, const WaysView& ways,
                                const BoostOrder& order) {
  const std::size_t n = ways.column.size();
  BoostNodeRows found{std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n)};
  found.end[0] = static_cast<std::uint32_t>(order.n_sampled);
  std::unique_ptr<std::uint8_t[]> is_left;
  std::unique_ptr<std::uint32_t[]> right;
  for (std::size_t node = 0; node < n; ++node) {  // children come after their parents
    const std::int32_t child = ways.first_child[node];
    if (child < 0) continue;
    const std::uint32_t begin = found.begin[node], end = found.end[node];
    if (order.n_left[node] < 0) {
      if (!right) {
        is_left = std::make_unique_for_overwrite<std::uint8_t[]>(codes.n_rows + 1);
        right = std::make_unique_for_overwrite<std::uint32_t[]>(codes.n_rows + 1);
      }
      order.n_left[node] = static_cast<std::int32_t>(
          partition_node(codes, ways.column[node], ways.goes.data() + node * BoostWays::goes_bytes,
                         order.rows.subspan(begin, end - begin), is_left.get(), right.get()));
    }
    const std::uint32_t middle = begin + static_cast<std::uint32_t>(order.n_left[node]);
    found.begin[child] = begin;
    found.end[child] = found.begin[child + 1] = middle;
    found.end[child + 1] = end;
  }
  return found;
}

}  // namespace

void count_nodes(const BoostCodes& codes, const WaysView& ways, const BoostOrder& order,
                 const BoostCount& count) {
  const BoostNodeRows rows = partition_indices(codes, ways, order);
  const std::vector<ColumnBlock> blocks = column_blocks(codes.n_columns);
  const std::size_t slot_size = codes.n_columns * histogram_codes;
  const auto add = [&](std::size_t slot, const RowSpan& span) {
    const HistogramView histogram{
        count.sums.data() + slot * slot_size,
        count.counts.empty() ? nullptr : count.counts.data() + slot * slot_size};
    for (const ColumnBlock& block : blocks)
      histogram.add(codes.codes, codes.n_columns, block, span);
  };
  std::array<Pair, cache_local_pairs> pairs;
  for (std::size_t node = 0; node < ways.column.size(); ++node) {
    const std::uint32_t begin = rows.begin[node], end = rows.end[node];
    count.n_rows[node] += end - begin;
    if (!count.weight.empty() && ways.first_child[node] < 0)
      for (std::uint32_t i = begin; i < end; ++i) {
        const double weight = count.weight[order.rows[i]];
        count.node_weight[node] += count.unit == 1 ? weight : std::nearbyint(weight / count.unit);
      }
    const std::int32_t slot = count.slot_of_node[node];
    if (slot < 0) continue;
    if (node == 0 && order.n_sampled == codes.n_rows) {  // all rows, in their original order
      add(static_cast<std::size_t>(slot), {nullptr, count.pairs.data(), 0, codes.n_rows});
      continue;
    }
    for (std::uint32_t first = begin; first < end; first += cache_local_pairs) {
      const std::size_t size = std::min<std::size_t>(cache_local_pairs, end - first);
      const std::uint32_t* own = order.rows.data() + first;
      for (std::size_t i = 0; i < size; ++i) pairs[i] = count.pairs[own[i]];
      add(static_cast<std::size_t>(slot), {own, pairs.data(), 0, size});
    }
  }
}

void add_values(const BoostCodes& codes, const WaysView& ways, const BoostOrder& order,
                std::span<const double> values, std::span<double> scores) {
  const BoostNodeRows rows = partition_indices(codes, ways, order);
  for (std::size_t node = 0; node < ways.column.size(); ++node)
    for (std::uint32_t i = rows.begin[node]; i < rows.end[node] && ways.first_child[node] < 0; ++i)
      scores[order.rows[i]] += values[node];
  for (std::size_t i = order.n_sampled; i < codes.n_rows; ++i) {
    const std::uint32_t row = order.rows[i];
    std::int32_t node = 0;
    while (ways.first_child[node] >= 0) {
      const std::uint8_t code = codes.codes[row * codes.n_columns + ways.column[node]];
      const auto at = static_cast<std::size_t>(node) * BoostWays::goes_bytes + code / 8;
      node = ways.first_child[node] + !(ways.goes[at] >> code % 8 & 1);
    }
    scores[row] += values[node];
  }
}

}  // namespace ramify

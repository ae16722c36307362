// SPDX-License-Identifier: BSD-3-Clause
#include "boost/boost_block.hpp"

#include <cmath>
#include <vector>

namespace ramify {

void send_down(const BoostCodes& rows, const WaysView& ways, std::span<std::int32_t> node_of_row) {
  const std::int32_t* first_child = ways.first_child.data();
  const std::uint32_t* column = ways.column.data();
  const std::uint8_t* goes = ways.goes.data();
  const std::uint8_t* codes = rows.codes;
  for (std::size_t row = 0; row < rows.n_rows; ++row, codes += rows.n_columns) {
    const std::int32_t was = node_of_row[row], flip = was >> 31;  // all ones if it is not drawn
    std::int32_t node = was ^ flip;
    while (first_child[node] >= 0) {
      const std::uint8_t code = codes[column[node]];
      const auto at = static_cast<std::size_t>(node) * BoostWays::goes_bytes + code / 8;
      node = first_child[node] + !(goes[at] >> code % 8 & 1);
    }
    node_of_row[row] = node ^ flip;
  }
}

namespace {

/// The rows of each slot, in ascending order, and their pairs beside them.
struct SlotRows {
  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> rows;
  std::vector<Pair> pairs;

  SlotRows(std::span<const std::int32_t> node_of_row, const BoostCount& count)
      : begin(count.n_slots + 1) {
    for (const std::int32_t node : node_of_row)
      if (node >= 0 && count.slot_of_node[node] >= 0) ++begin[count.slot_of_node[node] + 1];
    for (std::size_t slot = 0; slot < count.n_slots; ++slot) begin[slot + 1] += begin[slot];
    rows.resize(begin.back());
    pairs.resize(begin.back());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t row = 0; row < node_of_row.size(); ++row) {
      const std::int32_t node = node_of_row[row];
      if (node < 0 || count.slot_of_node[node] < 0) continue;
      const std::size_t place = next[count.slot_of_node[node]]++;
      rows[place] = static_cast<std::uint32_t>(row);
      pairs[place] = count.pairs[row];
    }
  }
};

}  // namespace

void count_nodes(const BoostCodes& rows, std::span<const std::int32_t> node_of_row,
                 const BoostCount& count) {
  std::size_t n_drawn = 0;
  for (std::size_t row = 0; row < rows.n_rows; ++row) {
    const std::int32_t node = node_of_row[row];
    if (node < 0) continue;
    ++n_drawn;
    ++count.n_rows[node];
    if (!count.weight.empty())
      count.node_weight[node] +=
          count.unit == 1 ? count.weight[row] : std::nearbyint(count.weight[row] / count.unit);
  }
  const std::vector<ColumnBlock> blocks = column_blocks(rows.n_columns);
  const std::size_t slot_size = rows.n_columns * histogram_codes;
  const auto add = [&](std::size_t slot, const RowSpan& span) {
    for (const ColumnBlock& block : blocks) {
      const std::size_t at = slot * slot_size + block.first * histogram_codes;
      boost_kernels().add_rows(rows.codes + block.first, rows.n_columns, block.width, span,
                               count.sums.data() + at);
      if (!count.counts.empty())
        boost_kernels().count_rows(rows.codes + block.first, rows.n_columns, block.width, span,
                                   count.counts.data() + at);
    }
  };
  const bool is_root = count.slot_of_node.size() == 1 && n_drawn == rows.n_rows;
  if (is_root && count.n_slots == 1) return add(0, {nullptr, count.pairs.data(), 0, rows.n_rows});
  const SlotRows own(node_of_row, count);
  for (std::size_t slot = 0; slot < count.n_slots; ++slot) {
    const std::size_t begin = own.begin[slot], end = own.begin[slot + 1];
    if (begin < end) add(slot, {own.rows.data() + begin, own.pairs.data() + begin, 0, end - begin});
  }
}

}  // namespace ramify

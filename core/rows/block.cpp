// SPDX-License-Identifier: BSD-3-Clause
#include "rows/block.hpp"

#include <algorithm>

namespace ramify {

void route(const Block& block, std::span<const Route> routes, std::span<std::int32_t> node_of_row) {
  if (routes.empty()) return;
  std::vector<const Route*> of_node(static_cast<std::size_t>(routes.back().node) + 1);
  for (const Route& each : routes) of_node[static_cast<std::size_t>(each.node)] = &each;
  for (std::uint32_t row = 0; row < block.n_rows; ++row) {
    const auto node = static_cast<std::size_t>(node_of_row[row]);
    if (node >= of_node.size() || !of_node[node]) continue;
    const Route& way = *of_node[node];
    const std::uint8_t code =
        block.codes[row * block.n_columns + static_cast<std::size_t>(way.column)];
    node_of_row[row] = way.first_child + static_cast<std::int32_t>(way.branch[code]);
  }
}

void count(const Block& block, std::span<const std::int32_t> slot_of_row,
           std::span<const std::size_t> first_cell, std::size_t n_cells, std::size_t n_classes,
           std::span<std::int64_t> sums) {
  const std::size_t stride = n_classes + 1;
  for (std::uint32_t row = 0; row < block.n_rows; ++row) {
    const std::int32_t slot = slot_of_row[row];
    if (slot < 0) continue;
    const auto weight =
        block.weight ? static_cast<std::int64_t>(block.weight[row]) : std::int64_t{1};
    std::int64_t* of_slot = sums.data() + static_cast<std::size_t>(slot) * n_cells * stride;
    const std::uint8_t* codes = block.codes + row * block.n_columns;
    for (std::size_t j = 0; j < block.n_columns; ++j) {
      std::int64_t* cell = of_slot + (first_cell[j] + codes[j]) * stride;
      cell[block.classes[row]] += weight;
      ++cell[n_classes];
    }
  }
}

}  // namespace ramify

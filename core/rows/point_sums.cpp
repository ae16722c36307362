// SPDX-License-Identifier: BSD-3-Clause
#include "rows/point_sums.hpp"

#include <vector>

namespace ramify {

void add_points(const Block& block, const PointCount& what, std::span<std::int32_t> node_of_row,
                std::span<double> sums) {
  const Layout& layout = what.layout;
  const std::size_t d = layout.n_codes.size(), k = layout.n_classes_all;
  const std::size_t slot_size = what.slot_size(), first = what.first_cell();
  route(block, layout, what.ways, node_of_row);
  std::vector<double> point(d);
  for (std::size_t row = 0; row < block.n_rows; ++row) {
    if (node_of_row[row] < 0) continue;
    const std::int32_t slot = what.slot_of_node[static_cast<std::size_t>(node_of_row[row])];
    if (slot < 0) continue;
    const std::uint8_t* codes = block.byte_codes + row * d;
    const std::size_t label =
        block.label_bytes == 1   ? static_cast<const std::uint8_t*>(block.labels)[row]
        : block.label_bytes == 2 ? static_cast<const std::uint16_t*>(block.labels)[row]
                                 : static_cast<const std::uint32_t*>(block.labels)[row];
    const double* points = what.points.data() + static_cast<std::size_t>(slot) * layout.n_cells * k;
    const double weight = block.times(row);
    for (std::size_t j = 0; j < d; ++j)
      point[j] = weight * points[(layout.first_cell[j] + codes[j]) * k + label];
    double* own = sums.data() + static_cast<std::size_t>(slot) * slot_size;
    for (std::size_t c = what.begin; c < what.end; ++c) {
      double* to = own + ((layout.first_cell[c] + codes[c] - first) * k + label) * d;
      for (std::size_t j = 0; j < d; ++j) to[j] += point[j];
    }
  }
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Rows of a block as points: each code stands for a coordinate, by class, and the points of the
// rows that share a code are summed.
#pragma once

#include <span>

#include "rows/block.hpp"

namespace ramify {

struct PointCount {
  const Layout& layout;  // of low-cardinality columns and one output only
  const Ways& ways;
  std::span<const std::int32_t> slot_of_node;
  std::span<const double> points;    // [slot][cell][class]
  std::uint32_t begin = 0, end = 0;  // the columns by whose codes points are summed

  std::size_t first_cell() const { return layout.first_cell[begin]; }
  std::size_t n_cells() const {
    return (end == layout.n_codes.size() ? layout.n_cells : layout.first_cell[end]) - first_cell();
  }
  /// Number of values in a slot of the sums.
  std::size_t slot_size() const { return n_cells() * layout.n_classes_all * layout.n_codes.size(); }
};

/// Moves the rows of a block, and adds the points of those whose node has a slot to
/// [slot][cell][class][column]. Points are rounded so that sums are exact, in any order.
void add_points(const Block& block, const PointCount& what, std::span<std::int32_t> node_of_row,
                std::span<double> sums);

}  // namespace ramify

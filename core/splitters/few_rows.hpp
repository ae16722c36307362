// SPDX-License-Identifier: BSD-3-Clause
// A node of up to 16 rows and all that follows from it: its lists fit a register each, and the
// numbers of its rows another. Below such a node nothing is read from the lists any more.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "rows/sorted_lists.hpp"
#include "scan/sorted_scan.hpp"

namespace ramify {

class FewRows {
 public:
  static constexpr std::uint32_t max = FewScan::max_rows;

  explicit FewRows(std::size_t n_columns) : items_(n_columns * max + 2 * max) {}

  /// Numbers the rows of a node. `number_of` has room for every row of the lists.
  void read(const SortedLists& lists, const ListSegment& node,
            std::span<const std::uint32_t> columns, std::span<std::uint8_t> number_of) {
    std::uint8_t n = 0;
    lists.each_row(node, columns[0], 0, node.n_rows(), [&](std::uint32_t row) {
      rows_[n] = row;
      number_of[row] = n++;
    });
    for (const std::uint32_t column : columns) {
      const std::uint32_t* list = lists.items(node, column);
      std::uint8_t* to = items(column);
      for (std::uint32_t i = 0; i < node.n_rows(); ++i)
        to[i] = static_cast<std::uint8_t>(number_of[lists.layout().row(list[i])] |
                                          (list[i] & FlagLayout::flag ? FewScan::flag : 0));
    }
  }

  std::uint8_t* items(std::uint32_t column = 0) {
    return items_.data() + std::size_t{column} * max;
  }
  std::uint32_t number_at(std::uint32_t column, std::uint32_t place) const {
    return items_[std::size_t{column} * max + place] & FewScan::row_mask;
  }
  std::uint32_t row(std::uint32_t number) const { return rows_[number]; }
  /// Do two neighbours of a list differ?
  bool differ(std::uint32_t column, std::uint32_t place) const {
    return items_[std::size_t{column} * max + place] & FewScan::flag;
  }

 private:
  std::vector<std::uint8_t> items_;  // by column
  std::uint32_t rows_[max];
};

}  // namespace ramify

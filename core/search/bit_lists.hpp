// SPDX-License-Identifier: BSD-3-Clause
// Lists of a small node of a block once more, when its rows fit into a word: a node below it is a
// word of bits, and nothing is moved.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "search/bit_kernels.hpp"
#include "search/sampled_block.hpp"

namespace ramify {

/// Rows are numbered anew, and a list says them in order, a byte each. The items of a row that
/// counts several times are still side by side, and name the same bit.
class BitLists {
 public:
  static constexpr std::uint32_t max_items = 64;

  /// Takes the rows of a node; gives it as bits.
  std::uint64_t start(SampledBlock& block, ItemRange range, std::span<const std::uint32_t> columns,
                      std::size_t n_columns) {
    n_items_ = range.size();
    lists_.resize(n_columns);
    number_of_.resize(SampledBlock::max_rows);
    second_ = 0;
    const FlagLayout layout = block.layout();
    const std::uint16_t* items = block.items(columns[0], range.begin);
    std::uint32_t n_rows = 0, before = ~0u;
    for (std::uint32_t i = 0; i < n_items_; ++i) {
      const std::uint32_t row = layout.row(items[i]);
      if (row == before) continue;
      before = row;
      row_of_[n_rows] = items[i];
      number_of_[row] = static_cast<std::uint8_t>(n_rows);
      second_ |= std::uint64_t{layout.label(items[i])} << n_rows++;
    }
    for (const std::uint32_t column : columns) {
      items = block.items(column, range.begin);
      List& list = lists_[column];
      std::uint64_t flags = 0;
      for (std::uint32_t i = 0; i < n_items_; ++i) {
        list.order[i] = number_of_[layout.row(items[i])];
        flags |= std::uint64_t{(items[i] & FlagLayout::flag<std::uint16_t>) != 0} << i;
      }
      list.flags = flags;
    }
    return n_rows < 64 ? (std::uint64_t{1} << n_rows) - 1 : ~std::uint64_t{0};
  }

  /// Writes the cuts of a column in a node; gives their number.
  int sum_cuts(std::uint32_t column, std::uint64_t rows, double* left,
               std::uint32_t* items_left) const {
    const List& list = lists_[column];
    return bit_kernels().sum_cuts(
        {list.order.data(), list.flags, n_items_, rows, rows & second_, left, items_left});
  }

  /// A cut of a column in a node: the rows on its left, and the items beside it.
  struct Sides {
    std::uint64_t left;
    std::uint16_t last_left, first_right;
  };
  /// How often some rows count, and those of the second class.
  std::array<std::uint32_t, 2> count(std::uint32_t column, std::uint64_t rows) const {
    const auto n_items = [&](std::uint64_t own) {
      return static_cast<std::uint32_t>(
          std::popcount(bit_kernels().items_of(lists_[column].order.data(), n_items_, own)));
    };
    return {n_items(rows), n_items(rows & second_)};
  }
  Sides partition(std::uint32_t column, std::uint64_t rows, std::uint32_t items_left) const {
    const List& list = lists_[column];
    std::uint64_t items = bit_kernels().items_of(list.order.data(), n_items_, rows), left = 0;
    std::uint8_t row = 0;
    for (; items_left > 0; --items_left, items &= items - 1) {
      row = list.order[static_cast<std::size_t>(std::countr_zero(items))];
      left |= std::uint64_t{1} << row;
    }
    return {left, row_of_[row],
            row_of_[list.order[static_cast<std::size_t>(std::countr_zero(items))]]};
  }

 private:
  struct List {
    std::array<std::uint8_t, max_items> order{};
    std::uint64_t flags = 0;
  };
  std::uint32_t n_items_ = 0;
  std::vector<List> lists_;                        // by column
  std::vector<std::uint8_t> number_of_;            // of each row of the block
  std::array<std::uint16_t, max_items> row_of_{};  // and back, as items of the block
  std::uint64_t second_ = 0;                       // rows of the second class
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Training rows as sorted lists of small items, one list per column, without codes: an item holds
// whether its value differs from the previous one, its class and its row. A node is one segment of
// every list. Small nodes renumber their rows and have items of half the size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "rows/layout.hpp"
#include "simd/prefetch.hpp"
#include "util/parallel.hpp"

namespace ramify {

/// A node of flagged lists: the rows [begin, end), and how they are stored.
struct ListSegment {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t base = 0;  // where the numbering of rows starts, if items are short
  bool is_short = false;

  std::uint32_t n_rows() const { return end - begin; }
};

class SortedLists {
 public:
  /// Whether row and class leave a bit for the flag.
  static bool fit(const Target& target);

  SortedLists(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
              Pool& pool);

  FlagLayout layout(bool is_short) const { return is_short ? short_layout_ : layout_; }
  /// The items of a node in the list of a column: 16 bits each if they are short, else 32.
  void* items(const ListSegment& node, std::uint32_t column) const {
    std::uint32_t* list = lists_.get() + std::size_t{column} * n_;
    if (!node.is_short) return list + node.begin;
    return reinterpret_cast<std::uint16_t*>(list + node.base) + (node.begin - node.base);
  }
  std::uint32_t item(const ListSegment& node, const void* items, std::uint32_t place) const {
    return node.is_short ? static_cast<const std::uint16_t*>(items)[place]
                         : static_cast<const std::uint32_t*>(items)[place];
  }
  /// Returns the code of the row at a place of a list.
  std::uint32_t code(const ListSegment& node, std::uint32_t column, const void* items,
                     std::uint32_t place) const {
    return row_code(column, row_at(node, items, place));
  }
  std::uint32_t row_at(const ListSegment& node, const void* items, std::uint32_t place) const {
    const std::uint32_t row = layout(node.is_short).row(item(node, items, place));
    return node.is_short ? row_of_[node.base + row] : row;
  }
  std::uint32_t row_code(std::uint32_t column, std::uint32_t row) const {
    return code_of(column, in_table(row));
  }
  /// Weights of a node's rows, by the row numbers of its items; null if all weigh one.
  const double* weights(const ListSegment& node) const {
    return weight_ && node.is_short ? short_weight_.get() + node.base : weight_;
  }
  /// Prefetches the code of a row that is read soon.
  void prefetch_at(std::uint32_t column, std::uint32_t row) const {
    const CodePointer& codes = codes_[column];
    prefetch(static_cast<const char*>(codes.data) + std::size_t{in_table(row)} * codes.width);
  }
  /// Calls visit(number, row) for the rows at some places of a list: the row number of the item,
  /// and the row itself.
  template <class Visit>
  void each_row(const ListSegment& node, std::uint32_t column, std::uint32_t begin,
                std::uint32_t end, Visit visit) const {
    const std::uint32_t mask = layout(node.is_short).row_mask();
    const void* list = items(node, column);
    const auto* wide = static_cast<const std::uint32_t*>(list);
    const auto* half = static_cast<const std::uint16_t*>(list);
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t number = (node.is_short ? half[i] : wide[i]) & mask;
      visit(number, node.is_short ? row_of_[node.base + number] : number);
    }
  }
  /// Adds the weights of the rows at some places of a list to those of their classes.
  void add_classes(const ListSegment& node, std::uint32_t column, std::uint32_t begin,
                   std::uint32_t end, double* sums) const;
  /// Moves missing values, which lie at the end of a list, before the rows on the right of a cut.
  void move_missing(const ListSegment& node, std::uint32_t column, std::uint32_t cut,
                    std::uint32_t n_valued) {
    const auto rotate = [&](auto* list) {
      std::rotate(list + cut, list + n_valued, list + node.n_rows());
    };
    void* list = items(node, column);
    if (node.is_short)
      rotate(static_cast<std::uint16_t*>(list));
    else
      rotate(static_cast<std::uint32_t*>(list));
  }
  /// Returns how many of a node's rows have a value; missing values lie at the end.
  std::uint32_t n_valued(const ListSegment& node, std::uint32_t column) const;

  /// Maximum number of rows of a node with short items.
  std::uint32_t max_short() const { return max_short_; }
  /// Renumbers the rows of a node and halves its items in some columns.
  void shorten(ListSegment& node, std::span<const std::uint32_t> columns);

 private:
  std::uint32_t code_of(std::uint32_t column, std::uint32_t row) const {
    const CodePointer& codes = codes_[column];
    if (codes.width == 4) return static_cast<const std::uint32_t*>(codes.data)[row];
    if (codes.width == 2) return static_cast<const std::uint16_t*>(codes.data)[row];
    return static_cast<const std::uint8_t*>(codes.data)[row];
  }
  std::uint32_t in_table(std::uint32_t row) const { return is_complete_ ? row : rows_[row]; }
  struct CodePointer {
    const void* data;
    int width;
  };

  void fill(SortedRows& order, const Target& target, Pool& pool);

  const Table& table_;
  std::span<const std::uint32_t> rows_;
  std::uint32_t n_;
  bool is_complete_;  // all rows of the table, in their order
  FlagLayout layout_, short_layout_;
  std::uint32_t max_short_ = 0;
  std::vector<CodePointer> codes_;
  BigArrayOf<std::uint32_t> lists_;             // [column][place]
  std::unique_ptr<std::uint16_t[]> number_of_;  // of each row, in its small node
  std::unique_ptr<std::uint32_t[]> row_of_;     // and back
  const double* weight_ = nullptr;              // of each row; null if all weigh one
  std::unique_ptr<double[]> short_weight_;      // by row number, from the first of the node on
};

}  // namespace ramify

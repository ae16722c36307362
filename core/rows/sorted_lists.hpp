// SPDX-License-Identifier: BSD-3-Clause
// Training rows as sorted lists of small items, one list per column, without codes: an item holds
// whether its value differs from the previous one, its class and its row. A node is one segment of
// every list.
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

/// A node of flagged lists: the rows [begin, end).
struct ListSegment {
  std::uint32_t begin = 0, end = 0;

  std::uint32_t n_rows() const { return end - begin; }
};

class SortedLists {
 public:
  /// Whether row and class leave a bit for the flag.
  static bool fit(const Target& target);

  SortedLists(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
              Pool& pool);

  FlagLayout layout() const { return layout_; }
  /// The items of a node in the list of a column.
  std::uint32_t* items(const ListSegment& node, std::uint32_t column) const {
    return lists_.get() + std::size_t{column} * n_ + node.begin;
  }
  std::uint32_t row_at(const ListSegment& node, std::uint32_t column, std::uint32_t place) const {
    return layout_.row(items(node, column)[place]);
  }
  std::uint32_t row_code(std::uint32_t column, std::uint32_t row) const {
    return code_of(column, in_table(row));
  }
  /// Weights by row; null if all weigh one.
  const double* weights() const { return weight_; }
  /// Prefetches the code of a row that is read soon.
  void prefetch_at(std::uint32_t column, std::uint32_t row) const {
    const CodePointer& codes = codes_[column];
    prefetch(static_cast<const char*>(codes.data) + std::size_t{in_table(row)} * codes.width);
  }
  /// Calls visit(row) for the rows at some places of a list.
  template <class Visit>
  void each_row(const ListSegment& node, std::uint32_t column, std::uint32_t begin,
                std::uint32_t end, Visit visit) const {
    const std::uint32_t* list = items(node, column);
    for (std::uint32_t i = begin; i < end; ++i) visit(layout_.row(list[i]));
  }
  /// Adds the weights of the rows at some places of a list to those of their classes.
  void add_classes(const ListSegment& node, std::uint32_t column, std::uint32_t begin,
                   std::uint32_t end, double* sums) const;
  /// Moves missing values, which lie at the end of a list, before the rows on the right of a cut.
  void move_missing(const ListSegment& node, std::uint32_t column, std::uint32_t cut,
                    std::uint32_t n_valued) {
    std::uint32_t* list = items(node, column);
    std::rotate(list + cut, list + n_valued, list + node.n_rows());
  }
  /// Returns how many of a node's rows have a value; missing values lie at the end.
  std::uint32_t n_valued(const ListSegment& node, std::uint32_t column) const;

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
  FlagLayout layout_;
  std::vector<CodePointer> codes_;
  BigArrayOf<std::uint32_t> lists_;  // [column][place]
  const double* weight_ = nullptr;   // by row; null if all weigh one
};

}  // namespace ramify

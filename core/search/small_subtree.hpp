// SPDX-License-Identifier: BSD-3-Clause
// What grows from a small node by random cuts, all of it at once: a node is a word of bits, one per
// row, and nothing is moved. The loop is handed the nodes that have grown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "rows/layout.hpp"
#include "search/non_constant_columns.hpp"

namespace ramify {

/// A small tree; its first node is the one that it grows from.
struct SmallSubtree {
  static constexpr std::uint32_t max_rows = 64;

  struct Grown {
    int first_child = 0;  // the other one follows; 0: a leaf
    int column = -1;
    std::uint32_t n_rows = 0;
    double weight = 0;
    double threshold = 0, gain = 0;
  };
  std::vector<Grown> nodes;
  std::vector<double> statistics;  // of all nodes, as in a fragment
  std::size_t n_statistics = 0;

  void start(std::size_t n) {
    n_statistics = n;
    nodes.clear();
    nodes.reserve(2 * max_rows);
    statistics.resize(2 * max_rows * n);
  }
  /// Gives the place of a node, whose facts are to be written.
  int add(std::uint32_t n_rows, double weight) {
    nodes.push_back({.n_rows = n_rows, .weight = weight});
    return static_cast<int>(nodes.size()) - 1;
  }
  std::span<double> statistics_of(int place) {
    return std::span(statistics)
        .subspan(static_cast<std::size_t>(place) * n_statistics, n_statistics);
  }
};

/// A node of a twig that will be split.
struct SubtreeNode {
  std::uint64_t rows = 0, key = 0;
  int depth = 0, place = 0;
  NonConstantColumns::Range non_constant{};
};

/// The rows of a twig: the bits of a word, and what they have in each column side by side. A row
/// that counts several times has as many bits.
class SubtreeRows {
 public:
  /// Takes rows whose records have so many columns, of 1 (codes), 4 or 8 (numbers) bytes each.
  /// times_of(member) says how often a row counts; all together at most 64 times.
  template <class TimesOf>
  void start(std::span<const RowIndex> row_indices, const void* records, std::size_t n_columns,
             int width, TimesOf times_of) {
    width_ = static_cast<std::size_t>(width);
    if (turned_.size() < n_columns) turned_.resize(n_columns);
    if (values_.size() < n_columns * stride()) values_.resize(n_columns * stride());
    ++turn_;
    firsts_ = 0;
    n_lanes_ = 0;
    for (const RowIndex& row_index : row_indices) {
      const char* const record =
          static_cast<const char*>(records) + row_index.row * n_columns * width_;
      firsts_ |= std::uint64_t{1} << n_lanes_;
      for (std::uint32_t i = times_of(row_index); i > 0; --i) record_[n_lanes_++] = record;
    }
  }

  std::uint32_t n_lanes() const { return n_lanes_; }
  int width() const { return static_cast<int>(width_); }
  std::uint64_t all() const { return ~std::uint64_t{0} >> (64 - n_lanes_); }
  std::uint64_t firsts() const { return firsts_; }  // one bit of each row
  /// What the lanes have in a column.
  const void* column(std::uint32_t column) {
    char* const to = values_.data() + column * stride();
    if (turned_[column] != turn_) {
      turned_[column] = turn_;
      width_ == 1 ? turn<1>(column, to) : width_ == 4 ? turn<4>(column, to) : turn<8>(column, to);
    }
    return to;
  }

 private:
  std::size_t stride() const { return SmallSubtree::max_rows * width_; }
  template <std::size_t width>
  void turn(std::uint32_t column, char* to) const {
    for (std::uint32_t i = 0; i < n_lanes_; ++i)
      std::memcpy(to + i * width, record_[i] + column * width, width);
  }

  std::size_t width_ = 4;
  std::uint32_t n_lanes_ = 0;
  std::uint64_t firsts_ = 0;
  const char* record_[SmallSubtree::max_rows];  // of each lane
  std::vector<char> values_;                    // [column][lane]
  std::vector<std::uint64_t> turned_;           // by column: when it was last made
  std::uint64_t turn_ = 0;
};

}  // namespace ramify

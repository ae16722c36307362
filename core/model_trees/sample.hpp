// SPDX-License-Identifier: BSD-3-Clause
// The training rows of a model tree, in the order of what they hold, so that sums of doubles do not
// depend on the order of the table; and, by column, the rows of each node in the order of values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"

namespace ramify {

/// A run of places in every list of a sample: the rows of a node.
struct Segment {
  std::uint32_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// Where the rows of a node go.
struct Division {
  std::uint32_t column = 0;
  bool by_category = false;
  double threshold = 0;                 // of numbers: up to it left
  std::vector<std::uint8_t> is_left{};  // of each category
  bool missing_left = false;

  bool goes_left(double x) const {
    if (x != x) return missing_left;
    return by_category ? is_left[static_cast<std::size_t>(x)] != 0 : x <= threshold;
  }
};

class LineSample {
 public:
  LineSample(const Table& table, std::span<const std::uint32_t> rows, const Target& target);

  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(y.size()); }
  std::uint32_t n_columns() const { return static_cast<std::uint32_t>(x.size()); }
  Segment all() const { return {0, n_rows()}; }

  std::vector<double> y, weight;
  std::vector<double> times;  // the weights as whole numbers of `unit`, a power of two
  double unit = 1;
  std::vector<std::vector<double>> x;       // [column][row]: numbers or codes; NaN if missing
  std::vector<std::uint32_t> n_categories;  // 0: the column holds numbers
  double y_low, y_high;

  bool is_categorical(std::uint32_t column) const { return n_categories[column] > 0; }
  /// The rows of a node, in the order of content among those of a leaf.
  std::span<const std::uint32_t> rows(Segment node) const { return part(order_, node); }
  /// The rows of a node by ascending value, the missing ones last.
  std::span<const std::uint32_t> sorted(std::uint32_t column, Segment node) const {
    return part(sorted_[column], node);
  }
  double weight_of(Segment node) const;

  /// Reorders the lists of a node: first the rows that go left. Returns where the others begin.
  std::uint32_t divide(Segment node, const Division& division);

 private:
  static std::span<const std::uint32_t> part(const std::vector<std::uint32_t>& list, Segment node) {
    return std::span(list).subspan(node.begin, node.size());
  }
  std::vector<std::uint32_t> order_;
  std::vector<std::vector<std::uint32_t>> sorted_;
  std::vector<std::uint8_t> is_left_;
  std::vector<std::uint32_t> right_;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Histograms of nodes in 16-bit counts, by column, code and class, kept for waiting nodes: the
// counts of a child are those of its parent minus those of its sibling.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/table.hpp"

namespace ramify {

class NodeCells {
 public:
  /// Codes are padded to a multiple of `codes_at_once`; `stride` is that of classes.
  NodeCells(const Table& table, int stride, std::size_t codes_at_once) {
    for (const Column& column : table.columns) {
      const std::size_t n_codes = column.n_codes();
      first_.push_back(size_);
      size_ += (n_codes + codes_at_once - 1) / codes_at_once * codes_at_once *
               static_cast<std::size_t>(stride);
    }
    first_.push_back(size_);
    constexpr std::size_t max_bytes = std::size_t{1} << 24;
    max_ = std::max(std::size_t{2},
                    max_bytes / (sizeof(std::uint16_t) * std::max<std::size_t>(1, size_)));
  }

  /// Whether the counts of one more waiting node and of the current one fit.
  bool has_room() const { return all_.size() - free_.size() + 2 <= max_; }
  /// Returns a slot for the counts of a node, all zero.
  int take() {
    if (free_.empty()) {
      all_.emplace_back(new std::uint16_t[size_]());
      return static_cast<int>(all_.size()) - 1;
    }
    const int cells = free_.back();
    free_.pop_back();
    std::fill_n(of(cells, 0), size_, std::uint16_t{0});
    return cells;
  }
  /// Frees a slot.
  void give(int cells) { free_.push_back(cells); }

  /// [code][class] of a column.
  std::uint16_t* of(int cells, std::uint32_t column) {
    return all_[static_cast<std::size_t>(cells)].get() + first_[column];
  }
  std::size_t size_of(std::uint32_t column) const { return first_[column + 1] - first_[column]; }
  /// Number of counts of a node.
  std::size_t size() const { return size_; }

 private:
  std::vector<std::size_t> first_;  // of each column, and the end
  std::size_t size_ = 0, max_ = 0;
  std::vector<std::unique_ptr<std::uint16_t[]>> all_;
  std::vector<int> free_;
};

}  // namespace ramify

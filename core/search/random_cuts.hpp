// SPDX-License-Identifier: BSD-3-Clause
// The random cuts of a node by the values of its rows: one per column. Neither codes nor an order
// are needed.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "search/random_cut_kernels.hpp"
#include "select/judge.hpp"

namespace ramify {

/// Cuts are in the order of the columns. The target, `Adds`, says what is summed on their left.
class RandomCuts {
 public:
  struct NodeQuery {
    ValueRecords records;
    std::span<const RowIndex> row_indices;
    std::span<const std::uint32_t> columns;  // ascending
    std::uint64_t key;
  };
  template <class Adds>
  void find(const NodeQuery& node, const Adds& adds) {
    columns_.assign(node.columns.begin(), node.columns.end());
    make_room(node, n_channels(adds));
    for (std::size_t first = 0; first < size(); first = last_group_.end) {
      last_group_ = next_group(first);
      const auto columns = std::span(columns_).subspan(first, last_group_.end - first);
      const ValueRows rows{node.records, node.row_indices.data(),
                           static_cast<std::uint32_t>(node.row_indices.size()), columns,
                           last_group_.is_gathered ? values_.get() : nullptr};
      random_cut_kernels().find_ranges(rows, min_.data() + first, max_.data() + first);
      for (std::size_t j = first; j < last_group_.end; ++j)
        threshold_[j] = is_constant(j) ? std::numeric_limits<double>::quiet_NaN()
                                       : random_threshold(min_[j], max_[j],
                                                          static_cast<int>(columns_[j]), node.key);
      sum(rows, threshold_.data() + first, adds,
          {n_left_.data() + first, sums_.data() + first, size(), work_.data()});
    }
  }

  std::size_t size() const { return columns_.size(); }
  std::uint32_t column(std::size_t cut) const { return columns_[cut]; }
  bool is_constant(std::size_t cut) const { return !(min_[cut] < max_[cut]); }
  double threshold(std::size_t cut) const { return threshold_[cut]; }
  std::uint32_t n_left(std::size_t cut) const { return n_left_[cut]; }
  double left(std::size_t channel, std::size_t cut) const { return sums_[channel * size() + cut]; }
  std::size_t of_column(int column) const {
    return static_cast<std::size_t>(
        std::ranges::find(columns_, static_cast<std::uint32_t>(column)) - columns_.begin());
  }

  /// Partitions the rows of the node by the cut of a column; returns how many are on the left.
  std::uint32_t partition(const ValueRecords& records, std::span<RowIndex> row_indices,
                          std::size_t cut, RowIndex* spare) const {
    const bool is_known = last_group_.is_gathered && cut >= last_group_.begin;
    const char* const own = values_.get() + (cut - last_group_.begin) * value_bytes(records);
    return random_cut_kernels().partition({records, is_known ? own : nullptr, row_indices.data(),
                                           static_cast<std::uint32_t>(row_indices.size()),
                                           columns_[cut], threshold_[cut], spare});
  }

 private:
  /// Columns that are looked at together.
  struct Group {
    std::size_t begin = 0, end = 0;
    bool is_gathered = false;
  };
  Group next_group(std::size_t begin) const {
    const std::size_t bound = columns_[begin] + random_cut_kernels().n_together;
    std::size_t end = begin;
    while (end < size() && columns_[end] < bound) ++end;
    if (end - begin > ValueRows::max_gathered) return {begin, end, false};
    return {begin, std::min(size(), begin + ValueRows::max_gathered), true};
  }
  static std::size_t value_bytes(const ValueRecords& records) {
    return static_cast<std::size_t>(records.width);
  }
  static std::size_t n_channels(const ClassAdds& adds) {
    return static_cast<std::size_t>(adds.n_classes);
  }
  static std::size_t n_channels(const RegressionAdds&) { return 2; }
  static void sum(const ValueRows& rows, const double* thresholds, const ClassAdds& adds,
                  LeftSums left) {
    random_cut_kernels().sum_classes(rows, thresholds, adds, left);
  }
  static void sum(const ValueRows& rows, const double* thresholds, const RegressionAdds& adds,
                  LeftSums left) {
    random_cut_kernels().sum_regression(rows, thresholds, adds, left);
  }
  void make_room(const NodeQuery& node, std::size_t n_channels) {
    for (auto* const each : {&min_, &max_, &threshold_}) each->resize(size());
    n_left_.resize(size());
    sums_.resize(n_channels * size());
    work_.resize(n_channels * LeftSums::max_lanes);
    const std::size_t n_bytes =
        node.row_indices.size() * ValueRows::max_gathered * value_bytes(node.records);
    if (room_ < n_bytes) values_.reset(new char[room_ = n_bytes]);
  }

  std::vector<std::uint32_t> columns_, n_left_;
  std::vector<double> min_, max_, threshold_, sums_, work_;
  Group last_group_;
  std::unique_ptr<char[]> values_;  // of the last group, if they were gathered
  std::size_t room_ = 0;
};

}  // namespace ramify

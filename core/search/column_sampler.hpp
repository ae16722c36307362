// SPDX-License-Identifier: BSD-3-Clause
// Which columns a node looks at.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "util/rng.hpp"

namespace ramify {

/// Columns sampled without replacement: some at first, then one at a time for as long as none
/// admits a cut. What is sampled depends on the key of the node and on its non-constant columns
/// alone.
class ColumnSampler {
 public:
  /// `n_first` = 0: all at once. The columns are ascending.
  void fill(std::span<const std::uint32_t> non_constant, std::size_t n_first, std::uint64_t key) {
    columns_.assign(non_constant.begin(), non_constant.end());
    wanted_ = n_first == 0 || n_first >= non_constant.size() ? non_constant.size() : n_first;
    rng_ = Rng(key);
    sampled_ = 0;
    is_low_cardinality_ = non_constant.empty() || non_constant.back() < 64;
  }

  /// The next columns, ascending; none if all have been sampled.
  std::span<const std::uint32_t> draw() {
    const std::size_t first = sampled_;
    sampled_ = std::min(first + wanted_, columns_.size());
    wanted_ = 1;
    const auto sampled = std::span(columns_).subspan(first, sampled_ - first);
    if (sampled.size() == columns_.size()) return sampled;
    for (std::size_t i = first; i < sampled_; ++i)
      std::swap(columns_[i],
                columns_[i + rng_.below(static_cast<std::uint32_t>(columns_.size() - i))]);
    if (is_low_cardinality_)
      sort_bits(sampled);
    else
      std::ranges::sort(sampled);
    return sampled;
  }

 private:
  /// Sorts numbers below 64; without a branch: any would be a guess.
  static void sort_bits(std::span<std::uint32_t> columns) {
    std::uint64_t named = 0;
    for (const std::uint32_t column : columns) named |= std::uint64_t{1} << column;
    for (std::uint32_t& column : columns) {
      column = static_cast<std::uint32_t>(std::countr_zero(named));
      named &= named - 1;
    }
  }

  std::vector<std::uint32_t> columns_;
  std::size_t wanted_ = 0, sampled_ = 0;
  bool is_low_cardinality_ = false;
  Rng rng_{0};
};

}  // namespace ramify

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

/// Columns drawn without replacement: some at first, then one at a time for as long as none admits
/// a cut. What is drawn depends on the key of the node and on its live columns alone.
class Urn {
 public:
  /// `n_first` = 0: all at once. The columns are ascending.
  void fill(std::span<const std::uint32_t> live, std::size_t n_first, std::uint64_t key) {
    columns_.assign(live.begin(), live.end());
    wanted_ = n_first == 0 || n_first >= live.size() ? live.size() : n_first;
    rng_ = Rng(key);
    drawn_ = 0;
    is_narrow_ = live.empty() || live.back() < 64;
  }

  /// The next columns, ascending; none if all have been drawn.
  std::span<const std::uint32_t> draw() {
    const std::size_t first = drawn_;
    drawn_ = std::min(first + wanted_, columns_.size());
    wanted_ = 1;
    const auto drawn = std::span(columns_).subspan(first, drawn_ - first);
    if (drawn.size() == columns_.size()) return drawn;
    for (std::size_t i = first; i < drawn_; ++i)
      std::swap(columns_[i],
                columns_[i + rng_.below(static_cast<std::uint32_t>(columns_.size() - i))]);
    if (is_narrow_)
      sort_bits(drawn);
    else
      std::ranges::sort(drawn);
    return drawn;
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
  std::size_t wanted_ = 0, drawn_ = 0;
  bool is_narrow_ = false;
  Rng rng_{0};
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Which columns a node looks at.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "util/rng.hpp"

namespace ramify {

/// Columns drawn without replacement: some at first, then one at a time for as long as none admits
/// a cut. What is drawn depends on the key of the node and on its live columns alone.
class Urn {
 public:
  /// `n_first` = 0: all at once.
  void fill(std::span<const std::uint32_t> live, std::size_t n_first, std::uint64_t key) {
    columns_.assign(live.begin(), live.end());
    wanted_ = n_first == 0 || n_first >= live.size() ? live.size() : n_first;
    rng_ = Rng(key);
    drawn_ = 0;
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
    if (drawn.size() > few)
      std::ranges::sort(drawn);
    else
      insert_each(drawn);
    return drawn;
  }

 private:
  static constexpr std::size_t few = 16;
  /// Sorts a few.
  static void insert_each(std::span<std::uint32_t> columns) {
    for (std::size_t i = 1; i < columns.size(); ++i) {
      const std::uint32_t own = columns[i];
      std::size_t at = i;
      for (; at > 0 && columns[at - 1] > own; --at) columns[at] = columns[at - 1];
      columns[at] = own;
    }
  }

  std::vector<std::uint32_t> columns_;
  std::size_t wanted_ = 0, drawn_ = 0;
  Rng rng_{0};
};

}  // namespace ramify

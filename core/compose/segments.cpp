// SPDX-License-Identifier: BSD-3-Clause
#include "compose/segments.hpp"

#include <algorithm>

namespace ramify {
namespace {

constexpr std::uint32_t no_label = 0xffffffffu;

/// Counts the runs of the two sides of one cut, label by label.
struct Runs {
  std::uint32_t last[2] = {no_label, no_label};
  std::uint32_t n[2] = {0, 0};

  void meet(std::uint32_t side, std::uint32_t label) {
    n[side] += last[side] != label;
    last[side] = label;
  }
};

}  // namespace

SegmentCounts count_segments(const CodedColumn& column, std::span<const std::uint32_t> label,
                             int n_classes, std::span<const std::uint32_t> goes_left,
                             std::size_t n_cuts) {
  std::vector<Runs> runs(n_cuts);
  const auto k = static_cast<std::size_t>(n_classes);
  std::vector<std::uint32_t> seen(2 * k);  // among equal values: cuts, by side and label
  const std::size_t n = column.row.size();
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && column.code[end] == column.code[begin]) ++end;
    if (end - begin == 1) {
      const std::uint32_t row = column.row[begin], goes_right = ~goes_left[row];
      for (std::size_t c = 0; c < n_cuts; ++c) runs[c].meet(goes_right >> c & 1, label[row]);
      continue;
    }
    std::ranges::fill(seen, 0u);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = column.row[i];
      seen[label[row]] |= goes_left[row];
      seen[k + label[row]] |= ~goes_left[row];
    }
    for (std::uint32_t side = 0; side < 2; ++side)
      for (std::uint32_t y = 0; y < k; ++y)
        for (std::size_t c = 0; seen[side * k + y] != 0 && c < n_cuts; ++c)
          if (seen[side * k + y] >> c & 1) runs[c].meet(side, y);
  }
  SegmentCounts counts;
  for (const Runs& of_cut : runs) {
    counts.left.push_back(of_cut.n[0]);
    counts.right.push_back(of_cut.n[1]);
  }
  return counts;
}

}  // namespace ramify

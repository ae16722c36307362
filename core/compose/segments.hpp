// SPDX-License-Identifier: BSD-3-Clause
// Segments: runs of equal labels along the order of a column (Wang et al. 2015).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ramify {

/// The rows of a node in the order of one column, and the code of each; equal codes are equal
/// values.
struct CodedColumn {
  std::vector<std::uint32_t> row, code;
};

/// Segments on both sides of some cuts.
struct SegmentCounts {
  std::vector<std::uint32_t> left, right;
};

/// Up to this many cuts are counted in one pass.
inline constexpr std::size_t segment_cuts_at_once = 32;

/// Counts the runs along one column for several cuts at once; bit c of goes_left[row] says that cut
/// c sends the row to the left. Rows of equal value are ordered by their label.
SegmentCounts count_segments(const CodedColumn& column, std::span<const std::uint32_t> label,
                             int n_classes, std::span<const std::uint32_t> goes_left,
                             std::size_t n_cuts);

}  // namespace ramify

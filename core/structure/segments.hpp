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

/// Maximum number of cuts that are counted in one pass.
inline constexpr std::size_t segment_cuts_at_once = 32;

/// A row's label and sides: bit c of `goes_left` is set if cut c sends it to the left.
struct LabelledRow {
  std::uint32_t goes_left, label;
};

/// The minimum number of segments on both sides of some cuts, over the columns visited so far.
struct FewestSegments {
  std::vector<std::uint32_t> left, right;

  explicit FewestSegments(std::size_t n_cuts)
      : left(n_cuts, UINT32_MAX), right(n_cuts, UINT32_MAX) {}
};

/// Counts the runs along one more column for all cuts at once. Rows of equal value are ordered by
/// their label. Stops once the column has no fewer than others.
void count_segments(const CodedColumn& column, std::span<const LabelledRow> rows, int n_classes,
                    FewestSegments& fewest);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "structure/segments.hpp"

#include <algorithm>
#include <bit>

namespace ramify {
namespace {

/// The runs on both sides of all cuts, packed in the bits of words: those of the left sides in the
/// low bits, of the right sides in the high bits. `n_planes` words hold the last label of each run.
template <int n_planes>
class Runs {
 public:
  /// Adds a label to one side of some cuts.
  void meet(std::uint64_t where, std::uint32_t label) {
    std::uint64_t changed = 0;
    for (int p = 0; p < n_planes; ++p) {
      // One more than the label: all bits zero means that nothing has been seen yet.
      const std::uint64_t bits = std::uint64_t{0} - ((label + 1) >> p & 1);
      const std::uint64_t differs = (last_[p] ^ bits) & where;
      last_[p] ^= differs;
      changed |= differs;
    }
    for (std::uint64_t& plane : count_) {  // adds one where a run begins
      const std::uint64_t carry = plane & changed;
      plane ^= changed;
      changed = carry;
    }
  }

  /// Number of labels that can be added until the counters must be emptied.
  static constexpr int capacity = 15;

  /// Adds up and empties the counters; returns whether some side of a cut is still below its
  /// minimum.
  bool take(std::size_t n_cuts, std::uint32_t (&n)[2][segment_cuts_at_once],
            const FewestSegments& fewest) {
    bool is_open = false;
    for (std::size_t c = 0; c < n_cuts; ++c) {
      for (std::size_t p = 0; p < n_count_planes; ++p) {
        n[0][c] += static_cast<std::uint32_t>(count_[p] >> c & 1) << p;
        n[1][c] += static_cast<std::uint32_t>(count_[p] >> (c + segment_cuts_at_once) & 1) << p;
      }
      is_open = is_open || n[0][c] < fewest.left[c] || n[1][c] < fewest.right[c];
    }
    std::ranges::fill(count_, std::uint64_t{0});
    return is_open;
  }

 private:
  static constexpr std::size_t n_count_planes = 4;
  std::uint64_t last_[n_planes] = {};
  std::uint64_t count_[n_count_planes] = {};
};

std::uint64_t both_sides(std::uint32_t goes_left, std::uint32_t goes_right) {
  return goes_left | std::uint64_t{goes_right} << segment_cuts_at_once;
}

template <int n_planes>
void count_runs(const CodedColumn& column, std::span<const LabelledRow> rows, std::size_t k,
                FewestSegments& fewest) {
  const auto& [row, code] = column;
  const std::size_t n = row.size(), n_cuts = fewest.left.size();
  Runs<n_planes> runs;
  std::uint32_t counts[2][segment_cuts_at_once] = {};
  std::vector<std::uint64_t> seen(k);  // among equal values, by label
  int n_free = Runs<n_planes>::capacity;
  const auto meet = [&](std::uint64_t where, std::uint32_t label) {
    runs.meet(where, label);
    if (--n_free > 0) return true;
    n_free = Runs<n_planes>::capacity;
    return runs.take(n_cuts, counts, fewest);
  };
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    const LabelledRow first = rows[row[begin]];
    end = begin + 1;
    if (end == n || code[end] != code[begin]) {
      if (!meet(both_sides(first.goes_left, ~first.goes_left), first.label)) return;
      continue;
    }
    std::ranges::fill(seen, std::uint64_t{0});
    for (end = begin; end < n && code[end] == code[begin]; ++end) {
      const auto& [goes_left, label] = rows[row[end]];
      seen[label] |= both_sides(goes_left, ~goes_left);
    }
    for (std::uint32_t y = 0; y < k; ++y)
      if (seen[y] != 0 && !meet(seen[y], y)) return;
  }
  runs.take(n_cuts, counts, fewest);
  for (std::size_t c = 0; c < n_cuts; ++c) {
    fewest.left[c] = std::min(fewest.left[c], counts[0][c]);
    fewest.right[c] = std::min(fewest.right[c], counts[1][c]);
  }
}

}  // namespace

void count_segments(const CodedColumn& column, std::span<const LabelledRow> rows, int n_classes,
                    FewestSegments& fewest) {
  const auto k = static_cast<std::size_t>(n_classes);
  const int n_bits = std::bit_width(k);
  if (n_bits <= 2)
    count_runs<2>(column, rows, k, fewest);
  else if (n_bits <= 6)
    count_runs<6>(column, rows, k, fewest);
  else
    count_runs<32>(column, rows, k, fewest);
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The best tree of depth two: batches of cuts in one walk each.
#pragma once

#include <cstddef>
#include <vector>

#include "optimal/found.hpp"
#include "optimal/interval.hpp"

namespace ramify::optimal {

/// Memory that one search after the other uses.
class DepthTwo {
 public:
  /// Finds the best tree of depth two if it costs less than `limit`. Counts the cuts it scored.
  Found solve(const RowSet& rows, double limit, std::uint64_t& n_cuts);

 private:
  static constexpr int max_lanes = 32;
  struct Lane {
    std::uint32_t interval = 0, cut = 0;
    double leaf[2], stump[2];
  };

  void choose_kernel(const RowSet& rows);
  void choose_lanes(const RowSet& rows, std::size_t n_lanes);
  void walk(const RowSet& rows, bool with_whole);
  void write_words(const RowSet& rows, bool with_whole);
  double limited_cost(const RowSet& rows, const Lane& lane);

  void (*walk_)(const struct CutWalk&) = nullptr;
  int n_lanes_ = 0;
  std::vector<std::byte> rows_, room_;
  std::size_t row_size_ = 0;
  std::vector<Interval> open_, next_;
  std::vector<std::uint32_t> chosen_, ids_;
  std::vector<Lane> lanes_;
  Lane whole_;
  double total_[2][max_lanes], leaf_[2][max_lanes], stump_[2][max_lanes];
};

}  // namespace ramify::optimal

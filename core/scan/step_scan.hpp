// SPDX-License-Identifier: BSD-3-Clause
// Regression trees on sorted lists: the walk along a column, and nodes of few rows.
#pragma once

#include <bit>
#include <limits>

#include "rows/layout.hpp"
#include "scan/steps.hpp"
#include "simd/byte_partition.hpp"
#include "simd/floats.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Rows whose steps fit a sum of 32 bits.
inline constexpr std::uint32_t group = 16;
/// Rows whose running sums are written before they are read: vectors that were just written item by
/// item make the processor wait.
inline constexpr std::uint32_t block = 256;

inline void share_places(std::uint32_t n, std::uint32_t min, bool has_weights, float* shares) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  const auto total = static_cast<float>(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto left = static_cast<float>(static_cast<std::int32_t>(i));
    shares[i] = has_weights ? 1 : 1 / (left * (total - left));
  }
  for (std::uint32_t i = 0; i < min; ++i) shares[i] = none;
  for (std::uint32_t i = n - min + 1; i < n; ++i) shares[i] = none;
}

/// A walk along a list, a block of rows at a time: `next` writes running sums row by row, then cuts
/// are looked at a vector at a time.
template <bool has_weights, class Item>
class StepWalk {
 public:
  StepWalk(const StepScan& scan, const void* list)
      : scan_(scan), items_(static_cast<const Item*>(list)), n_whole_(scan.n / group * group) {
    for (std::uint32_t i = n_whole_; i < scan.n; ++i) last_[i - n_whole_] = items_[i];
  }

  /// Goes on to the next block; how many rows it has.
  std::uint32_t next() {
    begin_ += n_;
    n_ = scan_.n - begin_ < block ? scan_.n - begin_ : block;
    for (std::uint32_t i = 0; i < n_; i += group) {
      const Item* own = items_at(begin_ + i);
      before_[i / group] = static_cast<float>(deviation_);
      std::int32_t sum = 0;
      for (std::uint32_t j = i; j < i + group; ++j) {
        const std::uint32_t row = *own++ & scan_.row_mask;
        sums_[j] = sum;
        sum += scan_.steps[row];
        if constexpr (has_weights) {
          weights_[j] = weight_;
          weight_ += scan_.weight[row];
        }
      }
      deviation_ += sum;
    }
    return n_;
  }
  /// What cuts remove, from a place of the block on.
  FloatLanes removed(std::uint32_t i) const {
    const FloatLanes away = to_floats(load_lanes<IntegerLanes>(sums_ + i)) + before_[i / group];
    const FloatLanes removed = away * away * load_lanes<FloatLanes>(scan_.shares + begin_ + i);
    if constexpr (!has_weights) return removed;
    const FloatLanes left = to_floats(load_lanes<IntegerLanes>(weights_ + i));
    return removed / (left * (scan_.total - left));
  }
  /// Are there cuts? Below zero where items are flagged.
  IntegerLanes cuts(std::uint32_t i) const { return signs_of(items_at(begin_ + i)); }
  std::uint32_t place(std::uint32_t i) const { return begin_ + i; }

 private:
  const Item* items_at(std::uint32_t at) const {
    return at < n_whole_ ? items_ + at : last_ + (at - n_whole_);
  }

  const StepScan& scan_;
  const Item* items_;
  std::uint32_t n_whole_;  // rows of whole groups
  std::uint32_t begin_ = 0, n_ = 0;
  std::int64_t deviation_ = 0;
  std::int32_t weight_ = 0;
  float before_[block / group];
  alignas(64) std::int32_t sums_[block], weights_[has_weights ? block : 1];
  alignas(64) Item last_[group] = {};  // those behind them; then no cuts
};

template <bool has_weights, class Item>
float highest_peak(const StepScan& scan, const void* list) {
  StepWalk<has_weights, Item> walk(scan, list);
  FloatLanes top = FloatLanes{} - 1;
  while (const std::uint32_t n = walk.next())
    for (std::uint32_t i = 0; i < n; i += n_lanes) {
      const FloatLanes removed = walk.removed(i);
      top = (walk.cuts(i) < 0) & (removed > top) ? removed : top;
    }
  return highest(top);
}

template <class Item>
float peak_of(const StepScan& scan, const void* list) {
  const float peak =
      scan.weight ? highest_peak<true, Item>(scan, list) : highest_peak<false, Item>(scan, list);
  if (peak >= 0) return peak;
  const auto* items = static_cast<const Item*>(list);
  for (std::uint32_t i = 1; i < scan.n; ++i)
    if (items[i] & FlagLayout::flag<Item>) return peak;
  return std::numeric_limits<float>::quiet_NaN();
}

template <bool has_weights, class Item>
std::uint32_t write_near(const StepScan& scan, const void* list, float wanted,
                         std::uint32_t* places) {
  StepWalk<has_weights, Item> walk(scan, list);
  std::uint32_t n_near = 0;
  while (const std::uint32_t n = walk.next())
    for (std::uint32_t i = 0; i < n; i += n_lanes) {
      std::uint32_t near = bits_of_lanes((walk.cuts(i) < 0) & (walk.removed(i) >= wanted));
      for (; near; near &= near - 1)
        places[n_near++] = walk.place(i) + static_cast<std::uint32_t>(std::countr_zero(near));
    }
  return n_near;
}

template <class Item>
std::uint32_t near_of(const StepScan& scan, const void* list, float wanted, std::uint32_t* places) {
  return scan.weight ? write_near<true, Item>(scan, list, wanted, places)
                     : write_near<false, Item>(scan, list, wanted, places);
}

/// Calls use(place, scores) for the cuts of a small list, a pack at a time: NaN where no cut is
/// admissible. Lane i is the cut behind item i.
template <bool has_weights, class Use>
void score_few(const FewScan& scan, std::uint32_t column, Use use) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  constexpr double at_flag[2] = {none, 0};
  const std::uint8_t* items = scan.items + std::size_t{column} * FewScan::max_rows;
  alignas(64) double left[FewScan::max_rows], sums[FewScan::max_rows];
  double weight = 0, sum = 0;
  for (std::uint32_t i = 0; i < scan.n; i += pack_width)
    for (std::uint32_t j = i; j < i + pack_width; ++j) {
      const std::uint32_t row = items[j] & FewScan::row_mask;
      sum += scan.sums[row];
      sums[j] = sum + at_flag[items[j + 1] >> 7];
      if constexpr (has_weights) left[j] = weight += scan.weight[row];
    }
  for (std::uint32_t i = 0; i < scan.n; i += pack_width) {
    Pack own = load<Pack>(scan.places + i);
    if constexpr (has_weights) own += load<Pack>(left + i);
    const Pack moved = load<Pack>(sums + i) - own * scan.mean;
    use(i, moved * moved / (own * (scan.total - own)) * scan.factor);
  }
}

template <bool has_weights>
double top_of_few(const FewScan& scan, std::uint32_t column) {
  Pack top = spread<Pack>(-std::numeric_limits<double>::infinity());
  score_few<has_weights>(scan, column,
                         [&](std::uint32_t, Pack scores) { top = larger(scores, top); });
  double highest = top[0];
  for (int i = 1; i < pack_width; ++i) highest = top[i] > highest ? top[i] : highest;
  if (highest >= 0) return highest;
  const std::uint8_t* items = scan.items + std::size_t{column} * FewScan::max_rows;
  for (std::uint32_t i = 1; i < scan.n; ++i)
    if (items[i] & FewScan::flag) return highest;
  return std::numeric_limits<double>::quiet_NaN();
}

inline void top_few(const FewScan& scan, const std::uint32_t* columns, std::size_t n_columns,
                    double* tops) {
  for (std::size_t j = 0; j < n_columns; ++j)
    tops[j] =
        scan.weight ? top_of_few<true>(scan, columns[j]) : top_of_few<false>(scan, columns[j]);
}

inline void score_few_cuts(const FewScan& scan, std::uint32_t column, double* scores) {
  const auto write = [&](std::uint32_t i, Pack own) { store(scores + i, own); };
  scan.weight ? score_few<true>(scan, column, write) : score_few<false>(scan, column, write);
}

inline void partition_few(const FewPartition& part, const std::uint32_t* columns,
                          std::size_t n_columns) {
  const BytePartition partition(part.left, part.n);
  for (std::size_t j = 0; j < n_columns; ++j)
    partition.run(part.items + std::size_t{columns[j]} * FewScan::max_rows);
}

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Numbers in flagged lists item by item, for any processor.
#pragma once

#include <cmath>
#include <limits>

#include "rows/layout.hpp"
#include "scan/steps.hpp"
#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {

inline void share_places(std::uint32_t n, std::uint32_t min, float* shares) {
  const auto total = static_cast<float>(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto left = static_cast<float>(static_cast<std::int32_t>(i));
    shares[i] = 1 / (left * (total - left));
  }
  for (std::uint32_t i = 0; i < min; ++i) shares[i] = -1;
  for (std::uint32_t i = n - min + 1; i < n; ++i) shares[i] = -1;
}

/// Calls visit(rows on the left, at most, at least) for the admissible cuts of a list: what each
/// takes away. Are there no cuts at all?
template <class Item, class Visit>
bool each_cut_in_steps(const StepScan& scan, const void* list, Visit visit) {
  const auto* items = static_cast<const Item*>(list);
  const std::uint32_t last = scan.n - scan.min;
  std::int64_t deviation = 0, weight = 0;
  bool is_constant = true;
  for (std::uint32_t i = 0; i < scan.n; ++i) {
    const Item item = items[i];
    if (i > 0 && (item & FlagLayout::flag<Item>)) {
      is_constant = false;
      if (i >= scan.min && i <= last) {
        const float left = static_cast<float>(scan.weight ? weight : i);
        const float away = std::abs(static_cast<float>(deviation));
        const float share = 1 / (left * (scan.total - left));
        const float min = away > scan.slack ? away - scan.slack : 0, max = away + scan.slack;
        visit(i, max * max * share, min * min * share);
      }
    }
    const std::uint32_t row = item & scan.row_mask;
    deviation += scan.steps[row];
    if (scan.weight) weight += scan.weight[row];
  }
  return is_constant;
}

template <class Item>
StepPeak peak_of(const StepScan& scan, const void* list) {
  StepPeak peak;
  peak.is_constant = each_cut_in_steps<Item>(scan, list, [&](std::uint32_t, float max, float min) {
    peak.max = max > peak.max ? max : peak.max;
    peak.min = min > peak.min ? min : peak.min;
  });
  return peak;
}

template <class Item>
std::uint32_t near_of(const StepScan& scan, const void* list, float wanted, std::uint32_t* places) {
  std::uint32_t n = 0;
  each_cut_in_steps<Item>(scan, list, [&](std::uint32_t place, float max, float) {
    if (max >= wanted) places[n++] = place;
  });
  return n;
}

/// The scores of all places of a small list; those that are no admissible cuts are given minus
/// infinity. Is there no cut at all?
inline bool score_few(const FewScan& scan, std::uint32_t column, double* scores) {
  const std::uint8_t* items = scan.items + std::size_t{column} * FewScan::max_rows;
  double left = 0, sum = 0;
  bool is_constant = true;
  for (std::uint32_t i = 1; i < scan.n; ++i) {
    const std::uint32_t row = items[i - 1] & FewScan::row_mask;
    left += scan.weight[row];
    sum += scan.sums[row];
    const bool is_cut = items[i] & FewScan::flag;
    is_constant = is_constant && !is_cut;
    const double moved = sum - left * scan.mean;
    const double score = moved * moved / (left * (scan.total - left)) * scan.factor;
    const bool is_allowed = is_cut && i >= scan.min && scan.n - i >= scan.min;
    scores[i - 1] = is_allowed ? score : -std::numeric_limits<double>::infinity();
  }
  return is_constant;
}

inline void top_few(const FewScan& scan, const std::uint32_t* columns, std::size_t n_columns,
                    double* tops) {
  double scores[FewScan::max_rows];
  for (std::size_t j = 0; j < n_columns; ++j) {
    const bool is_constant = score_few(scan, columns[j], scores);
    double top = -std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i + 1 < scan.n; ++i) top = scores[i] > top ? scores[i] : top;
    tops[j] = is_constant ? std::numeric_limits<double>::quiet_NaN() : top;
  }
}

inline void score_few_cuts(const FewScan& scan, std::uint32_t column, double* scores) {
  score_few(scan, column, scores);
}

inline void partition_few(const FewPartition& part, const std::uint32_t* columns,
                          std::size_t n_columns) {
  for (std::size_t j = 0; j < n_columns; ++j) {
    std::uint8_t* items = part.items + std::size_t{columns[j]} * FewScan::max_rows;
    std::uint8_t spare[FewScan::max_rows];
    std::uint32_t left = 0, right = 0;
    std::uint8_t flag_left = 0, flag_right = 0;  // of the items that went to the other side
    for (std::uint32_t i = 0; i < part.n; ++i) {
      const std::uint8_t item = items[i], flag = item & FewScan::flag;
      if (part.left >> (item & FewScan::row_mask) & 1) {
        items[left++] = item | flag_left;
        flag_left = 0;
        flag_right |= flag;
      } else {
        spare[right++] = item | flag_right;
        flag_right = 0;
        flag_left |= flag;
      }
    }
    for (std::uint32_t i = 0; i < right; ++i) items[left + i] = spare[i];
  }
}

}  // namespace ramify::RAMIFY_KERNELS

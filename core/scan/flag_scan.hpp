// SPDX-License-Identifier: BSD-3-Clause
// Flagged lists item by item, for any processor.
#pragma once

#include <cmath>
#include <cstring>

#include "scan/flags.hpp"
#include "scan/kernels.hpp"

namespace ramify::RAMIFY_KERNELS {

/// The same as passes_two, below, for two classes whose rows have different weights. The rest of
/// the node may be a tiny difference of sums: it is taken lower by all that these may have lost.
inline void passes_two_weights(const std::int32_t* rows_left, const std::int32_t* second_left,
                               int n_cuts, const DeviationFilter& filter, std::uint8_t* passes) {
  const float first_weight = filter.weight[0], second_weight = filter.weight[1];
  const float share = filter.share[1], slack = filter.slack, total = filter.total - filter.slack;
  const float min = filter.min / filter.both;
  for (int i = 0; i < n_cuts; ++i) {
    const float second = static_cast<float>(second_left[i]) * second_weight;
    const float n_left = static_cast<float>(rows_left[i] - second_left[i]) * first_weight + second;
    const float deviation = second - n_left * share;
    const float max = (deviation < 0 ? -deviation : deviation) + slack;
    const float n_right = total > n_left ? total - n_left : 0;
    passes[i] = max * max >= min * n_left * n_right;
  }
}

/// Which of some cuts of two classes pass the filter? A plain loop, which becomes vector code.
inline void passes_two(const std::int32_t* rows_left, const std::int32_t* second_left, int n_cuts,
                       const DeviationFilter& filter, std::uint8_t* passes) {
  const float share = filter.share[1], slack = filter.slack, total = filter.total;
  const float both = filter.both;  // both classes deviate by the same
  const float first_bend = filter.bend ? filter.bend[0] * filter.factor[0] : 0,
              second_bend = filter.bend ? filter.bend[1] * filter.factor[1] : 0;
  const auto test = [&](auto needed) {
    for (int i = 0; i < n_cuts; ++i) {
      const auto n_left = static_cast<float>(rows_left[i]);
      const float deviation = static_cast<float>(second_left[i]) - n_left * share;
      const float max = (deviation < 0 ? -deviation : deviation) + slack;
      const float ratio = n_left / (total - n_left), other = (total - n_left) / n_left;
      const float bent = deviation > 0 ? ratio * second_bend + other * first_bend
                                       : other * second_bend + ratio * first_bend;
      passes[i] = max * max * (both + max * bent) >= needed(i, n_left);
    }
  };
  if (const float* needed = filter.needed)
    test([&](int i, float) { return needed[rows_left[i]]; });
  else
    test([&](int, float n_left) { return filter.min * n_left * (total - n_left); });
}

template <class Item>
int find_two(FlagScan& scan, const DeviationFilter& filter, const CutSumsCall& call) {
  const auto* items = static_cast<const Item*>(scan.items);
  const std::uint32_t class_mask = scan.layout.class_mask();
  const std::uint32_t second = filter.label[1] << scan.layout.row_bits;
  std::int32_t rows_left[CutBlock::stride], second_left[CutBlock::stride];
  std::uint32_t i = scan.next, seconds = scan.left[1];
  int m = 0;
  while (i + 1 < scan.n && m < CutBlock::capacity) {
    const auto room = static_cast<std::uint32_t>(CutBlock::capacity - m);
    const std::uint32_t stop = scan.n - 1 - i < room ? scan.n - 1 : i + room;
    while (i < stop) {
      seconds += (items[i] & class_mask) == second;
      ++i;
      rows_left[m] = static_cast<std::int32_t>(i + scan.rows_before);
      second_left[m] = static_cast<std::int32_t>(seconds);
      m += (items[i] & FlagLayout::flag<Item>) != 0;
    }
  }
  scan.n_cuts += static_cast<std::uint32_t>(m);
  if (m < CutBlock::capacity) i = scan.n;  // what is left of the sums is not asked for
  scan.next = i;
  scan.left[1] = seconds;
  std::uint8_t passes[CutBlock::stride];
  if (filter.weight)
    passes_two_weights(rows_left, second_left, m, filter, passes);
  else
    passes_two(rows_left, second_left, m, filter, passes);
  int n = 0;
  for (int at = 0; at < m; ++at) {
    call.rows_left[n] = static_cast<std::uint32_t>(rows_left[at]);
    call.left[n] = rows_left[at] - second_left[at];
    call.left[CutBlock::stride + n] = second_left[at];
    n += passes[at];
  }
  return n;
}

/// Many classes of equal factors: the sum of squares changes by one term from row to row. With
/// S = sum L_k^2 and P = sum L_k N_k, whole numbers both, the deviations are S - 2 P r + C r^2 with
/// r = n_L / n and C = sum N_k^2.
template <class Item>
int find_many(FlagScan& scan, const DeviationFilter& filter, const CutSumsCall& call) {
  const auto* items = static_cast<const Item*>(scan.items);
  const int n_classes = filter.n_classes;
  const double total = filter.total;
  std::uint32_t channel_of[1 << max_label_bits];
  double in_parent[1 << max_label_bits];
  double squares = 0, products = 0, whole = 0, share_squares = 0;
  for (int k = 0; k < n_classes; ++k) {
    in_parent[k] = static_cast<double>(filter.share[k]);
    channel_of[filter.label[k]] = static_cast<std::uint32_t>(k);
    const double left = scan.left[k];
    squares += left * left;
    products += left * in_parent[k];
    share_squares += in_parent[k] * in_parent[k];
    whole += left;
  }
  // Shares are rounded to floats, but they are the same in all three sums: what is bounded is the
  // deviation from them.
  const double slack = filter.slack, factor = filter.factor[0];
  const double min = filter.min / factor, add = slack * slack * n_classes;
  double n_left = whole;
  std::uint32_t i = scan.next;
  int m = 0, n = 0;
  while (i + 1 < scan.n && m < CutBlock::capacity) {
    const std::uint32_t k = channel_of[scan.layout.label(items[i])];
    const double left = scan.left[k]++;
    squares += 2 * left + 1;
    products += in_parent[k];
    n_left += 1;
    ++i;
    if (!(items[i] & FlagLayout::flag<Item>)) continue;
    ++m;
    const double sum = squares - 2 * n_left * products + n_left * n_left * share_squares;
    // (|D| + e)^2 summed is at most (sqrt(sum) + e sqrt K)^2.
    const double room = filter.needed ? filter.needed[i + scan.rows_before] / factor
                                      : min * n_left * (total - n_left);
    const bool passed = 2 * (sum + add) >= room &&
                        sum + add + 2 * slack * std::sqrt(n_classes * (sum > 0 ? sum : 0)) >= room;
    if (!passed) continue;
    call.rows_left[n] = i;
    for (int j = 0; j < n_classes; ++j)
      call.left[j * CutBlock::stride + n] = static_cast<std::int32_t>(scan.left[j]);
    ++n;
  }
  scan.n_cuts += static_cast<std::uint32_t>(m);
  scan.next = m < CutBlock::capacity ? scan.n : i;
  return n;
}

template <class Item>
int find_items(FlagScan& scan, const DeviationFilter& filter, const CutSumsCall& call) {
  return filter.n_classes == 2 ? find_two<Item>(scan, filter, call)
                               : find_many<Item>(scan, filter, call);
}

/// Two classes: the count of the second and that of both say it all.
template <class Item>
int sum_two_cuts(FlagScan& scan, const CutSumsCall& call) {
  const auto* items = static_cast<const Item*>(scan.items);
  const std::uint32_t class_mask = scan.layout.class_mask();
  std::uint32_t label = 0;
  while (call.channel[label] != 1) ++label;
  const std::uint32_t second = label << scan.layout.row_bits;
  std::uint32_t seconds_left[CutBlock::stride];
  std::uint32_t i = scan.next, seconds = scan.left[1];
  int m = 0;
  while (i + 1 < scan.n && m < CutBlock::capacity) {  // no branch but the end: see scan_two
    const auto room = static_cast<std::uint32_t>(CutBlock::capacity - m);
    const std::uint32_t stop = scan.n - 1 - i < room ? scan.n - 1 : i + room;
    while (i < stop) {
      seconds += (items[i] & class_mask) == second;
      ++i;
      call.rows_left[m] = i;
      seconds_left[m] = seconds;
      m += (items[i] & FlagLayout::flag<Item>) != 0;
    }
  }
  scan.n_cuts += static_cast<std::uint32_t>(m);
  if (m < CutBlock::capacity) {
    seconds += (items[i] & class_mask) == second;  // the last
    i = scan.n;
    call.rows_left[m] = i;
    seconds_left[m] = seconds;
    m += call.cut_at_end;
  }
  for (int cut = 0; cut < m; ++cut) {
    call.left[cut] = static_cast<std::int32_t>(call.rows_left[cut] - seconds_left[cut]);
    call.left[CutBlock::stride + cut] = static_cast<std::int32_t>(seconds_left[cut]);
  }
  scan.next = i;
  scan.left[0] = i - seconds;
  scan.left[1] = seconds;
  return m;
}

template <class Item>
int sum_cuts_of(FlagScan& scan, const CutSumsCall& call) {
  if (call.n_classes == 2) return sum_two_cuts<Item>(scan, call);
  const auto* items = static_cast<const Item*>(scan.items);
  std::uint32_t* left = scan.left;
  std::uint32_t i = scan.next;
  int m = 0;
  const auto write = [&] {
    call.rows_left[m] = i;
    for (int k = 0; k < call.n_classes; ++k)
      call.left[k * CutBlock::stride + m] = static_cast<std::int32_t>(left[k]);
    ++m;
  };
  while (i + 1 < scan.n && m < CutBlock::capacity) {
    ++left[call.channel[scan.layout.label(items[i])]];
    ++i;
    if (items[i] & FlagLayout::flag<Item>) write();
  }
  scan.n_cuts += static_cast<std::uint32_t>(m);
  if (m < CutBlock::capacity) {
    ++left[call.channel[scan.layout.label(items[i])]];  // the last
    i = scan.n;
    if (call.cut_at_end) write();
  }
  scan.next = i;
  return m;
}

/// Without branches: each item is written to both sides, and stays on one. Where eight items in a
/// row are all flagged, as they are where values differ, no flag has to be handed on.
template <class Item>
void partition_items(const FlagPartition& part) {
  constexpr Item flag = FlagLayout::flag<Item>;
  constexpr std::uint32_t stretch = 8;
  auto* items = static_cast<Item*>(part.items);
  auto* spare = static_cast<Item*>(part.spare);
  const std::uint32_t row_mask = part.layout.row_mask(), turned = part.marked_left ? 0 : 1;
  const std::uint32_t* moved = part.moved;
  std::uint32_t left = 0, i = 0;
  Item to_left = 0, to_right = 0;  // flags of items that went to the other side
  const auto goes_left = [&](Item item) {
    const std::uint32_t row = item & row_mask;
    return (moved[row >> 5] >> (row & 31) & 1) ^ turned;
  };
  while (i < part.n) {
    const std::uint32_t n = part.n - i < stretch ? part.n - i : stretch;
    Item all = flag;
    for (std::uint32_t j = 0; j < n; ++j) all = static_cast<Item>(all & items[i + j]);
    std::uint32_t is_left = 0;
    for (const std::uint32_t stop = all ? i + n : i; i < stop; ++i) {
      const Item item = items[i];
      is_left = goes_left(item);
      items[left] = item;
      spare[i - left] = item;
      left += is_left;
    }
    if (all) {
      to_left = is_left ? 0 : flag;
      to_right = is_left ? flag : 0;
      continue;
    }
    for (const std::uint32_t stop = i + n; i < stop; ++i) {
      const Item item = items[i], own = item & flag;
      is_left = goes_left(item);
      items[left] = static_cast<Item>(item | to_left);
      spare[i - left] = static_cast<Item>(item | to_right);
      left += is_left;
      const auto went_left = static_cast<Item>(0u - is_left);
      to_left = static_cast<Item>((to_left | own) & ~went_left);
      to_right = static_cast<Item>((to_right | own) & went_left);
    }
  }
  if (part.keep != Keep::left) std::memcpy(items + left, spare, (part.n - left) * sizeof(Item));
}

}  // namespace ramify::RAMIFY_KERNELS

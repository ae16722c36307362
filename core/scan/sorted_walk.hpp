// SPDX-License-Identifier: BSD-3-Clause
// The walk along a sorted list, a block of rows at a time, in two steps: running sums are written,
// then the cuts of the block are valued a vector at a time. (Vectors that were just written item by
// item make the processor wait.) One walk for classes and regression, with and without weights.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "scan/sorted_scan.hpp"
#include "simd/item_lanes.hpp"

namespace ramify::RAMIFY_KERNELS {

inline FloatLanes larger_of(FloatLanes a, FloatLanes b) { return a > b ? a : b; }

class SortedWalk {
 public:
  SortedWalk(const SortedScan& scan, const SortedColumn& column)
      : scan_(scan),
        column_(column),
        items_(column.items),
        n_(column.n + (column.n_missing > 0)) {  // all values against the missing ones
    std::fill_n(deviation_, (scan.n_classes + 3) / 4 * 4, 0.0);
  }

  /// Goes on to the next block and values its cuts; how many places it has.
  std::uint32_t next() {
    begin_ += n_here_;
    items_ += n_here_;
    n_here_ = std::min(block, n_ - begin_);
    if (n_here_ == 0) return 0;
    if (n_here_ < block) {  // what is behind the list is not ours to read
      std::copy_n(items_, n_here_, last_);
      // Their sums are not used, but steps of a row of another node may be written by its thread.
      const std::uint32_t behind = scan_.steps ? last_[n_here_ - 1] & scan_.layout.row_mask() : 0;
      std::fill(last_ + n_here_, last_ + (n_here_ + n_behind - 1) / n_behind * n_behind, behind);
      items_ = last_;
    }
    if (scan_.steps)
      scan_.whole_weight ? value_steps<true>() : value_steps<false>();
    else
      scan_.weight ? value_weights() : value_counts();
    if (begin_ == 0) values_[0] = none;  // nothing is on the left
    return n_here_;
  }
  FloatLanes values(std::uint32_t i) const { return load_lanes<FloatLanes>(values_ + i); }
  /// Are there cuts? Below zero where items are flagged.
  IntegerLanes cuts(std::uint32_t i) const { return load_lanes<IntegerLanes>(items_ + i); }
  std::uint32_t place(std::uint32_t i) const { return begin_ + i; }

 private:
  /// Rows whose counts fit eight bits, and a multiple of all lanes.
  static constexpr std::uint32_t block = 240;
  /// Rows whose steps fit a sum of 32 bits.
  static constexpr std::uint32_t group = 16;
  static constexpr std::uint32_t n_behind = 16;
  static constexpr float none = -std::numeric_limits<float>::infinity();
  /// How the sums of a block lie: counts of one class, of four classes in a word, or weights.
  enum class Sums { one, packed, weights };

  /// Deviations from the mean, in steps.
  template <bool has_weights>
  void value_steps() {
    const std::uint32_t row_mask = scan_.layout.row_mask();
    const std::uint32_t* own = items_;
    float before[block / group];
    for (std::uint32_t i = 0; i < n_here_; i += group) {
      before[i / group] = static_cast<float>(steps_);
      std::int32_t sum = 0;
      for (std::uint32_t j = i; j < i + group; ++j) {
        const std::uint32_t row = *own++ & row_mask;
        sums_[0][j] = sum;
        sum += scan_.steps[row];
        if constexpr (has_weights) {
          sums_[1][j] = weight_;
          weight_ += scan_.whole_weight[row];
        }
      }
      steps_ += sum;
    }
    const float* shares = scan_.shares + begin_;
    for (std::uint32_t i = 0; i < n_here_; i += n_lanes) {
      const FloatLanes away = to_floats(sums(0, i)) + before[i / group];
      FloatLanes value = away * away * load_lanes<FloatLanes>(shares + i);
      if constexpr (has_weights) {
        const FloatLanes left = to_floats(sums(1, i));
        value = value / (left * (scan_.total - left));
      }
      store_lanes(values_ + i, value);
    }
  }

  /// Counts of four classes are packed in a word.
  void value_counts() {
    const int n_words = (scan_.n_classes + 3) / 4;
    IntegerLanes total[SortedScan::max_classes / 4];
    for (int w = 0; w < n_words; ++w)
      total[w] = scan_.n_classes == 1 ? count<true>(w) : count<false>(w);
    scan_.n_classes == 1 ? value_sides<Sums::one>() : value_sides<Sums::packed>();
    for (int k = 0; k < scan_.n_classes; ++k) {
      const std::uint32_t counts = std::bit_cast<std::uint32_t>(first_of(total[k / 4]));
      deviation_[k] +=
          (counts >> (8 * (k % 4)) & 255) - static_cast<double>(n_here_) * scan_.share[k];
    }
  }
  /// Writes how often the classes of a word occur before each row; their number in the block.
  template <bool is_one>
  IntegerLanes count(int word) {
    const IntegerLanes zero{};
    const std::int32_t* label = scan_.label + 4 * word;
    const auto mask = static_cast<std::int32_t>(scan_.layout.class_mask());
    IntegerLanes before{};
    for (std::uint32_t i = 0; i < n_here_; i += n_lanes) {
      const IntegerLanes own = load_lanes<IntegerLanes>(items_ + i) & mask;
      const auto one_if = [&](int j) { return own == label[j] ? zero + (1 << 8 * j) : zero; };
      IntegerLanes one = one_if(0);
      if constexpr (!is_one) one = one | one_if(1) | one_if(2) | one_if(3);
      const IntegerLanes up_to = running_sums(one) + before;
      store_lanes(sums_[word] + i, up_to - one);
      before = last_lane(up_to);
    }
    return before;
  }

  /// Sums of weights, class by class.
  void value_weights() {
    const std::uint32_t row_mask = scan_.layout.row_mask();
    alignas(64) float weight[block];
    for (std::uint32_t i = 0; i < (n_here_ + n_behind - 1) / n_behind * n_behind; ++i)
      weight[i] = static_cast<float>(scan_.weight[items_[i] & row_mask]);
    double total[SortedScan::max_weighted], sum = 0;
    for (int k = 0; k < scan_.n_classes; ++k) sum += total[k] = weigh(k, weight);
    value_sides<Sums::weights>();
    for (int k = 0; k < scan_.n_classes; ++k) deviation_[k] += total[k] - sum * scan_.share[k];
    weight_before_ += sum;
  }
  double weigh(int k, const float* weight) {
    const FloatLanes zero{};
    const auto mask = static_cast<std::int32_t>(scan_.layout.class_mask());
    FloatLanes before{};
    for (std::uint32_t i = 0; i < n_here_; i += n_lanes) {
      const FloatLanes own = load_lanes<FloatLanes>(weight + i);
      const FloatLanes one =
          (load_lanes<IntegerLanes>(items_ + i) & mask) == scan_.label[k] ? own : zero;
      const FloatLanes up_to = running_sums(one) + before;
      store_lanes(sums_[k] + i, up_to - one);
      before = last_lane(up_to);
    }
    return static_cast<double>(first_of(before));
  }

  /// With the missing values on the right, and if there are any on the left: the higher value.
  template <Sums kind>
  void value_sides() {
    float before[SortedScan::max_classes];
    for (int k = 0; k < (scan_.n_classes + 3) / 4 * 4; ++k)
      before[k] = static_cast<float>(deviation_[k]);
    value_side<kind>(before, 0,
                     [&](std::uint32_t i, FloatLanes value) { store_lanes(values_ + i, value); });
    if (column_.n_missing == 0) return;
    for (int k = 0; k < scan_.n_classes; ++k)
      before[k] = static_cast<float>(deviation_[k] + column_.missing[k]);
    value_side<kind>(before, column_.n_missing, [&](std::uint32_t i, FloatLanes value) {
      store_lanes(values_ + i, larger_of(value, values(i)));
    });
  }

  /// Rows, or weights, of the block that are on the left of some cuts.
  template <Sums kind>
  FloatLanes left_of(std::uint32_t i) const {
    if constexpr (kind != Sums::weights)
      return lane_numbers() + static_cast<float>(static_cast<std::int32_t>(i));
    FloatLanes own = weights(0, i);
    for (int k = 1; k < scan_.n_classes; ++k) own += weights(k, i);
    return own;
  }
  /// Calls visit(class, rows or weight of the class on the left).
  template <Sums kind, class Visit>
  void each_class(std::uint32_t i, Visit visit) const {
    if constexpr (kind == Sums::one) {
      visit(0, to_floats(sums(0, i)));
    } else if constexpr (kind == Sums::packed) {
      for (int k = 0; k < scan_.n_classes; k += 4) {
        const IntegerLanes word = sums(k / 4, i);
        visit(k, to_floats(word & 255));
        visit(k + 1, to_floats(word >> 8 & 255));
        visit(k + 2, to_floats(word >> 16 & 255));
        visit(k + 3, to_floats(word >> 24 & 255));
      }
    } else {
      for (int k = 0; k < scan_.n_classes; ++k) visit(k, weights(k, i));
    }
  }

  /// Calls write(place, values) with the values of a block's cuts; `before` are the deviations at
  /// its begin, of which `n_missing` rows without a value are counted as left.
  template <Sums kind, class Write>
  void value_side(const float* before, std::uint32_t n_missing, Write write) const {
    constexpr bool has_weights = kind == Sums::weights;
    const SortedScan& scan = scan_;
    const std::uint32_t begin = begin_ + n_missing;
    const FloatLanes zero{};
    const auto magnitude = [&](FloatLanes x) { return x < zero ? -x : x; };
    // add(sum, deviation, class, place) adds a class to the norm.
    const auto write_norm = [&](auto add, auto end) {
      for (std::uint32_t i = 0; i < n_here_; i += n_lanes) {
        const FloatLanes on_left = left_of<kind>(i);
        FloatLanes sum{};
        each_class<kind>(i, [&](int k, FloatLanes own) {
          sum = add(sum, own + (before[k] - on_left * scan.share[k]), k, i);
        });
        FloatLanes value = end(sum) * load_lanes<FloatLanes>(scan.shares + begin + i);
        if constexpr (has_weights) value = value / sides(on_left, n_missing > 0);
        write(i, value);
      }
    };
    const auto same = [&](FloatLanes sum) {
      if constexpr (!has_weights) return sum;
      const FloatLanes root = roots_of(sum) + scan.slack;
      return root * root;
    };
    // The ratio of the side that has more of a class to the other, times its deviation.
    const auto lopsided = [&](FloatLanes d, std::uint32_t i) {
      return larger_of(d * load_lanes<FloatLanes>(scan.left_to_right + begin + i),
                       -d * load_lanes<FloatLanes>(scan.right_to_left + begin + i));
    };
    const auto square = [&](FloatLanes d, int k) { return d * d * scan.factor[k]; };
    const auto bent = [&](FloatLanes d, int k, std::uint32_t i) {
      return square(d, k) + square(d, k) * scan.bend[k] * lopsided(d, i);
    };
    using Sum = FloatLanes;
    using Place = std::uint32_t;
    FloatLanes up_to{};
    switch (scan.norm) {
      case CutNorm::squares:
      case CutNorm::steps:
        return write_norm([&](Sum sum, FloatLanes d, int k, Place) { return sum + square(d, k); },
                          same);
      case CutNorm::bent:
        return write_norm(
            [&](Sum sum, FloatLanes d, int k, Place i) { return sum + bent(d, k, i); }, same);
      case CutNorm::two_bent:
        return write_norm(
            [&](Sum, FloatLanes d, int, Place i) {
              return d * d *
                     (scan.factor[0] + scan.bend[1] * lopsided(d, i) +
                      scan.bend[0] * lopsided(-d, i));
            },
            same);
      case CutNorm::magnitudes:
        return write_norm([&](Sum sum, FloatLanes d, int k,
                              Place) { return sum + magnitude(d) * scan.factor[k]; },
                          [&](Sum sum) {
                            if constexpr (has_weights) sum = sum + scan.slack;
                            return sum * sum;
                          });
      case CutNorm::largest:
        return write_norm(
            [&](Sum sum, FloatLanes d, int k, Place) { return larger_of(sum, square(d, k)); },
            same);
      case CutNorm::largest_bent:
        return write_norm(
            [&](Sum sum, FloatLanes d, int k, Place i) { return larger_of(sum, bent(d, k, i)); },
            same);
      case CutNorm::cumulative:
        return write_norm(
            [&](Sum sum, FloatLanes d, int k, Place) {
              up_to = k == 0 ? d : up_to + d;
              return sum + square(up_to, k);
            },
            same);
    }
  }
  /// n_L n_R, or less; above zero.
  FloatLanes sides(FloatLanes on_left, bool missing_left) const {
    const float tiny = scan_.weight_slack;
    const double before = weight_before_ + (missing_left ? column_.missing_weight : 0);
    const FloatLanes left = on_left + static_cast<float>(before), zero{};
    return larger_of(left - tiny, zero + tiny) * larger_of(scan_.total - left - tiny, zero + tiny);
  }

  IntegerLanes sums(int at, std::uint32_t i) const {
    return load_lanes<IntegerLanes>(sums_[at] + i);
  }
  FloatLanes weights(int at, std::uint32_t i) const {
    return load_lanes<FloatLanes>(sums_[at] + i);
  }

  const SortedScan& scan_;
  const SortedColumn& column_;
  const std::uint32_t* items_;
  std::uint32_t n_, begin_ = 0, n_here_ = 0;
  std::int64_t steps_ = 0;
  std::int32_t weight_ = 0;
  double weight_before_ = 0;
  double deviation_[SortedScan::max_classes];  // before the block
  alignas(64) std::int32_t sums_[SortedScan::max_classes / 4][block];
  alignas(64) float values_[block];
  alignas(64) std::uint32_t last_[block];
};

inline float peak_of(const SortedScan& scan, const SortedColumn& column) {
  SortedWalk walk(scan, column);
  FloatLanes top = FloatLanes{} - 1;
  while (const std::uint32_t n = walk.next())
    for (std::uint32_t i = 0; i < n; i += n_lanes) {
      const FloatLanes values = walk.values(i);
      top = (walk.cuts(i) < 0) & (values > top) ? values : top;
    }
  const float peak = highest(top);
  if (peak >= 0 || column.n_missing > 0) return peak;
  for (std::uint32_t i = 1; i < column.n; ++i)
    if (column.items[i] & FlagLayout::flag) return peak;
  return std::numeric_limits<float>::quiet_NaN();
}

inline std::uint32_t write_near(const SortedScan& scan, const SortedColumn& column, float wanted,
                                std::uint32_t* places) {
  SortedWalk walk(scan, column);
  std::uint32_t n_near = 0;
  while (const std::uint32_t n = walk.next())
    for (std::uint32_t i = 0; i < n; i += n_lanes) {
      std::uint32_t near = bits_of_lanes((walk.cuts(i) < 0) & (walk.values(i) >= wanted));
      for (; near; near &= near - 1)
        places[n_near++] = walk.place(i) + static_cast<std::uint32_t>(std::countr_zero(near));
    }
  return n_near;
}

inline void share_places(std::uint32_t n, std::uint32_t min, bool has_weights, float* shares) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  const auto total = static_cast<float>(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto left = static_cast<float>(static_cast<std::int32_t>(i));
    shares[i] = has_weights ? 1 : 1 / (left * (total - left));
  }
  std::fill_n(shares, std::min(min, n), none);
  std::fill(shares + (n - min + 1), shares + n + SortedScan::room_behind, none);
}

/// Floats above zero are in the order of their bits, of which compilers find the largest in
/// vectors.
inline float share_needed(const double* needed, std::uint32_t begin, std::uint32_t end, float kept,
                          float slack, float* shares) {
  std::int32_t lowest = std::numeric_limits<std::int32_t>::max(), growth = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const float square = static_cast<float>(needed[i]) * kept;
    const float root = std::sqrt(square > 0 ? square : 0) - slack, share = 1 / (root * root);
    lowest = std::min(lowest, std::bit_cast<std::int32_t>(root));
    const float grown = share / shares[i];
    growth = std::max(growth, std::bit_cast<std::int32_t>(grown > 0 ? grown : 0));
    shares[i] = share;
  }
  return lowest > 0 ? std::bit_cast<float>(growth) : std::numeric_limits<float>::infinity();
}

}  // namespace ramify::RAMIFY_KERNELS

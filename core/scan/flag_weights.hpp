// SPDX-License-Identifier: BSD-3-Clause
// Along flagged lists of rows that have weights of their own: may one of the cuts matter, and what
// is on the left of each? Classes lie side by side. Weights are whole units, so that all
// sums are exact.
#pragma once

#include <type_traits>

#include "scan/flag_scan.hpp"
#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Doubles that the processor adds at once, of n.
#if defined(__GNUC__)
typedef double Pair __attribute__((vector_size(2 * sizeof(double))));
#ifdef __AVX__
template <int n>
using Vector = std::conditional_t<n == 2, Pair, Pack>;
#else
template <int n>
using Vector = Pair;
#endif
#else
template <int n>
using Vector = double;
#endif

/// Class weights while a list is walked along: room for n.
template <int n>
struct LeftSums {
  static constexpr int width = sizeof(Vector<n>) / sizeof(double);
  Vector<n> part[n / width];

  LeftSums() = default;
  explicit LeftSums(const double* sums) { std::memcpy(part, sums, sizeof part); }
  void write(double* sums) const { std::memcpy(sums, part, sizeof part); }
  double lane(int k) const {
    double x;
    std::memcpy(&x, reinterpret_cast<const char*>(part) + k * sizeof x, sizeof x);
    return x;
  }
  void add(const RowWeights& rows, FlagLayout layout, std::uint32_t item) {
    const double weight = rows.weight[layout.row(item)];
    const double* is_class = rows.is_class + n * layout.label(item);
    for (int j = 0; j < n / width; ++j) {
      Vector<n> own;
      std::memcpy(&own, is_class + j * width, sizeof own);
      part[j] += weight * own;
    }
  }
  LeftSums& operator+=(const LeftSums& other) {
    for (int j = 0; j < n / width; ++j) part[j] += other.part[j];
    return *this;
  }
};

/// Some sums, class by class: those of one class side by side.
template <int n_lanes, int stride>
void write_by_class(const LeftSums<n_lanes>* sums, int n, double* left, int n_classes) {
  for (int i = 0; i < n; i += pack_width)
    for (int k = 0; k < n_classes; ++k)
      store(left + k * stride + i,
            Pack{sums[i].lane(k), sums[i + 1].lane(k), sums[i + 2].lane(k), sums[i + 3].lane(k)});
}

/// A filter while a list is walked along: it is asked about pieces of the list, of which only the
/// ends are known, and about single cuts.
template <int n_lanes>
class WeightWalk {
 public:
  static constexpr int max_pieces = 16, max_rows = 16;

  WeightWalk(const RowWeights& rows, const WeightFilter& filter) : filter_(filter) {
    for (int k = 0; k < filter.n_classes; ++k) n_missing_ += rows.missing[k];
    for (int k = 0; k < filter.n_classes; ++k)
      missing_[k] = rows.missing[k] - filter.share[k] * n_missing_;
  }

  /// Of each piece between two of n + 1 places (or of each of n places): may one of its cuts reach
  /// what is asked for? Class weights on their left are nowhere below those at `from` and nowhere
  /// above those at `to`, so that a deviation is between D(to) - e and D(from) + e with e =
  /// (1 - share)(to - from). The first row of a piece, which is on the left of all its cuts, weighs
  /// `first`.
  template <bool has_length>
  int find(const LeftSums<n_lanes>* places, int n, const double* first) {
    write_by_class<n_lanes, stride>(places, n + has_length, by_class_, filter_.n_classes);
    find_side<has_length, false>(n, first);
    if (n_missing_ > 0) find_side<has_length, true>(n, first);
    int n_found = 0;
    for (int i = 0; i < n; ++i) {
      found[n_found] = i;
      n_found += lacks_[i] <= 0;
    }
    return n_found;
  }
  int found[max_pieces];

 private:
  static constexpr int stride = max_pieces + 2 * pack_width;

  /// With the rows without a value on the right, or on the left.
  template <bool has_length, bool missing_left>
  void find_side(int n, const double* first) {
    const double before = missing_left ? n_missing_ : 0;
    for (int begin = 0; begin < n; begin += pack_width) {
      Pack n_from = spread<Pack>(0), n_to = n_from, sum = n_from;
      for (int k = 0; k < filter_.n_classes; ++k) {
        n_from += load<Pack>(by_class_ + k * stride + begin);
        if (has_length) n_to += load<Pack>(by_class_ + k * stride + begin + 1);
      }
      if (!has_length) n_to = n_from;
      for (int k = 0; k < filter_.n_classes; ++k) {
        const double share = filter_.share[k];
        const Pack from = load<Pack>(by_class_ + k * stride + begin);
        Pack max = from - n_from * share;
        if (missing_left) max += spread<Pack>(missing_[k]);
        if (has_length) {
          const Pack to = load<Pack>(by_class_ + k * stride + begin + 1);
          Pack at_to = n_to * share - to;
          if (missing_left) at_to -= spread<Pack>(missing_[k]);
          max = larger(max, at_to) + (to - from) * (1 - share);
        }
        sum += max * max * filter_.factor[k];
      }
      const auto room = [&](Pack n_left) {
        return (n_left + before) * (filter_.total - before - n_left) * filter_.min;
      };
      Pack lacks = room(n_to);
      if (has_length) {
        const Pack at_first = room(n_from + load<Pack>(first + begin));
        lacks = select(lacks > at_first, at_first, lacks);
      }
      lacks = lacks - sum - filter_.slack;
      if (missing_left) {
        const Pack other = load<Pack>(lacks_ + begin);
        lacks = select(lacks > other, other, lacks);
      }
      store(lacks_ + begin, lacks);
    }
  }

  const WeightFilter& filter_;
  double n_missing_ = 0, missing_[n_lanes];
  double by_class_[n_lanes * stride], lacks_[max_pieces + pack_width];
};

/// Goes on by a block of cuts, some rows at a time: a look at pieces of it, and at each cut of
/// those that may matter.
template <int n_lanes, class Item>
bool scan_lane_weights(FlagScan& scan, const RowWeights& rows, const WeightFilter& filter) {
  using Sums = LeftSums<n_lanes>;
  using Walk = WeightWalk<n_lanes>;
  constexpr std::uint32_t bit = 8 * sizeof(Item) - 1;
  const auto* items = static_cast<const Item*>(scan.items);
  const FlagLayout layout = scan.layout;
  Walk walk(rows, filter);
  Sums sums(rows.left);
  Sums at[Walk::max_pieces + pack_width];  // each piece, and behind the last
  double first[Walk::max_pieces + pack_width];
  std::uint32_t begin[Walk::max_pieces + 1];
  const auto look_at_each = [&](Sums own, std::uint32_t i, std::uint32_t stop) {
    Sums at_cut[Walk::max_rows + pack_width];
    int n = 0;
    while (i < stop) {
      own.add(rows, layout, items[i++]);
      at_cut[n] = own;
      n += items[i] >> bit;
    }
    return walk.template find<false>(at_cut, n, nullptr) > 0;
  };
  std::uint32_t i = scan.next, m = 0;
  bool passed = false;
  while (i + 1 < scan.n && m < CutBlock::capacity) {
    int n = 0;
    for (; n < Walk::max_pieces && i + 1 < scan.n && m < CutBlock::capacity; ++n) {
      const std::uint32_t room = CutBlock::capacity - m;
      const std::uint32_t wanted = room < Walk::max_rows ? room : Walk::max_rows;
      const std::uint32_t stop = scan.n - 1 - i < wanted ? scan.n - 1 : i + wanted;
      at[n] = sums;
      begin[n] = i;
      first[n] = rows.weight[layout.row(items[i])];
      Sums others(rows.zero);  // of every other row: one sum would wait for the last
      for (; i + 1 < stop; i += 2) {
        sums.add(rows, layout, items[i]);
        others.add(rows, layout, items[i + 1]);
        m += (items[i + 1] >> bit) + (items[i + 2] >> bit);
      }
      if (i < stop) {
        others.add(rows, layout, items[i++]);
        m += items[i] >> bit;
      }
      sums += others;
    }
    at[n] = sums;
    begin[n] = i;
    if (passed) continue;
    const int n_found = walk.template find<true>(at, n, first);
    int found[Walk::max_pieces];
    std::memcpy(found, walk.found, sizeof found);
    for (int j = 0; j < n_found && !passed; ++j)
      passed = look_at_each(at[found[j]], begin[found[j]], begin[found[j] + 1]);
  }
  scan.n_cuts += m;
  scan.next = m < CutBlock::capacity ? scan.n : i;  // what is left of the sums is not asked for
  sums.write(rows.left);
  return passed;
}

/// Up to so many classes.
template <int n_lanes, class Item>
int sum_lane_weights(FlagScan& scan, const CutSumsCall& call, const RowWeights& rows) {
  constexpr std::uint32_t max_moved = 32;
  const auto* items = static_cast<const Item*>(scan.items);
  LeftSums<n_lanes> sums(rows.left);
  LeftSums<n_lanes> at_cut[max_moved + pack_width];
  std::uint32_t i = scan.next;
  int m = 0;
  while (i + 1 < scan.n && m < CutBlock::capacity) {
    auto room = static_cast<std::uint32_t>(CutBlock::capacity - m);
    if (room > max_moved) room = max_moved;
    const std::uint32_t stop = scan.n - 1 - i < room ? scan.n - 1 : i + room;
    int here = 0;
    while (i < stop) {  // no branch but the end: see scan_two
      sums.add(rows, scan.layout, items[i++]);
      call.rows_left[m + here] = i;
      at_cut[here] = sums;
      here += (items[i] & FlagLayout::flag<Item>) != 0;
    }
    write_by_class<n_lanes, CutBlock::stride>(at_cut, here, call.left + m, call.n_classes);
    m += here;
  }
  scan.n_cuts += static_cast<std::uint32_t>(m);
  const bool is_done = m < CutBlock::capacity;
  if (is_done) sums.add(rows, scan.layout, items[i++]);  // the last
  sums.write(rows.left);
  scan.next = i;
  if (!is_done || !call.cut_at_end) return m;
  call.rows_left[m] = i;
  for (int k = 0; k < call.n_classes; ++k) call.left[k * CutBlock::stride + m] = rows.left[k];
  return m + 1;
}

/// Any number of classes.
template <class Item>
int sum_many_weights(FlagScan& scan, const CutSumsCall& call, const RowWeights& rows) {
  const auto* items = static_cast<const Item*>(scan.items);
  std::uint32_t i = scan.next;
  int m = 0;
  const auto move = [&] {
    rows.left[call.channel[scan.layout.label(items[i])]] += rows.weight[scan.layout.row(items[i])];
    ++i;
  };
  const auto write = [&] {
    call.rows_left[m] = i;
    for (int k = 0; k < call.n_classes; ++k) call.left[k * CutBlock::stride + m] = rows.left[k];
    ++m;
  };
  while (i + 1 < scan.n && m < CutBlock::capacity) {
    move();
    if (items[i] & FlagLayout::flag<Item>) write();
  }
  scan.n_cuts += static_cast<std::uint32_t>(m);
  if (m < CutBlock::capacity) {
    move();  // the last
    if (call.cut_at_end) write();
  }
  scan.next = i;
  return m;
}

/// Calls run(lanes) with their number as a constant.
template <class Run>
auto with_lanes(int n_lanes, Run run) {
  switch (n_lanes) {
    case 2:
      return run(std::integral_constant<int, 2>());
    case 4:
      return run(std::integral_constant<int, 4>());
    case 8:
      return run(std::integral_constant<int, 8>());
    case 16:
      return run(std::integral_constant<int, 16>());
    default:
      return run(std::integral_constant<int, 32>());
  }
}

template <class Item>
bool scan_weights(FlagScan& scan, const RowWeights& rows, const WeightFilter& filter) {
  return with_lanes(rows.n_lanes, [&](auto n_lanes) {
    return scan_lane_weights<n_lanes, Item>(scan, rows, filter);
  });
}

template <class Item>
int sum_weights(FlagScan& scan, const CutSumsCall& call, const RowWeights& rows) {
  if (rows.n_lanes == 0) return sum_many_weights<Item>(scan, call, rows);
  return with_lanes(rows.n_lanes, [&](auto n_lanes) {
    return sum_lane_weights<n_lanes, Item>(scan, call, rows);
  });
}

}  // namespace ramify::RAMIFY_KERNELS

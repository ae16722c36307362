// SPDX-License-Identifier: BSD-3-Clause
// Along flagged lists 32 items at a time.
#pragma once

#include <type_traits>

#include "scan/flag_scan.hpp"
#include "simd/flag_lanes.hpp"

// Left to itself, a compiler may keep what is called from several places a call, with vectors in
// memory.
#define RAMIFY_INLINED __attribute__((always_inline))

namespace ramify::RAMIFY_KERNELS {

/// The cuts of a block, up to 32 at a time: those of a chunk are its flags, `here` of them belong
/// to the block. visit(chunk, here, place) looks at them; move(chunk, moved) adds rows.
template <class Item, class Visit, class Move>
void scan_chunks(FlagScan& scan, Visit visit, Move move) {
  const auto* items = static_cast<const Item*>(scan.items);
  const std::uint32_t label_mask = scan.layout.class_mask();
  int room = CutBlock::capacity;
  std::uint32_t at = scan.next, first = ~1u;  // the item at `next` begins no cut of this block
  while (at < scan.n) {
    const std::uint32_t rest = scan.n - at;
    Chunk<Item> chunk(items + at, rest);
    std::uint32_t here = chunk.flags() & first;
    first = ~0u;
    chunk.keep(label_mask);
    const int n_cuts = std::popcount(here);
    if (n_cuts >= room) {  // the block ends with the cut before this item
      const std::uint32_t last = _pdep_u32(1u << (room - 1), here);
      here &= last | (last - 1);
      visit(chunk, here, at);
      move(chunk, last - 1, true);
      scan.n_cuts += static_cast<std::uint32_t>(room);
      scan.next = at + static_cast<std::uint32_t>(std::countr_zero(last));
      return;
    }
    if (here) visit(chunk, here, at);
    if (rest > 32) move(chunk, ~0u, here != 0);  // else nobody asks for the sums any more
    room -= n_cuts;
    at += 32;
  }
  scan.n_cuts += static_cast<std::uint32_t>(CutBlock::capacity - room);
  scan.next = scan.n;
}

/// Numbers of some of the 32 places of a chunk, from the first on.
template <int n>
struct Places {
  static constexpr int n_vectors = n / n_floats;
  Floats part[n_vectors];

  /// Calls make(place) for each vector.
  template <class Make>
  explicit Places(Make make) {
    for (int i = 0; i < n_vectors; ++i) part[i] = make(i * n_floats);
  }
};

/// Which cuts of a chunk pass? Asks test(n) for a bit for each of n places.
template <class Test>
std::uint32_t cuts_that_pass(std::uint32_t here, Test test) {
  if (here >> 16) return test(std::integral_constant<int, 32>()) & here;
  return test(std::integral_constant<int, 16>()) & here;
}

/// What the square of a norm must reach at each place.
struct NeededVectors {
  Floats min, total;
  const float* needed;

  explicit NeededVectors(const DeviationFilter& filter)
      : min(floats(filter.min)),
        total(floats(filter.weight ? filter.total - filter.slack : filter.total)),
        needed(filter.needed) {}

  /// A bit for each place, of which the first has so many rows on its left.
  template <int n>
  RAMIFY_INLINED std::uint32_t reached(const Places<n>& square, const Places<n>& n_left,
                                       std::uint32_t rows) const {
    std::uint32_t bits = 0;
    if (needed) {
      for (int i = 0; i < Places<n>::n_vectors; ++i)
        bits |= at_least(square.part[i], load_floats(needed + rows + i * n_floats))
                << (i * n_floats);
      return bits;
    }
    for (int i = 0; i < Places<n>::n_vectors; ++i) {
      const Floats left = n_left.part[i], n_right = larger_of(total - left, floats(0));
      bits |= at_least(square.part[i], min * left * n_right) << (i * n_floats);
    }
    return bits;
  }
};

/// n_L / n_R at each place, and n_R / n_L.
template <int n>
struct SideRatios {
  Places<n> left, right;
  RAMIFY_INLINED SideRatios(const Places<n>& n_left, Floats total)
      : left([&](int from) {
          const Floats own = n_left.part[from / n_floats];
          return own / (total - own);
        }),
        right([&](int from) {
          const Floats own = n_left.part[from / n_floats];
          return (total - own) / own;
        }) {}
  /// Of the i-th vector: the deviations, times the ratio of the side that has more to the other.
  RAMIFY_INLINED Floats times(Floats deviation, int i) const {
    return larger_of(deviation * left.part[i], floats(0) - deviation * right.part[i]);
  }
};

/// How many of some bits are set below each place from one on; `before` are added.
inline Floats counts_at(std::uint32_t bits, int from, std::uint32_t before) {
  const auto more = static_cast<std::uint32_t>(std::popcount(bits & ((1u << from) - 1)));
  return counts_before(bits >> from, before + more);
}

/// Two classes, whose counts say it all: writes the cuts of a chunk.
template <class Item>
struct TwoWriter {
  const CutSumsCall& call;
  int m = 0;

  void write(std::uint32_t cuts, std::uint32_t bits, std::uint32_t before, std::uint32_t at) {
    double *first = call.left, *second = call.left + CutBlock::stride;
#ifdef __AVX512VBMI2__
    const auto half = [&](std::uint32_t own, std::uint32_t in_second, std::uint32_t n_before,
                          std::uint32_t place) {
      m += write_two(own, in_second, n_before, place, call.rows_left + m, first + m, second + m);
    };
    if (cuts & 0xffff) half(cuts & 0xffff, bits & 0xffff, before, at);
    if (cuts >> 16)
      half(cuts >> 16, bits >> 16,
           before + static_cast<std::uint32_t>(std::popcount(bits & 0xffff)), at + 16);
#else
    for (; cuts; cuts &= cuts - 1, ++m) {
      const std::uint32_t place = at + static_cast<std::uint32_t>(std::countr_zero(cuts)),
                          below = (cuts & (0u - cuts)) - 1,
                          seconds =
                              before + static_cast<std::uint32_t>(std::popcount(bits & below));
      call.rows_left[m] = place;
      first[m] = static_cast<std::int32_t>(place - seconds);
      second[m] = static_cast<std::int32_t>(seconds);
    }
#endif
  }
};

/// Two classes; see passes_two, and with weights passes_two_weights.
template <bool has_weights, class Item>
int find_two_vectors(FlagScan& scan, const DeviationFilter& filter, const CutSumsCall& call) {
  const std::uint32_t second = filter.label[1] << scan.layout.row_bits;
  const Floats share = floats(filter.share[1]), slack = floats(filter.slack);
  const Floats both = floats(filter.both), total = floats(filter.total);
  const NeededVectors needed(filter);
  const Floats first_bend = floats(filter.bend ? filter.bend[0] * filter.factor[0] : 0),
               second_bend = floats(filter.bend ? filter.bend[1] * filter.factor[1] : 0);
  const Floats weight = floats(has_weights ? filter.weight[0] : 1),
               second_weight = floats(has_weights ? filter.weight[1] : 1);
  std::uint32_t seconds = scan.left[1];
  const std::uint32_t first = scan.rows_before;
  TwoWriter<Item> writer{call};
  const auto visit = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t at) {
    const std::uint32_t bits = chunk.equal(second);
    const std::uint32_t found = cuts_that_pass(here, [&](auto n) {
      Places<n> left([&](int from) { return counts_at(bits, from, seconds); });
      Places<n> n_left(
          [&](int from) { return counts_from(first + at + static_cast<std::uint32_t>(from)); });
      Places<n> max([&](int from) {
        const int i = from / n_floats;
        if constexpr (has_weights) {
          n_left.part[i] = (n_left.part[i] - left.part[i]) * weight;
          left.part[i] = left.part[i] * second_weight;
          n_left.part[i] = n_left.part[i] + left.part[i];
        }
        return magnitude_of(minus_product(left.part[i], n_left.part[i], share)) + slack;
      });
      if (!filter.bend) {
        const Places<n> square([&](int from) {
          const Floats own = max.part[from / n_floats];
          return own * own * both;
        });
        return needed.reached(square, n_left, first + at);
      }
      const SideRatios<n> ratios(n_left, total);
      const Places<n> square([&](int from) {
        const int i = from / n_floats;
        const Floats own = max.part[i], own_left = own * ratios.left.part[i],
                     own_right = own * ratios.right.part[i];
        // Only which of the two classes has more on the left is not said by the magnitude.
        const Floats deviation = minus_product(left.part[i], n_left.part[i], share);
        const Floats bent =
            select_positive(deviation, own_left * second_bend + own_right * first_bend,
                            own_right * second_bend + own_left * first_bend);
        return own * own * (both + bent);
      });
      return needed.reached(square, n_left, first + at);
    });
    if (found) writer.write(found, bits, seconds, at);
  };
  const auto move = [&](const Chunk<Item>& chunk, std::uint32_t moved, bool) {
    seconds += static_cast<std::uint32_t>(std::popcount(chunk.equal(second) & moved));
  };
  scan_chunks<Item>(scan, visit, move);
  scan.left[1] = seconds;
  return writer.m;
}

/// Which of 32 items have each class; the classes of a chunk are looked at once.
template <class Item>
struct ClassBits {
  static constexpr int max = 64;
  std::uint32_t bits[max];

  void read(const Chunk<Item>& chunk, const std::uint32_t* label, int n_classes, int row_bits) {
    for (int k = 0; k < n_classes; ++k) bits[k] = chunk.equal(label[k] << row_bits);
  }
  void add(std::uint32_t moved, int n_classes, std::uint32_t* left) const {
    for (int k = 0; k < n_classes; ++k)
      left[k] += static_cast<std::uint32_t>(std::popcount(bits[k] & moved));
  }
};

/// Writes cuts of many classes.
template <class Item>
struct ManyWriter {
  const CutSumsCall& call;
  const ClassBits<Item>& classes;
  const std::uint32_t* before;
  int m = 0;

  void write(std::uint32_t cuts, std::uint32_t at) {
    for (; cuts; cuts &= cuts - 1, ++m) {
      const std::uint32_t below = (cuts & (0u - cuts)) - 1;
      call.rows_left[m] = at + static_cast<std::uint32_t>(std::countr_zero(cuts));
      for (int k = 0; k < call.n_classes; ++k)
        call.left[k * CutBlock::stride + m] = static_cast<std::int32_t>(
            before[k] + static_cast<std::uint32_t>(std::popcount(classes.bits[k] & below)));
    }
  }
};

/// The square of the norm of the deviations of all classes at some places. weights(k)
template <int n, class Weights>
RAMIFY_INLINED inline Places<n> norm_of(const DeviationFilter& filter, const Places<n>& n_left,
                                        Weights weights) {
  Places<n> sum([](int) { return floats(0); });
  const auto add = [&](auto term) RAMIFY_INLINED {
    for (int k = 0; k < filter.n_classes; ++k) {
      const Floats share = floats(filter.share[k]), factor = floats(filter.factor[k]);
      const Places<n> own = weights(k);
      for (int i = 0; i < own.n_vectors; ++i)
        sum.part[i] =
            term(sum.part[i], minus_product(own.part[i], n_left.part[i], share), factor, k, i);
    }
  };
  const Floats slack = floats(filter.total_slack);
  if (filter.norm == DeviationNorm::magnitudes) {
    add([](Floats s, Floats d, Floats f, int, int)
            RAMIFY_INLINED { return plus_product(s, magnitude_of(d), f); });
    return Places<n>([&](int from) {
      const Floats norm = sum.part[from / n_floats] + slack;
      return norm * norm;
    });
  }
  const bool is_largest = filter.norm == DeviationNorm::largest;
  if (!filter.bend) {
    add([&](Floats s, Floats d, Floats f, int, int) RAMIFY_INLINED {
      return is_largest ? larger_of(s, d * d * f) : plus_product(s, d * d, f);
    });
  } else {
    const SideRatios<n> ratios(n_left, floats(filter.total));
    add([&](Floats s, Floats d, Floats f, int k, int i) RAMIFY_INLINED {
      const Floats square = d * d * f;
      const Floats bent = plus_product(square, square * floats(filter.bend[k]), ratios.times(d, i));
      return is_largest ? larger_of(s, bent) : s + bent;
    });
  }
  return Places<n>([&](int from) {
    const Floats norm = root_of(sum.part[from / n_floats]) + slack;
    return norm * norm;
  });
}

/// Evidence, see InformationValue: shares of a class and of the others that go to either side are
/// products without cancellation.
template <int n, class Weights>
Places<n> evidence_of(const DeviationFilter& filter, const Places<n>& n_left, Weights weights) {
  Places<n> sum([](int) { return floats(0); });
  const Floats total = floats(filter.total), slack = floats(filter.slack),
               per_row = floats(filter.adjust / filter.total);
  for (int k = 0; k < filter.n_classes; ++k) {
    const Floats share = floats(filter.share[k]), factor = floats(filter.factor[k]),
                 in_parent = floats(filter.in_parent[k]), per_own = floats(filter.per_own[k]),
                 per_rest = floats(filter.per_rest[k]);
    const Places<n> own = weights(k);
    for (int i = 0; i < own.n_vectors; ++i) {
      const Floats left = own.part[i], all = n_left.part[i], n_right = total - all;
      const Floats right = in_parent - left;
      const Floats more = all * per_row, more_right = n_right * per_row;
      const Floats on_left = root_of((left + more) * per_own * ((all - left + more) * per_rest));
      const Floats on_right =
          root_of((right + more_right) * per_own * ((n_right - right + more_right) * per_rest));
      const Floats deviation = magnitude_of(minus_product(left, all, share)) + slack;
      sum.part[i] = sum.part[i] +
                    deviation * deviation * factor * ((on_left + on_right) / (on_left * on_right));
    }
  }
  return sum;
}

/// More classes.
template <bool has_weights, class Item>
int find_many_vectors(FlagScan& scan, const DeviationFilter& filter, const CutSumsCall& call) {
  const int row_bits = scan.layout.row_bits, n_classes = filter.n_classes;
  const NeededVectors needed(filter);
  ClassBits<Item> classes;
  std::uint32_t joined[ClassBits<Item>::max], joined_left[ClassBits<Item>::max];  // see below
  ManyWriter<Item> writer{call, classes, scan.left};
  const std::uint32_t first = scan.rows_before;
  const auto visit = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t at) {
    classes.read(chunk, filter.label, n_classes, row_bits);
    const std::uint32_t *bits = classes.bits, *before = scan.left;
    if (!has_weights && filter.is_cumulative) {
      for (int k = 0; k < n_classes; ++k) {
        joined[k] = classes.bits[k] | (k > 0 ? joined[k - 1] : 0);
        joined_left[k] = scan.left[k] + (k > 0 ? joined_left[k - 1] : 0);
      }
      bits = joined;
      before = joined_left;
    }
    const std::uint32_t found = cuts_that_pass(here, [&](auto n) {
      const auto weights = [&](int k) RAMIFY_INLINED {
        return Places<n>([&](int from) {
          const Floats count = counts_at(bits[k], from, before[k]);
          return has_weights ? count * floats(filter.weight[k]) : count;
        });
      };
      Places<n> n_left([&](int from) {
        return has_weights ? floats(0) : counts_from(first + at + static_cast<std::uint32_t>(from));
      });
      if constexpr (has_weights)
        for (int k = 0; k < n_classes; ++k) {
          const Places<n> own = weights(k);
          for (int i = 0; i < own.n_vectors; ++i) n_left.part[i] = n_left.part[i] + own.part[i];
        }
      if (!has_weights && filter.norm == DeviationNorm::evidence)
        return needed.reached(evidence_of<n>(filter, n_left, weights), n_left, first + at);
      return needed.reached(norm_of<n>(filter, n_left, weights), n_left, first + at);
    });
    if (found) writer.write(found, at);
  };
  const auto move = [&](const Chunk<Item>& chunk, std::uint32_t moved, bool is_read) {
    if (!is_read) classes.read(chunk, filter.label, n_classes, row_bits);
    classes.add(moved, n_classes, scan.left);
  };
  scan_chunks<Item>(scan, visit, move);
  return writer.m;
}

/// The sums of a block of cuts of many classes.
template <class Item>
int sum_many_vectors(FlagScan& scan, const CutSumsCall& call) {
  const int row_bits = scan.layout.row_bits, n_classes = call.n_classes;
  std::uint32_t labels[ClassBits<Item>::max];
  for (std::uint32_t label = 0, k = 0; k < static_cast<std::uint32_t>(n_classes); ++label)
    if (call.is_present[label]) labels[k++] = label;
  ClassBits<Item> classes;
  ManyWriter<Item> writer{call, classes, scan.left};
  const auto visit = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t at) {
    classes.read(chunk, labels, n_classes, row_bits);
    writer.write(here, at);
  };
  const auto move = [&](const Chunk<Item>& chunk, std::uint32_t moved, bool is_read) {
    if (!is_read) classes.read(chunk, labels, n_classes, row_bits);
    classes.add(moved, n_classes, scan.left);
  };
  scan_chunks<Item>(scan, visit, move);
  const int m = writer.m;
  if (m == CutBlock::capacity || !call.cut_at_end) return m;
  call.rows_left[m] = scan.n;  // all that have a value
  for (int k = 0; k < n_classes; ++k) call.left[k * CutBlock::stride + m] = call.all[k];
  return m + 1;
}

#ifdef __AVX512VBMI2__
/// Those of two classes: the count of the second and that of both say it all.
template <class Item>
int sum_two_vectors(FlagScan& scan, const CutSumsCall& call) {
  std::uint32_t label = 0;
  while (call.channel[label] != 1) ++label;
  const std::uint32_t second = label << scan.layout.row_bits;
  std::uint32_t seconds = scan.left[1];
  TwoWriter<Item> writer{call};
  const auto visit = [&](const Chunk<Item>& chunk, std::uint32_t here, std::uint32_t at) {
    writer.write(here, chunk.equal(second), seconds, at);
  };
  const auto move = [&](const Chunk<Item>& chunk, std::uint32_t moved, bool) {
    seconds += static_cast<std::uint32_t>(std::popcount(chunk.equal(second) & moved));
  };
  scan_chunks<Item>(scan, visit, move);
  scan.left[0] = scan.next - seconds;
  scan.left[1] = seconds;
  const int m = writer.m;
  if (m == CutBlock::capacity || !call.cut_at_end) return m;
  call.rows_left[m] = scan.n;  // all that have a value
  call.left[m] = call.all[0];
  call.left[CutBlock::stride + m] = call.all[1];
  return m + 1;
}
#else
template <class Item>
int sum_two_vectors(FlagScan& scan, const CutSumsCall& call) {
  return sum_two_cuts<Item>(scan, call);
}
#endif

template <class Item>
int sum_vectors(FlagScan& scan, const CutSumsCall& call) {
  if (call.n_classes == 2) return sum_two_vectors<Item>(scan, call);
  return call.n_classes <= ClassBits<Item>::max ? sum_many_vectors<Item>(scan, call)
                                                : sum_cuts_of<Item>(scan, call);
}

template <class Item>
int find_vectors(FlagScan& scan, const DeviationFilter& filter, const CutSumsCall& call) {
  if (filter.weight)
    return filter.n_classes == 2 ? find_two_vectors<true, Item>(scan, filter, call)
                                 : find_many_vectors<true, Item>(scan, filter, call);
  if (filter.n_classes == 2) return find_two_vectors<false, Item>(scan, filter, call);
  // Where every row is a cut, one sum for all classes is cheaper from here on.
  const bool is_many = filter.n_classes > (scan.has_few_cuts ? ClassBits<Item>::max : 24) &&
                       scan.layout.class_bits <= max_label_bits;
  if (is_many && filter.equal_factors) return find_many<Item>(scan, filter, call);
  return find_many_vectors<false, Item>(scan, filter, call);
}

}  // namespace ramify::RAMIFY_KERNELS

#undef RAMIFY_INLINED

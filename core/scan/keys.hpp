// SPDX-License-Identifier: BSD-3-Clause
// Nodes that look at a few sampled columns: the keys of their rows, made and sorted on the spot.
#pragma once

#include <bit>
#include <cstring>

#include "scan/partition.hpp"
#include "scan/walk.hpp"
#include "simd/prefetch.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Calls use.template operator()<n>(codes) with the number of columns as a constant.
template <class Use>
void with_columns(const CodeRecords& records, int n_columns, Use use) {
  static_assert(columns_at_once == 4);
  with_codes(records, [&](const auto* codes) {
    if (n_columns == 1) return use.template operator()<1>(codes);
    if (n_columns == 2) return use.template operator()<2>(codes);
    if (n_columns == 3) return use.template operator()<3>(codes);
    use.template operator()<4>(codes);
  });
}

/// One pass over the records serves all columns: a record is one or two lines of the cache.
template <int n_columns, class Key, class Code>
void gather_from(const Code* codes, const KeyCall<Key>& call) {
  // Copies, since the compiler must think that what is written could be what is read.
  const int shift = call.layout.code_shift();
  const std::size_t stride = call.records.n_columns;
  const RowIndex* const row_indices = call.row_indices;
  Key* keys[n_columns];
  const Code* column[n_columns];
  for (int j = 0; j < n_columns; ++j) {
    keys[j] = call.keys[j];
    column[j] = codes + call.columns[j];
  }
  for (std::uint32_t i = 0, n = call.n; i < n; ++i) {
    const RowIndex row_index = row_indices[i];
    const std::size_t place = row_index.row * stride;
    for (int j = 0; j < n_columns; ++j) keys[j][i] = Key{column[j][place]} << shift | row_index.low;
  }
}

template <class Key>
void gather_keys(const KeyCall<Key>& call) {
  with_columns(call.records, call.n_columns,
               [&]<int n>(const auto* codes) { gather_from<n>(codes, call); });
}

/// The same without keys. Side by side, since a sum that is added to again at once makes the
/// processor wait.
template <int n_columns, class Key, class Code>
void count_pairs_of(const Code* codes, const PairCall<Key>& call) {
  using Pair = PairSum<typename Weigher<Key>::Sum>;
  const Weigher<Key> weigher = call.weigher;  // copies, as above
  const std::size_t stride = call.records.n_columns;
  const std::uint32_t second_label = call.second_label;
  const RowIndex* const row_indices = call.row_indices;
  Pair* cells[n_columns];
  const Code* column[n_columns];
  for (int j = 0; j < n_columns; ++j) {
    cells[j] = call.cells[j];
    column[j] = codes + call.columns[j];
  }
  for (std::uint32_t i = 0, n = call.n; i < n; ++i) {
    const RowIndex row_index = row_indices[i];
    const std::size_t place = row_index.row * stride;
    prefetch(codes + row_indices[i + 24 < n ? i + 24 : i].row * stride);
    const Pair pair =
        Pair::of(weigher.of(row_index.low), weigher.layout.label(row_index.low) == second_label);
    for (int j = 0; j < n_columns; ++j) cells[j][column[j][place]].add(pair);
  }
}

template <class Key>
void count_pairs(const PairCall<Key>& call) {
  with_columns(call.records, call.n_columns,
               [&]<int n>(const auto* codes) { count_pairs_of<n>(codes, call); });
}

/// Writes the sums on the left of all cuts, that behind the last code included, and their codes.
/// The cells are cleared.
template <class Sum>
void walk_pairs(PairSum<Sum>* cells, std::uint32_t n_codes, CutBlock& block) {
  double *left0 = block.left, *left1 = block.left + CutBlock::stride;
  PairSum<Sum> left{};
  int m = 0;
  for (std::uint32_t code = 0; code < n_codes; ++code) {  // without a branch: any would be a guess
    const PairSum<Sum> here = cells[code];
    cells[code] = {};
    left.add(here);
    block.code[m] = code;
    left0[m] = left.both();
    left1[m] = left.second();
    m += here.any();
  }
  for (int i = 0; i < m; ++i) left0[i] -= left1[i];
  block.n_cuts = m;
}

template <class Key>
KeyRange<Key> range_of_keys(const Key* keys, std::uint32_t n) {
  KeyRange<Key> range{keys[0], keys[0]};
  for (std::uint32_t i = 1; i < n; ++i) {
    range.min = keys[i] < range.min ? keys[i] : range.min;
    range.max = keys[i] > range.max ? keys[i] : range.max;
  }
  return range;
}

constexpr std::uint32_t few_keys = 64;

/// Compares all with all: no branch depends on the keys, and eight comparisons take one step.
/// `keys` has room for eight more.
template <class Key>
void sort_few(Key* keys, std::uint32_t n, Key* sorted) {
  using Signed = std::make_signed_t<Key>;
  constexpr std::uint32_t lanes = 8;
  constexpr Key nobody = ~Key{0};
  for (std::uint32_t i = 0; i < lanes; ++i) keys[n + i] = nobody >> 1;  // keys lack the highest bit
  for (std::uint32_t i = 0; i < n; ++i) sorted[i] = nobody;
  for (std::uint32_t i = 0; i < n; i += lanes) {
    Signed own[lanes], rank[lanes] = {};
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      own[lane] = static_cast<Signed>(keys[i + lane]);
    for (std::uint32_t j = 0; j < n; ++j) {
      const auto other = static_cast<Signed>(keys[j]);
      for (std::uint32_t lane = 0; lane < lanes; ++lane) rank[lane] += other < own[lane];
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) sorted[rank[lane]] = keys[i + lane];
  }
  // Equal keys have gone to the place of the first of them.
  for (std::uint32_t i = 1; i < n; ++i)
    if (sorted[i] == nobody) sorted[i] = sorted[i - 1];
}

/// Codes from an origin on, in digits of some bits each.
template <class Key>
struct Digits {
  Key origin;
  int code_shift, bits;

  std::uint32_t mask() const { return (1u << bits) - 1; }
};

/// Counts all digits in one pass over the keys.
template <int n_digits, class Key>
void count_digits(const Key* keys, std::uint32_t n, Digits<Key> digits, std::uint32_t* counts) {
  const auto [origin, code_shift, bits] = digits;
  const std::uint32_t mask = digits.mask();
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto code = static_cast<std::uint32_t>((keys[i] - origin) >> code_shift);
    for (int digit = 0; digit < n_digits; ++digit)
      ++counts[(static_cast<std::uint32_t>(digit) << bits) + (code >> (digit * bits) & mask)];
  }
}

/// Sorts keys by code, and says where they are then: in `keys` or in `spare`, both with room for
/// eight more.
template <class Key>
const Key* sort_keys(Key* keys, std::uint32_t n, int code_shift, Key* spare) {
  if (n <= few_keys) {
    sort_few(keys, n, spare);
    return spare;
  }
  const KeyRange<Key> range = range_of_keys(keys, n);
  const Key origin = range.min >> code_shift << code_shift;
  const int n_bits = std::bit_width((range.max - origin) >> code_shift);
  if (n_bits == 0) return keys;
  constexpr int max_digits = 4, max_bits = 11;  // 32 bits make four of eight
  const int wanted_bits = n < 4096 ? 9 : max_bits;
  const int n_digits = (n_bits + wanted_bits - 1) / wanted_bits;
  const Digits<Key> digits{origin, code_shift, (n_bits + n_digits - 1) / n_digits};
  const std::uint32_t mask = digits.mask();
  std::uint32_t counts[max_digits << max_bits];
  for (int i = 0; i < n_digits << digits.bits; ++i) counts[i] = 0;
  if (n_digits == 1)
    count_digits<1>(keys, n, digits, counts);
  else if (n_digits == 2)
    count_digits<2>(keys, n, digits, counts);
  else if (n_digits == 3)
    count_digits<3>(keys, n, digits, counts);
  else
    count_digits<4>(keys, n, digits, counts);
  Key *from = keys, *to = spare;
  for (int digit = 0; digit < n_digits; ++digit) {
    std::uint32_t* start = counts + (digit << digits.bits);
    std::uint32_t before = 0;
    for (std::uint32_t value = 0; value <= mask; ++value) {
      const std::uint32_t here = start[value];
      start[value] = before;
      before += here;
    }
    const int shift = code_shift + digit * digits.bits;
    for (std::uint32_t i = 0; i < n; ++i)
      to[start[static_cast<std::uint32_t>((from[i] - origin) >> shift) & mask]++] = from[i];
    Key* const swapped = from;
    from = to;
    to = swapped;
  }
  return from;
}

/// Adds what the keys of each bucket weigh, of two classes.
template <class Key>
void fill_buckets(const Key* keys, std::uint32_t n, Weigher<Key> weigher,
                  std::uint32_t second_label, Buckets<Key> buckets,
                  PairSum<typename Weigher<Key>::Sum>* sums) {
  using Pair = PairSum<typename Weigher<Key>::Sum>;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Key key = keys[i];
    sums[buckets.of(key)].add(Pair::of(weigher.of(key), weigher.layout.label(key) == second_label));
  }
}

/// Copies the keys of some buckets, and gives their number.
template <class Key>
std::uint32_t keep_buckets(const Key* keys, std::uint32_t n, Buckets<Key> buckets,
                           const std::uint8_t* is_kept, Key* kept) {
  std::uint32_t m = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    kept[m] = keys[i];
    m += is_kept[buckets.of(keys[i])];
  }
  return m;
}

/// As walk_list.
template <class Key>
void walk_keys(WalkOf<Key>& walk, CutBlock& block) {
  if constexpr (Weigher<Key>::counts) {
    block.n_cuts = 0;
    if (walk.next >= walk.n) return;
    walk_integer(walk, block);
    if (walk.next + 1 == walk.n && block.n_cuts < CutBlock::capacity) ++walk.next;
    pad(block, walk.channels.n_channels);
  } else {
    walk_list(walk, block);
  }
}

/// Counts the keys below a bound, and adds what they weigh, by class.
template <class Key>
std::uint32_t count_below(const Key* keys, std::uint32_t n, Weigher<Key> weigher, Key bound,
                          int n_classes, typename Weigher<Key>::Sum* classes) {
  using Sum = typename Weigher<Key>::Sum;
  const ItemLayout layout = weigher.layout;
  std::uint32_t n_below = 0;
  if (n_classes == 2) {  // no class is looked up: the loop becomes vector code
    Sum both = 0, second = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const bool is_below = keys[i] < bound;
      const Sum here = is_below ? weigher.of(keys[i]) : 0;
      n_below += is_below;
      both += here;
      second += layout.label(keys[i]) & 1 ? here : 0;
    }
    classes[0] += both - second;
    classes[1] += second;
    return n_below;
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool is_below = keys[i] < bound;
    n_below += is_below;
    classes[layout.label(keys[i])] += is_below ? weigher.of(keys[i]) : 0;
  }
  return n_below;
}

/// Parts rows by their code in a column, each side in the order they had; gives the number of
/// those on the left.
inline std::uint32_t partition_rows(const PartitionCall& call) {
  return with_codes(call.records, [&](const auto* codes) {
    return partition_in_order(
        call.row_indices, call.n, call.spare,
        [code = codes + call.column, stride = call.records.n_columns, highest = call.highest](
            std::uint32_t, const RowIndex& row_index) {
          return static_cast<std::uint32_t>(code[row_index.row * stride] <= highest);
        });
  });
}

/// Adds what some rows weigh, by class.
template <class Key>
void count_indices(const RowIndex* row_indices, std::uint32_t n, Weigher<Key> weigher,
                   int n_classes, typename Weigher<Key>::Sum* classes) {
  using Sum = typename Weigher<Key>::Sum;
  const ItemLayout layout = weigher.layout;
  if (n_classes > 2) {
    for (std::uint32_t i = 0; i < n; ++i)
      classes[layout.label(row_indices[i].low)] += weigher.of(row_indices[i].low);
    return;
  }
  Sum both = 0, second = 0;  // no class is looked up: the loop becomes vector code
  for (std::uint32_t i = 0; i < n; ++i) {
    const Sum here = weigher.of(row_indices[i].low);
    both += here;
    second += layout.label(row_indices[i].low) & 1 ? here : 0;
  }
  classes[0] += both - second;
  classes[1] += second;
}

template <class Key>
constexpr KeyKernels<Key> key_kernels() {
  using Sum = typename Weigher<Key>::Sum;
  return {.gather = gather_keys<Key>,
          .sort = sort_keys<Key>,
          .range = range_of_keys<Key>,
          .fill_buckets = fill_buckets<Key>,
          .keep_buckets = keep_buckets<Key>,
          .walk = walk_keys<Key>,
          .count_pairs = count_pairs<Key>,
          .walk_pairs = walk_pairs<Sum>,
          .count_below = count_below<Key>,
          .count_indices = count_indices<Key>};
}

}  // namespace ramify::RAMIFY_KERNELS

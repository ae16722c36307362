// SPDX-License-Identifier: BSD-3-Clause
// Nodes that look at a few sampled columns have nothing in order: a row has a key in each column
// that is looked at, made on the spot. Here is what a key is, and what the inner loops over keys
// are called with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/code_records.hpp"
#include "rows/layout.hpp"

namespace ramify {

struct CutBlock;
template <class Item>
struct WalkOf;

/// Code, class, and how often the row counts. Sums are counts.
using CountKey = std::uint32_t;
/// Code, class, and the row, whose weight is looked up. Sums are those of weights in units of the
/// target, so they are exact, too.
using RowKey = std::uint64_t;

/// What the row of a key weighs; or that of a member, which is a key without its code.
template <class Key>
struct Weigher;
template <>
struct Weigher<CountKey> {
  using Sum = std::uint32_t;
  static constexpr bool counts = true;
  ItemLayout layout;
  const double* weight = nullptr;

  Sum of(CountKey key) const { return layout.times(key) + (layout.times_bits == 0); }
};
template <>
struct Weigher<RowKey> {
  using Sum = double;
  static constexpr bool counts = false;
  ItemLayout layout;
  const double* weight = nullptr;  // by row

  Sum of(RowKey key) const { return weight[layout.row(key)]; }
};

/// What rows of two classes weigh together, and those of the second.
template <class Sum>
struct PairSum;
template <>
struct PairSum<std::uint32_t> {
  std::uint64_t halves = 0;  // both in the upper half

  static PairSum of(std::uint32_t weight, std::uint32_t is_second) {
    return {std::uint64_t{weight} << 32 | (weight & (0u - is_second))};
  }
  void add(PairSum other) { halves += other.halves; }
  bool any() const { return halves != 0; }
  double both() const { return static_cast<double>(static_cast<std::int64_t>(halves >> 32)); }
  double second() const { return static_cast<double>(static_cast<std::int64_t>(halves & ~0u)); }
};
template <>
struct PairSum<double> {
  double in_both = 0, in_second = 0;

  static PairSum of(double weight, std::uint32_t is_second) {
    return {weight, is_second ? weight : 0};
  }
  void add(PairSum other) {
    in_both += other.in_both;
    in_second += other.in_second;
  }
  bool any() const { return in_both != 0; }
  double both() const { return in_both; }
  double second() const { return in_second; }
};

/// So many columns are looked at in one pass over the members.
inline constexpr std::size_t columns_at_once = 4;

/// Keys of a few columns for some rows: keys[j] for columns[j].
template <class Key>
struct KeyCall {
  CodeRecords records;
  const RowIndex* row_indices;
  std::uint32_t n;
  ItemLayout layout;
  const std::uint32_t* columns;
  int n_columns;
  Key* const* keys;
};

/// Sums by code of a few low-cardinality columns, where two classes occur: added to cells[j][code].
template <class Key>
struct PairCall {
  CodeRecords records;
  const RowIndex* row_indices;
  std::uint32_t n;
  Weigher<Key> weigher;
  std::uint32_t second_label;
  const std::uint32_t* columns;
  int n_columns;
  PairSum<typename Weigher<Key>::Sum>* const* cells;
};

template <class Key>
struct KeyRange {
  Key min, max;
};

/// Keys by their highest bits.
template <class Key>
struct Buckets {
  static constexpr int max = 256;
  Key origin;
  int shift;

  std::uint32_t of(Key key) const { return static_cast<std::uint32_t>((key - origin) >> shift); }
};

/// Parts rows by their code in a column.
struct PartitionCall {
  CodeRecords records;
  RowIndex* row_indices;
  std::uint32_t n;
  std::uint32_t column;
  std::uint32_t highest;  // code on the left
  RowIndex* spare;        // room for n
};

template <class Key>
struct KeyKernels {
  using Sum = typename Weigher<Key>::Sum;
  void (*gather)(const KeyCall<Key>&);
  const Key* (*sort)(Key* keys, std::uint32_t n, int code_shift, Key* spare);
  KeyRange<Key> (*range)(const Key* keys, std::uint32_t n);
  void (*fill_buckets)(const Key* keys, std::uint32_t n, Weigher<Key>, std::uint32_t second_label,
                       Buckets<Key>, PairSum<Sum>* sums);
  std::uint32_t (*keep_buckets)(const Key* keys, std::uint32_t n, Buckets<Key>,
                                const std::uint8_t* is_kept, Key* kept);
  void (*walk)(WalkOf<Key>&, CutBlock&);
  void (*count_pairs)(const PairCall<Key>&);
  void (*walk_pairs)(PairSum<Sum>* cells, std::uint32_t n_codes, CutBlock&);
  std::uint32_t (*count_below)(const Key* keys, std::uint32_t n, Weigher<Key>, Key bound,
                               int n_classes, Sum* classes);
  void (*count_indices)(const RowIndex* row_indices, std::uint32_t n, Weigher<Key>, int n_classes,
                        Sum* classes);
};

}  // namespace ramify

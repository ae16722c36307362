// SPDX-License-Identifier: BSD-3-Clause
// From rows to cuts: sums on the left of each cut of a column, by sorted list or by code.
#pragma once

#include <bit>

#include "scan/kernels.hpp"

namespace ramify::RAMIFY_KERNELS {

inline double weight_of(const Channels& channels, std::uint32_t row) {
  return channels.weight ? channels.weight[row] : 1;
}

/// The same where numbers are learnt.
inline void add_quantised(const Channels& c, std::uint32_t row, double* sums) {
  if (c.n_quantised == 1) {
    sums[0] += 1;
    sums[1] += c.quantised[row];
    return;
  }
  const double* own = c.quantised + std::size_t{row} * c.n_quantised;
  for (int k = 0; k < c.n_quantised; ++k) sums[k] += own[k];
}

/// Adds all that a row contributes; the slow form, for several outputs and sums of the user's.
inline void add_row(const Channels& c, std::uint32_t row, double* sums) {
  if (c.quantised) return add_quantised(c, row, sums);
  const double weight = weight_of(c, row);
  for (int o = 0; o < c.n_outputs; ++o)
    sums[c.channel[c.first_class[o] + c.classes[std::size_t{row} * c.n_outputs + o]]] += weight;
  for (int j = 0; j < c.n_extra; ++j)
    sums[c.n_channels - c.n_extra + j] += weight * c.extra[std::size_t{row} * c.n_extra + j];
}

/// Packs read beyond the last cut: let them find numbers that are harmless.
inline void pad(CutBlock& block, int n_channels) {
  if (block.n_cuts == 0) return;
  for (int k = 0; k < n_channels; ++k) {
    double* left = block.left + k * CutBlock::stride;
    for (int i = block.n_cuts; i % pack_width; ++i) left[i] = left[block.n_cuts - 1];
  }
}

/// Moves rows to the left until the block is full or one row remains. move(item, m) adds a row and
/// writes what then lies on the left of cut m, which is written again until its code ends: but for
/// the end of the loop there is no branch.
template <class Item, class Move>
void walk_cuts(WalkOf<Item>& walk, CutBlock& block, Move move) {
  const Item* items = walk.items;
  const int code_shift = walk.layout.code_shift();
  std::uint32_t* rows_left = block.rows_left;
  std::uint32_t i = walk.next;
  int m = 0;
  while (i + 1 < walk.n && m < CutBlock::capacity) {
    const std::uint32_t room = static_cast<std::uint32_t>(CutBlock::capacity - m);
    const std::uint32_t stop = walk.n - 1 - i < room ? walk.n - 1 : i + room;
    while (i < stop) {
      const Item item = items[i++];
      rows_left[m] = i;
      move(item, m);
      m += (item ^ items[i]) >> code_shift != 0;
    }
  }
  walk.next = i;
  block.n_cuts = m;
}

/// The label of the second of two classes.
inline std::uint32_t second_label(const Channels& c) {
  std::uint32_t label = 0;
  while (c.channel[label] != 1) ++label;
  return label;
}

/// Two classes, each row counts once or several times: the count of the second class and that of
/// both say it all.
template <bool several, class Item>
void walk_two(WalkOf<Item>& walk, CutBlock& block) {
  const ItemLayout layout = walk.layout;
  const std::uint32_t second = second_label(walk.channels);
  auto ones = static_cast<std::uint32_t>(walk.running[1]);
  auto both = static_cast<std::uint32_t>(walk.running[0]) + ones;
  const std::uint32_t before = both - walk.next;  // if all that has moved is not in this list
  std::uint32_t ones_left[CutBlock::stride], both_left[several ? CutBlock::stride : 1];
  walk_cuts(walk, block, [&](Item item, int m) {
    const std::uint32_t is_second = layout.label(item) == second;
    if constexpr (several) {
      const std::uint32_t times = layout.times(item);
      ones += times & (0u - is_second);
      both += times;
      both_left[m] = both;
    } else {
      ones += is_second;
    }
    ones_left[m] = ones;
  });
  double *left0 = block.left, *left1 = block.left + CutBlock::stride;
  for (int cut = 0; cut < block.n_cuts; ++cut) {  // signed numbers become doubles in vector code
    const std::uint32_t all = several ? both_left[cut] : block.rows_left[cut] + before;
    left0[cut] = static_cast<std::int32_t>(all - ones_left[cut]);
    left1[cut] = static_cast<std::int32_t>(ones_left[cut]);
  }
  walk.running[0] = (several ? both : walk.next + before) - ones;
  walk.running[1] = ones;
}

/// The same for weights that are looked up: their sums are exact, in any order.
inline void walk_two_weighed(ListWalk& walk, CutBlock& block) {
  const ItemLayout layout = walk.layout;
  const double* weight = walk.channels.weight;
  const std::uint32_t second = second_label(walk.channels);
  double *left0 = block.left, *left1 = block.left + CutBlock::stride;
  double ones = walk.running[1], both = walk.running[0] + ones;
  walk_cuts(walk, block, [&](std::uint64_t item, int m) {
    const double own = weight[layout.row(item)];
    both += own;
    ones += layout.label(item) == second ? own : 0;
    left0[m] = both;
    left1[m] = ones;
  });
  for (int cut = 0; cut < block.n_cuts; ++cut) left0[cut] -= left1[cut];
  walk.running[0] = both - ones;
  walk.running[1] = ones;
}

/// Regression with one output; is_counted: each row weighs one.
template <bool is_counted>
void walk_regression(ListWalk& walk, CutBlock& block) {
  const ItemLayout layout = walk.layout;
  const double* quantised = walk.channels.quantised;
  double *left0 = block.left, *left1 = block.left + CutBlock::stride;
  double weight = walk.running[0], sum = walk.running[1];
  walk_cuts(walk, block, [&](std::uint64_t item, int m) {
    const std::uint32_t row = layout.row(item);
    if constexpr (is_counted) {
      sum += quantised[row];
    } else {
      weight += quantised[std::size_t{2} * row];
      sum += quantised[std::size_t{2} * row + 1];
      left0[m] = weight;
    }
    left1[m] = sum;
  });
  if constexpr (is_counted) {
    weight = static_cast<std::int32_t>(walk.next);
    for (int cut = 0; cut < block.n_cuts; ++cut)
      left0[cut] = static_cast<std::int32_t>(block.rows_left[cut]);
  }
  walk.running[0] = weight;
  walk.running[1] = sum;
}

template <class Item, class Add>
void walk_many(WalkOf<Item>& walk, CutBlock& block, Add add) {
  const ItemLayout layout = walk.layout;
  const Item* items = walk.items;
  std::uint32_t i = walk.next;
  int m = 0;
  while (i + 1 < walk.n && m < CutBlock::capacity) {
    add(items[i]);
    ++i;
    if (layout.code(items[i - 1]) == layout.code(items[i])) continue;
    block.rows_left[m] = i;
    for (int k = 0; k < walk.channels.n_channels; ++k)
      block.left[k * CutBlock::stride + m] = walk.running[k];
    ++m;
  }
  walk.next = i;
  block.n_cuts = m;
}

inline void add_item(const Channels& c, ItemLayout layout, std::uint64_t item, double* sums) {
  if (c.is_general)
    add_row(c, layout.row(item), sums);
  else
    sums[c.channel[layout.label(item)]] += weight_of(c, layout.row(item));
}

/// Sums over some items, whatever their codes.
inline void sum_items(const std::uint64_t* items, std::uint32_t n, ItemLayout layout,
                      const Channels& c, double* sums) {
  for (int k = 0; k < c.n_channels; ++k) sums[k] = 0;
  for (std::uint32_t i = 0; i < n; ++i) add_item(c, layout, items[i], sums);
}

/// Whole weights: they are in the items.
template <class Item>
void walk_integer(WalkOf<Item>& walk, CutBlock& block) {
  const Channels& c = walk.channels;
  const ItemLayout layout = walk.layout;
  double* running = walk.running;
  if (layout.times_bits > 0 && c.n_channels == 2)
    walk_two<true>(walk, block);
  else if (layout.times_bits > 0)
    walk_many(walk, block,
              [&](Item item) { running[c.channel[layout.label(item)]] += layout.times(item); });
  else if (c.n_channels == 2)
    walk_two<false>(walk, block);
  else
    walk_many(walk, block, [&](Item item) { running[c.channel[layout.label(item)]] += 1; });
}

/// Fills the next block; an empty one says that the column is at its end.
inline void walk_list(ListWalk& walk, CutBlock& block) {
  const Channels& c = walk.channels;
  double* running = walk.running;
  const ItemLayout layout = walk.layout;
  block.n_cuts = 0;
  if (walk.next >= walk.n) return;
  if (c.n_quantised == 1)
    walk_regression<true>(walk, block);
  else if (c.n_quantised == 2)
    walk_regression<false>(walk, block);
  else if (c.is_general)
    walk_many(walk, block, [&](std::uint64_t item) { add_row(c, layout.row(item), running); });
  else if (c.weight && layout.times_bits == 0 && c.n_channels == 2)
    walk_two_weighed(walk, block);
  else if (c.weight && layout.times_bits == 0)
    walk_many(walk, block, [&](std::uint64_t item) {
      running[c.channel[layout.label(item)]] += c.weight[layout.row(item)];
    });
  else
    walk_integer(walk, block);

  if (walk.next + 1 == walk.n && block.n_cuts < CutBlock::capacity) {
    const std::uint64_t last = walk.items[walk.next++];
    if (walk.cut_at_end) {
      add_item(c, layout, last, running);
      // The cut between all values and the missing rows.
      block.rows_left[block.n_cuts] = walk.n;
      for (int k = 0; k < c.n_channels; ++k)
        block.left[k * CutBlock::stride + block.n_cuts] = running[k];
      ++block.n_cuts;
    }
  }
  pad(block, c.n_channels);
}

inline bool is_counted(const Channels& c) { return !c.weight && !c.is_general; }
inline bool is_integer(const Channels& c) { return (!c.weight || c.times) && !c.is_general; }

/// Adds the rows of a node to the sums of their codes in one column and notes which codes occur.
/// The slow form, for weights, several outputs and sums of the user's.
inline void sum_codes(const RecordView& rows, int column, const Channels& c, CodeSums& by_code) {
  const std::uint8_t* code = rows.codes + column;
  const int n = c.n_channels;
  for (std::uint64_t& word : by_code.present) word = 0;
  for (std::uint32_t i = 0; i < rows.n; ++i, code += rows.stride) {
    by_code.present[*code >> 6] |= std::uint64_t{1} << (*code & 63);
    ++by_code.rows[*code];
    if (c.is_general)
      add_row(c, rows.rows[i], by_code.sums + *code * n);
    else
      by_code.sums[*code * n + c.channel[rows.labels[i]]] += weight_of(c, rows.rows[i]);
  }
}

/// Counts the codes of several columns in one pass over the records of a node. Side by side, since
/// a counter that is raised again at once makes the processor wait. Which codes occur is noted only
/// where looking at all would cost more.
template <bool note, bool several>
void count_codes_of(const RecordView& rows, const int* columns, int n, const Channels& c,
                    CodeSums* by_code) {
  std::uint32_t* counts[CodeSums::columns_at_once];
  for (int j = 0; j < n; ++j) {
    counts[j] = by_code[j].counts;
    for (std::uint64_t& word : by_code[j].present) word = note ? 0 : ~std::uint64_t{0};
  }
  const std::uint8_t* record = rows.codes;
  for (std::uint32_t i = 0; i < rows.n; ++i, record += rows.stride) {
    const std::uint32_t channel = c.channel[rows.labels[i]];
    const std::uint32_t times = several ? c.times[rows.rows[i]] : 1;
    for (int j = 0; j < n; ++j) {
      const std::uint32_t code = record[columns[j]];
      counts[j][code * static_cast<std::uint32_t>(c.n_channels) + channel] += times;
      if constexpr (several) ++by_code[j].rows[code];
      if constexpr (note) by_code[j].present[code >> 6] |= std::uint64_t{1} << (code & 63);
    }
  }
}

inline void count_codes(const RecordView& rows, const int* columns, int n_columns,
                        const Channels& c, CodeSums* by_code) {
  constexpr std::uint32_t many_rows = 256;
  const bool note = rows.n < many_rows;
  if (c.times)
    note ? count_codes_of<true, true>(rows, columns, n_columns, c, by_code)
         : count_codes_of<false, true>(rows, columns, n_columns, c, by_code);
  else
    note ? count_codes_of<true, false>(rows, columns, n_columns, c, by_code)
         : count_codes_of<false, false>(rows, columns, n_columns, c, by_code);
}

/// Moves the sums of one code, which are cleared, to the running sums. Returns their total.
template <class Sum>
Sum move_sums(Sum* from, int n, double* to) {
  Sum total = 0;
  for (int k = 0; k < n; ++k) {
    total += from[k];
    to[k] += from[k];
    from[k] = 0;
  }
  return total;
}

/// All cuts of a low-cardinality column (they fit into one block), from the sums of its codes,
/// which are cleared. `missing` has room for the sums of the missing rows and, behind them, for
/// running sums.
inline void walk_codes(CodeSums& by_code, int n_codes, const Channels& c, bool has_missing,
                       CutBlock& block, double* missing) {
  const int n = c.n_channels;
  const bool counted = is_counted(c), whole = is_integer(c);
  double* running = missing + n;
  for (int k = 0; k < 2 * n; ++k) missing[k] = 0;
  block.is_supplied = by_code.supplied_rows;
  std::uint64_t rows = 0;
  int m = 0;
  for (int word = 0; word * 64 <= n_codes; ++word) {
    for (std::uint64_t present = by_code.present[word]; present; present &= present - 1) {
      const int code = word * 64 + std::countr_zero(present);
      double* to = code < n_codes ? running : missing;
      std::uint64_t rows_here = 0;
      if (whole)
        rows_here = move_sums(by_code.counts + code * n, n, to);
      else
        move_sums(by_code.sums + code * n, n, to);
      if (!counted) rows_here = by_code.take_rows(static_cast<std::uint32_t>(code));
      if (rows_here == 0) continue;
      if (code == n_codes) break;
      // The cut behind this code; the one behind the last code is taken back below.
      rows += rows_here;
      block.rows_left[m] = static_cast<std::uint32_t>(rows);
      if (block.is_supplied) block.supplied_left[m] = rows;
      block.code[m] = static_cast<std::uint32_t>(code);
      if (m > 0) block.next_code[m - 1] = static_cast<std::uint32_t>(code);
      for (int k = 0; k < n; ++k) block.left[k * CutBlock::stride + m] = running[k];
      ++m;
    }
  }
  if (m > 0) block.next_code[m - 1] = static_cast<std::uint32_t>(n_codes);
  block.n_cuts = m > 0 && !has_missing ? m - 1 : m;
  pad(block, n);
}

/// Stable partition of a list, by row; what is not kept may be overwritten.
inline void partition_list(std::uint64_t* items, std::uint32_t n, ItemLayout layout,
                           const std::uint8_t* goes_left, Keep keep, std::uint64_t* spare) {
  if (keep == Keep::right) {  // from the back, so that the end of the segment is filled in place
    std::uint32_t to = n;
    for (std::uint32_t i = n; i-- > 0;) {
      const std::uint64_t item = items[i];
      items[to - 1] = item;
      to -= !goes_left[layout.row(item)];
      if (to == 0) return;
    }
    return;
  }
  std::uint32_t left = 0, right = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint64_t item = items[i];
    const std::uint32_t is_left = goes_left[layout.row(item)];
    items[left] = item;
    if (keep == Keep::both) spare[right] = item;
    left += is_left;
    right += 1 - is_left;
  }
  if (keep == Keep::both) std::memcpy(items + left, spare, right * sizeof(std::uint64_t));
}

inline double largest(const double* x, int n) {
  int i = 0;
  double best = x[0];
  if (n >= pack_width) {
    Pack top = load<Pack>(x);
    for (i = pack_width; i + pack_width <= n; i += pack_width) top = larger(top, load<Pack>(x + i));
    for (int lane = 0; lane < pack_width; ++lane) best = top[lane] > best ? top[lane] : best;
  }
  for (; i < n; ++i) best = x[i] > best ? x[i] : best;
  return best;
}

/// The places of some numbers, at most 64, in their order; equal ones in that of their places. All
/// are compared with all, so that no branch depends on them.
inline void order_few(const double* x, int n, std::uint8_t* order) {
  constexpr int max = 64;
  std::int64_t rank[max];
  for (int i = 0; i < n; ++i) rank[i] = 0;
  for (int j = 0; j < n; ++j) {
    const double other = x[j];
    for (int i = 0; i <= j; ++i) rank[i] += other < x[i];
    for (int i = j + 1; i < n; ++i) rank[i] += other <= x[i];
  }
  for (int i = 0; i < n; ++i) order[rank[i]] = static_cast<std::uint8_t>(i);
}

}  // namespace ramify::RAMIFY_KERNELS

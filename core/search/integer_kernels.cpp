// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "search/integer_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "criteria/criterion.hpp"
#include "criteria/impurity.hpp"
#include "simd/short_lanes.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

template <int n_columns, class Code>
void count_into(const Code* codes, const CellCall& call) {
  // Copies, since the compiler must think that what is written could be what is read.
  const ItemLayout layout = call.layout;
  const std::size_t width = call.records.n_columns;
  const auto stride = static_cast<std::uint32_t>(call.stride);
  const std::uint32_t unit = layout.times_bits == 0;
  std::uint16_t* cells[n_columns];
  const Code* column[n_columns];
  for (int j = 0; j < n_columns; ++j) {
    cells[j] = call.cells[j];
    column[j] = codes + call.columns[j];
  }
  for (std::uint32_t i = 0, n = call.n; i < n; ++i) {
    const RowIndex row_index = call.row_indices[i];
    const std::size_t place = row_index.row * width;
    const std::uint32_t label = layout.label(row_index.low),
                        times = layout.times(row_index.low) + unit;
    for (int j = 0; j < n_columns; ++j)
      cells[j][column[j][place] * stride + label] += static_cast<std::uint16_t>(times);
  }
}

template <class Code>
void count_columns(const Code* codes, const CellCall& call) {
  static_assert(columns_at_once == 4);
  if (call.n_columns == 1) return count_into<1>(codes, call);
  if (call.n_columns == 2) return count_into<2>(codes, call);
  if (call.n_columns == 3) return count_into<3>(codes, call);
  count_into<4>(codes, call);
}

void count_cells(const CellCall& call) {
  with_codes(call.records, [&](const auto* codes) { count_columns(codes, call); });
}

void take_away(std::uint16_t* from, const std::uint16_t* cells, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<std::uint16_t>(from[i] - cells[i]);
}

void count_masks(std::uint64_t rows, const std::uint64_t* classes, std::size_t n,
                 std::uint32_t* counts) {
  for (std::size_t k = 0; k < n; ++k)
    counts[k] = static_cast<std::uint32_t>(std::popcount(rows & classes[k]));
}

template <class Code>
int find_codes_of(const Code* codes, const CodeBits& call) {
  std::uint64_t present[4] = {};
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < call.n; ++i) {
    const RowIndex row_index = call.row_indices[i];
    const std::uint32_t code = codes[row_index.row * call.records.n_columns];
    const std::uint32_t times = call.layout.often(row_index.low);
    call.by_code[code] |= ~std::uint64_t{0} >> (64 - times) << at;
    present[code / 64] |= std::uint64_t{1} << code % 64;
    at += times;
  }
  std::uint64_t so_far = 0;
  int n = 0;
  for (std::uint32_t word = 0; word < 4; ++word)
    for (std::uint64_t left = present[word]; left != 0; left &= left - 1) {
      const std::uint32_t code = word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      so_far |= std::exchange(call.by_code[code], 0);
      call.code[n] = code;
      call.up_to[n++] = so_far;
    }
  return n;
}

int find_codes(const CodeBits& call) {
  return with_codes(call.records,
                    [&](const auto* codes) { return find_codes_of(codes + call.column, call); });
}

/// Whole sums of the two sides of each cut, and what weighs on its left.
struct IntegerCuts {
  static constexpr int room = CutBlock::capacity + 8;
  alignas(64) std::int32_t total_left[room], left[room], right[room];
  int n = 0;
};

template <class C>
void score_integer(IntegerCuts& cuts, double total, double whole, double* scores) {
  const C criterion{};
  for (int i = cuts.n; i % pack_width; ++i) {  // harmless numbers up to a whole pack
    cuts.total_left[i] = cuts.total_left[0];
    cuts.left[i] = cuts.left[0];
    cuts.right[i] = cuts.right[0];
  }
  for (int i = 0; i < cuts.n; i += pack_width) {
    double weight[pack_width], left[pack_width], right[pack_width];
    for (int lane = 0; lane < pack_width; ++lane) {
      weight[lane] = cuts.total_left[i + lane];
      left[lane] = cuts.left[i + lane];
      right[lane] = cuts.right[i + lane];
    }
    const Pack total_left = load<Pack>(weight);
    store(scores + i, criterion.combine(ClassSums<Pack>{total, whole, total_left, load<Pack>(left),
                                                        total - total_left, load<Pack>(right)}));
  }
}

/// Looks cuts over, in floats: are there any at all, and may one of them reach a score? Sums of
/// integers below 2^30 lose less than a millionth there.
template <class C>
Seen look_over(const IntegerCuts& cuts, double total, double whole, double min) {
  constexpr double share = 1 - 4e-6;
  const auto all = static_cast<std::int32_t>(total);
  std::int32_t top = 0, is_cut = 0;  // floats that are not negative have the order of their bits
  for (int i = 0; i < cuts.n; ++i) {
    const std::int32_t total_left = cuts.total_left[i], total_right = all - total_left;
    const std::int32_t cut = total_left != 0 && total_right != 0 ? -1 : 0;
    const float reached =
        C::children(static_cast<float>(cuts.left[i]), static_cast<float>(total_left),
                    static_cast<float>(cuts.right[i]), static_cast<float>(total_right));
    const std::int32_t bits = std::bit_cast<std::int32_t>(reached) & cut;
    top = bits > top ? bits : top;
    is_cut |= cut;
  }
  if (!is_cut) return Seen::constant;
  return std::bit_cast<float>(top) < C::min_children(min, total, whole) * share ? Seen::beaten
                                                                                : Seen::scored;
}

/// Keeps the sums of codes that occur, and writes these down; code_of(i) is the i-th.
template <class CodeOf>
void keep_present(IntegerCuts& cuts, CutBlock& block, CodeOf code_of) {
  int m = 0;
  std::int32_t before = 0;
  for (int i = 0; i < cuts.n; ++i) {
    const std::int32_t total_left = cuts.total_left[i];
    block.code[m] = code_of(i);
    block.rows_left[m] = static_cast<std::uint32_t>(total_left);
    cuts.total_left[m] = total_left;
    cuts.left[m] = cuts.left[i];
    cuts.right[m] = cuts.right[i];
    m += total_left != before;
    before = total_left;
  }
  block.n_cuts = cuts.n = m - 1;  // behind the last code there is no cut
}

/// What lies up to each code, four codes at a time. `stride` is known when this is compiled: the
/// loops over classes become a few vector steps.
template <int stride>
void sum_cells(const CellWalk& walk, IntegerCuts& cuts) {
  static_assert(CellCall::codes_at_once == 4 && stride % ShortLanes::n == 0);
  constexpr int n_parts = stride / ShortLanes::n;
  const ShortLanes ones = ShortLanes::spread(1);
  ShortLanes left[n_parts], parent[n_parts];
  for (int p = 0; p < n_parts; ++p) {
    left[p] = ShortLanes::spread(0);
    parent[p] = ShortLanes::load(walk.parent + ShortLanes::n * p);
  }
  cuts.n = static_cast<int>(walk.n_codes);
  for (int code = 0; code < cuts.n; code += 4) {
    ProductSums total[4], of_left[4], of_right[4];
    for (int c = 0; c < 4; ++c)
      for (int p = 0; p < n_parts; ++p) {
        left[p] = left[p] + ShortLanes::load(walk.cells + (code + c) * stride + ShortLanes::n * p);
        const ShortLanes right = parent[p] - left[p];
        total[c].add(left[p], ones);
        of_left[c].add(left[p], left[p]);
        of_right[c].add(right, right);
      }
    add_up(total, cuts.total_left + code);
    add_up(of_left, cuts.left + code);
    add_up(of_right, cuts.right + code);
  }
}

/// Scores the cuts whose sums are known, if one of them may reach the score that matters.
template <class C, class CodeOf>
Seen score_sums(IntegerCuts& cuts, double total, double whole, double min, CutBlock& block,
                double* scores, CodeOf code_of) {
  const Seen seen = look_over<C>(cuts, total, whole, min);
  if (seen != Seen::scored) return seen;
  keep_present(cuts, block, code_of);
  score_integer<C>(cuts, total, whole, scores);
  return seen;
}

template <class C>
Seen walk_cells(const CellWalk& walk, CutBlock& block, double* scores) {
  static_assert(CellCall::max_classes == 4 * CellCall::step);
  IntegerCuts cuts;
  if (walk.stride == 16)
    sum_cells<16>(walk, cuts);
  else if (walk.stride == 32)
    sum_cells<32>(walk, cuts);
  else if (walk.stride == 48)
    sum_cells<48>(walk, cuts);
  else
    sum_cells<64>(walk, cuts);
  std::int32_t whole = 0;
  for (int k = 0; k < walk.stride; ++k) whole += std::int32_t{walk.parent[k]} * walk.parent[k];
  return score_sums<C>(cuts, walk.total, whole, walk.min, block, scores,
                       [](int i) { return static_cast<std::uint32_t>(i); });
}

/// Sums of the two sides of each cut, where `up_to` says what lies left of it.
void sum_masks(const MaskWalk& walk, IntegerCuts& cuts) {
  cuts.n = walk.n;
  std::uint64_t before = 0;
  std::int32_t left = 0, right = 0, total_left = 0;
  for (int i = 0; i < walk.n; ++i) {
    const std::uint64_t rows = walk.up_to[i] & walk.node;
    if (rows != before) {
      before = rows;
      left = right = 0;
      for (int k = 0; k < walk.n_classes; ++k) {
        const std::int32_t n = std::popcount(rows & walk.classes[k]),
                           rest = static_cast<std::int32_t>(walk.parent[k]) - n;
        left += n * n;
        right += rest * rest;
      }
      total_left = std::popcount(rows);
    }
    cuts.total_left[i] = total_left;
    cuts.left[i] = left;
    cuts.right[i] = right;
  }
}

template <class C>
Seen walk_masks(const MaskWalk& walk, CutBlock& block, double* scores) {
  IntegerCuts cuts;
  sum_masks(walk, cuts);
  std::int32_t whole = 0;
  for (int k = 0; k < walk.n_classes; ++k)
    whole += static_cast<std::int32_t>(walk.parent[k] * walk.parent[k]);
  return score_sums<C>(cuts, walk.total, whole, walk.min, block, scores,
                       [&](int i) { return walk.code[i]; });
}

template <class C>
constexpr IntegerKernel integer_entry() {
  static_assert(C::has_integer_sums);
  return {&C::info, C::max, walk_cells<C>, walk_masks<C>};
}

constexpr std::array integer_criteria{integer_entry<Gini>()};

}  // namespace

extern const IntegerKernels integer_table;
const IntegerKernels integer_table{.criteria = integer_criteria,
                                   .count_cells = count_cells,
                                   .count_masks = count_masks,
                                   .find_codes = find_codes,
                                   .take_away = take_away};

}  // namespace ramify::RAMIFY_KERNELS

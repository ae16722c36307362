// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "search/integer_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>

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

/// Keeps the sums of codes that occur, and writes these down.
void keep_present(IntegerCuts& cuts, CutBlock& block) {
  int m = 0;
  std::int32_t before = 0;
  for (int i = 0; i < cuts.n; ++i) {
    const std::int32_t total_left = cuts.total_left[i];
    block.code[m] = static_cast<std::uint32_t>(i);
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
  const Seen seen = look_over<C>(cuts, walk.total, whole, walk.min);
  if (seen != Seen::scored) return seen;
  keep_present(cuts, block);
  score_integer<C>(cuts, walk.total, whole, scores);
  return seen;
}

template <class C>
constexpr IntegerKernel integer_entry() {
  static_assert(C::has_integer_sums);
  return {&C::info, C::max, walk_cells<C>};
}

constexpr std::array integer_criteria{integer_entry<Gini>()};

}  // namespace

extern const IntegerKernels integer_table;
const IntegerKernels integer_table{
    .criteria = integer_criteria, .count_cells = count_cells, .take_away = take_away};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "split/drawn_kernels.hpp"

#include <array>
#include <bit>

#include "criteria/criterion.hpp"
#include "criteria/impurity.hpp"

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
    const Member member = call.members[i];
    const std::size_t place = member.row * width;
    const std::uint32_t label = layout.label(member.low), times = layout.times(member.low) + unit;
    for (int j = 0; j < n_columns; ++j)
      cells[j][column[j][place] * stride + label] += static_cast<std::uint16_t>(times);
  }
}

template <class Code>
void count_columns(const Code* codes, const CellCall& call) {
  static_assert(KeyCall::columns_at_once == 4);
  if (call.n_columns == 1) return count_into<1>(codes, call);
  if (call.n_columns == 2) return count_into<2>(codes, call);
  if (call.n_columns == 3) return count_into<3>(codes, call);
  count_into<4>(codes, call);
}

void count_cells(const CellCall& call) {
  if (call.records.width == 1)
    return count_columns(static_cast<const std::uint8_t*>(call.records.codes), call);
  if (call.records.width == 2)
    return count_columns(static_cast<const std::uint16_t*>(call.records.codes), call);
  count_columns(static_cast<const std::uint32_t*>(call.records.codes), call);
}

/// Whole sums of the two sides of each cut.
struct WholeCuts {
  std::int32_t total_left[CutBlock::stride], left[CutBlock::stride], right[CutBlock::stride];
  int n = 0;
};

template <class C>
void score_whole(WholeCuts& cuts, double total, double whole, double* scores) {
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

/// `stride` is known when this is compiled: the loops over classes become a few vector steps.
template <class C, int stride>
void walk_cells_of(const CellWalk& walk, CutBlock& block, double* scores) {
  std::int16_t left[stride] = {}, parent[stride];
  std::int32_t whole = 0;
  for (int k = 0; k < stride; ++k) {
    parent[k] = static_cast<std::int16_t>(walk.parent[k]);
    whole += parent[k] * parent[k];
  }
  WholeCuts cuts;
  int m = 0;
  std::int32_t total = 0;
  for (std::uint32_t code = 0; code < walk.n_codes; ++code) {
    std::uint16_t* here = walk.cells + code * stride;
    std::int32_t moved = 0, sum_left = 0, sum_right = 0;
    for (int k = 0; k < stride; ++k) moved += here[k];
    if (moved == 0) continue;
    for (int k = 0; k < stride; ++k) {
      left[k] = static_cast<std::int16_t>(left[k] + here[k]);
      here[k] = 0;
    }
    for (int k = 0; k < stride; ++k) sum_left += left[k] * left[k];
    for (int k = 0; k < stride; ++k) {
      const auto right = static_cast<std::int16_t>(parent[k] - left[k]);
      sum_right += right * right;
    }
    total += moved;
    cuts.total_left[m] = total;
    cuts.left[m] = sum_left;
    cuts.right[m] = sum_right;
    block.code[m++] = code;
  }
  block.n_cuts = cuts.n = m - 1;  // behind the last code there is no cut
  score_whole<C>(cuts, walk.total, whole, scores);
}

template <class C>
void walk_cells(const CellWalk& walk, CutBlock& block, double* scores) {
  static_assert(CellCall::most_classes == 4 * CellCall::step);
  if (walk.stride == 16) return walk_cells_of<C, 16>(walk, block, scores);
  if (walk.stride == 32) return walk_cells_of<C, 32>(walk, block, scores);
  if (walk.stride == 48) return walk_cells_of<C, 48>(walk, block, scores);
  walk_cells_of<C, 64>(walk, block, scores);
}

template <class C>
void walk_masks(const MaskWalk& walk, CutBlock& block, double* scores) {
  WholeCuts cuts;
  std::uint64_t before = 0;
  int m = 0;
  for (int i = 0; i < walk.n; ++i) {
    const std::uint64_t rows = walk.up_to[i] & walk.node;
    if (rows == before) continue;
    before = rows;
    block.code[m] = walk.code[i];
    if (rows == walk.node) {
      ++m;
      break;
    }
    std::int32_t left = 0, right = 0;
    for (int k = 0; k < walk.n_classes; ++k) {
      const std::int32_t n = std::popcount(rows & walk.classes[k]),
                         rest = static_cast<std::int32_t>(walk.parent[k]) - n;
      left += n * n;
      right += rest * rest;
    }
    cuts.total_left[m] = std::popcount(rows);
    cuts.left[m] = left;
    cuts.right[m++] = right;
  }
  std::int32_t whole = 0;
  for (int k = 0; k < walk.n_classes; ++k)
    whole += static_cast<std::int32_t>(walk.parent[k] * walk.parent[k]);
  block.n_cuts = cuts.n = m - 1;
  score_whole<C>(cuts, walk.total, whole, scores);
}

template <class C>
constexpr WholeKernel whole_entry() {
  static_assert(C::has_whole_sums);
  return {&C::info, walk_cells<C>, walk_masks<C>};
}

constexpr std::array whole{whole_entry<Gini>()};

}  // namespace

extern const DrawnKernels drawn_table;
const DrawnKernels drawn_table{.whole = whole, .count_cells = count_cells};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Sampled columns of low cardinality: counted in sixteen bits for criteria whose sums of whole
// weights are exact; by pairs of sums for any criterion where two classes occur.
#pragma once

#include <algorithm>
#include <utility>

#include "search/sampled.hpp"
#include "select/judge.hpp"

namespace ramify {

template <class Key>
void SampledSearch<Key>::prepare_integer() {
  if (!Weigher<Key>::counts) return;
  whole_ = integer_kernels().of(plan_.criterion.builtin->info->name);
  if (!whole_ || counts_.size() < 3 || counts_.size() > CellCall::max_classes) return;
  cell_stride_ = CellCall::stride_for(counts_.size());
  cell_parent_.resize(static_cast<std::size_t>(cell_stride_));
  for (auto& cells : cells_)
    cells.resize(CodeSums::max_codes * static_cast<std::size_t>(cell_stride_));
}

/// Which columns may be counted where two classes occur, and from how many rows on that is cheaper
/// than to sort them. How many rows lie left of a cut is not known then. Categories in the order of
/// their shares are always counted.
template <class Key>
void SampledSearch<Key>::prepare_pairs() {
  constexpr std::uint32_t few_rows = 16;
  for (const Column& column : table_.columns) {
    const bool may_be_counted =
        column.is_categorical
            ? may_order(column)
            : column.is_low_cardinality() && !plan_.random_cuts && !tried_limits(plan_).any();
    counted_from_.push_back(!may_be_counted         ? nobody
                            : column.is_categorical ? 0
                                                    : std::max(few_rows, column.n_codes() / 2));
  }
}

template <class Key>
void SampledSearch<Key>::count_pairs(const NodeQuery& node,
                                     std::span<const std::uint32_t> columns) {
  PairSum<Sum>* cells[columns_at_once];
  for (std::size_t j = 0; j < columns.size(); ++j) cells[j] = pairs_[j].data();
  kernels_.count_pairs({node.records, node.row_indices.data(),
                        static_cast<std::uint32_t>(node.row_indices.size()), weigher_,
                        classes_.name[1], columns.data(), static_cast<int>(columns.size()), cells});
}

template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::best_of_pairs(PairSum<Sum>* cells,
                                                                   const Column& column) {
  const std::uint32_t n_codes = column.n_codes();
  const PairSum<Sum> missing = std::exchange(cells[n_codes], {});
  kernels_.walk_pairs(cells, n_codes, block_);
  Cut cut;
  cut.saw_missing = missing.any();
  cut.is_constant = block_.n_cuts + cut.saw_missing < 2 || block_.n_cuts == 0;
  if (cut.is_constant) return cut;
  if (!cut.saw_missing) {
    --block_.n_cuts;  // behind the last code there is no cut
    score(block_.n_cuts, scores_);
    return first_of_best(Seen::scored);
  }
  for (int i = 0; i + 1 < block_.n_cuts; ++i) block_.next_code[i] = block_.code[i + 1];
  block_.next_code[block_.n_cuts - 1] = n_codes;
  missing_[0] = missing.both() - missing.second();
  missing_[1] = missing.second();
  score_with_missing(n_codes, cut);
  return cut;
}

/// Are there enough rows, few enough for sixteen bits, and are all of these columns narrow?
template <class Key>
bool SampledSearch<Key>::may_count_cells(std::span<const std::uint32_t> columns) const {
  constexpr std::uint32_t few_rows = 24;
  if (cell_stride_ == 0 || n_rows_ < few_rows || classes_.total > CellCall::max_weight ||
      tried_limits(plan_).any())
    return false;
  return std::ranges::all_of(columns, [&](std::uint32_t each) {
    const Column& column = table_.columns[each];
    return column.is_low_cardinality() && !column.is_categorical && column.n_missing == 0 &&
           2 * n_rows_ >= column.n_codes();
  });
}

template <class Key>
void SampledSearch<Key>::look_at_cells(const NodeQuery& node,
                                       std::span<const std::uint32_t> columns, Cut* cuts) {
  std::uint16_t* cells[columns_at_once];
  for (std::size_t j = 0; j < columns.size(); ++j) cells[j] = cells_[j].data();
  integer_kernels().count_cells({node.records, node.row_indices.data(), n_rows_, layout_,
                                 columns.data(), static_cast<int>(columns.size()), cells,
                                 cell_stride_});
  for (std::size_t k = 0; k < node.sums.size(); ++k)
    cell_parent_[k] = static_cast<std::uint16_t>(node.sums[k]);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::uint32_t n_codes = table_.columns[columns[j]].n_codes();
    const double min = plan_.random_cuts ? minus_infinity : surely_below(to_beat_);
    const Seen seen = whole_->walk_cells(
        {cells[j], cell_stride_, n_codes, cell_parent_.data(), classes_.total, min}, block_,
        scores_);
    cuts[j] = plan_.random_cuts ? random_of(seen, columns[j], node.key) : first_of_best(seen);
    to_beat_ = std::max(to_beat_, cuts[j].best);
    std::fill_n(cells[j], n_codes * static_cast<std::size_t>(cell_stride_), std::uint16_t{0});
  }
}

/// From the scores of all cuts of a column, and the codes that occur.
template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::first_of_best(Seen seen) {
  Cut cut;
  cut.is_constant = seen == Seen::constant;
  if (seen != Seen::scored) return cut;
  const int i = offer(cut);
  if (i < 0) return cut;
  cut.code = block_.code[i];
  cut.next_code = block_.code[i + 1];
  return cut;
}

/// One of them, by a random threshold.
template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::random_of(Seen seen, std::uint32_t column,
                                                               std::uint64_t key) const {
  Cut cut;
  cut.is_constant = seen == Seen::constant;
  if (cut.is_constant) return cut;
  const Column& info = table_.columns[column];
  const std::uint32_t low = block_.code[0], high = block_.code[block_.n_cuts];
  cut.threshold = random_threshold(info, static_cast<int>(column), key, low, high);
  cut.code = info.last_up_to(cut.threshold, low, high);
  int at = 0;
  while (block_.code[at + 1] <= cut.code) ++at;
  // A threshold within a bin that occurs parts nothing.
  if (info.upper(cut.code) > cut.threshold && block_.code[at] == cut.code) return cut;
  cut.best = cut.score = scores_[at];
  return cut;
}

}  // namespace ramify

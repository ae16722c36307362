// SPDX-License-Identifier: BSD-3-Clause
#include "search/sampled/histograms.hpp"

#include <algorithm>
#include <utility>

#include "select/judge.hpp"

namespace ramify {

template <class Key>
SampledHistograms<Key>::SampledHistograms(SampledNode<Key>& node)
    : node_(node), running_(node.n_all_classes()) {
  for (auto& pairs : pairs_) pairs.resize(CodeSums::max_codes);
  prepare_pairs();
  if (!may_count_rows(node.target, node.plan)) return;
  integer_ = integer_kernels().of(node_.plan.criterion.builtin->info->name);
  cell_stride_ = CellCall::stride_for(node_.n_all_classes());
  cell_parent_.resize(static_cast<std::size_t>(cell_stride_));
  for (auto& cells : cells_)
    cells.resize(CodeSums::max_codes * static_cast<std::size_t>(cell_stride_));
}

template <class Key>
void SampledHistograms<Key>::start() {
  has_max_ = false;
  if (cell_stride_ == 0 || node_.classes.total > CellCall::max_weight) return;
  for (std::size_t k = 0; k < node_.query.sums.size(); ++k)
    cell_parent_[k] = static_cast<std::uint16_t>(node_.query.sums[k]);
  // What is sampled later depends on which columns are constant: only where all are looked at, the
  // last ones may be left out.
  has_max_ = integer_ && node_.plan.max_columns == 0;
  if (!has_max_) return;
  double squares = 0;
  for (const double weight : node_.classes.weight) squares += weight * weight;
  constexpr double rounding = 1e-13;
  max_ = integer_->max(node_.classes.total, squares) + rounding;
}

/// Which columns may be counted where two classes occur, and from how many rows on that is cheaper
/// than to sort them. How many rows lie left of a cut is not known then. Categories in the order of
/// their shares are always counted.
template <class Key>
void SampledHistograms<Key>::prepare_pairs() {
  constexpr std::uint32_t few_rows = 16;
  for (const Column& column : node_.table.columns) {
    const bool may_be_counted = column.is_categorical
                                    ? may_order(column)
                                    : column.is_low_cardinality() && !node_.plan.random_cuts &&
                                          !tried_limits(node_.plan).any();
    counted_from_.push_back(!may_be_counted         ? SampledNode<Key>::nobody
                            : column.is_categorical ? 0
                                                    : std::max(few_rows, column.n_codes() / 2));
  }
}

/// Few categories, and nothing that limits the choice: then a prefix is the best of two classes.
template <class Key>
bool SampledHistograms<Key>::may_order(const Column& column) const {
  return column.is_low_cardinality() && node_.plan.categories == Categories::subset &&
         node_.plan.max_subset == 0 && !node_.plan.random_cuts &&
         !is_side_named(node_.plan.missing) && !leaf_limits(node_.plan).any() &&
         node_.plan.criterion.is_quasi_convex();
}

template <class Key>
void SampledHistograms<Key>::count_pairs(std::span<const std::uint32_t> columns) {
  PairSum<Sum>* cells[columns_at_once];
  for (std::size_t j = 0; j < columns.size(); ++j) cells[j] = pairs_[j].data();
  node_.kernels.count_pairs({node_.rows.records(), node_.query.row_indices.data(), node_.n_rows,
                             node_.weigher, node_.classes.name[1], columns.data(),
                             static_cast<int>(columns.size()), cells});
}

template <class Key>
SampledCut SampledHistograms<Key>::best_of_pairs(std::size_t j, const Column& column) {
  PairSum<Sum>* const cells = pairs_[j].data();
  const std::uint32_t n_codes = column.n_codes();
  const PairSum<Sum> missing = std::exchange(cells[n_codes], {});
  node_.kernels.walk_pairs(cells, n_codes, node_.block);
  SampledCut cut;
  cut.saw_missing = missing.any();
  cut.is_constant = node_.block.n_cuts + cut.saw_missing < 2 || node_.block.n_cuts == 0;
  if (cut.is_constant) return cut;
  if (!cut.saw_missing) {
    --node_.block.n_cuts;  // behind the last code there is no cut
    node_.score(node_.block.n_cuts, node_.scores);
    return node_.first_of_best(Seen::scored);
  }
  for (int i = 0; i + 1 < node_.block.n_cuts; ++i)
    node_.block.next_code[i] = node_.block.code[i + 1];
  node_.block.next_code[node_.block.n_cuts - 1] = n_codes;
  node_.missing[0] = missing.both() - missing.second();
  node_.missing[1] = missing.second();
  node_.score_with_missing(n_codes, cut);
  return cut;
}

/// Are there enough rows, few enough for sixteen bits, and are all of these columns
/// low-cardinality? Two classes are counted by pairs.
template <class Key>
bool SampledHistograms<Key>::may_count_cells(std::span<const std::uint32_t> columns) const {
  if (node_.query.slot >= 0) return true;
  constexpr std::uint32_t few_rows = 24;
  if (cell_stride_ == 0 || node_.n_all_classes() < 3 || node_.n_rows < few_rows ||
      node_.classes.total > CellCall::max_counted)
    return false;
  return std::ranges::all_of(columns, [&](std::uint32_t each) {
    const Column& column = node_.table.columns[each];
    return column.is_low_cardinality() && !column.is_categorical && column.n_missing == 0 &&
           2 * node_.n_rows >= column.n_codes();
  });
}

template <class Key>
void SampledHistograms<Key>::look_at_cells(std::span<const std::uint32_t> columns,
                                           SampledCut* cuts) {
  const SampledQuery& query = node_.query;
  const bool is_kept = query.slot >= 0;
  const bool by_integers = integer_ && node_.classes.total <= CellCall::max_weight;
  std::uint16_t* cells[columns_at_once];
  for (std::size_t j = 0; j < columns.size(); ++j)
    cells[j] = is_kept ? query.cells->of(query.slot, columns[j]) : cells_[j].data();
  if (!is_kept)
    integer_kernels().count_cells({node_.rows.records(), query.row_indices.data(), node_.n_rows,
                                   node_.layout, columns.data(), static_cast<int>(columns.size()),
                                   cells, cell_stride_});
  for (std::size_t j = 0; j < columns.size() && !is_done(); ++j) {
    const std::uint32_t n_codes = node_.table.columns[columns[j]].n_codes();
    const Seen seen = by_integers ? walk_cells(cells[j], n_codes) : walk_all(cells[j], n_codes);
    if (seen == Seen::scored) node_.refuse_few_rows();
    cuts[j] = node_.first_of_best(seen);
    node_.to_beat = std::max(node_.to_beat, cuts[j].best);
    if (!is_kept)
      std::fill_n(cells[j], n_codes * static_cast<std::size_t>(cell_stride_), std::uint16_t{0});
  }
}

/// By integers.
template <class Key>
Seen SampledHistograms<Key>::walk_cells(const std::uint16_t* cells, std::uint32_t n_codes) {
  return integer_->walk_cells({cells, cell_stride_, n_codes, cell_parent_.data(),
                               node_.classes.total, surely_below(node_.to_beat)},
                              node_.block, node_.scores);
}

/// By the class weights on the left, which every criterion knows.
template <class Key>
Seen SampledHistograms<Key>::walk_all(const std::uint16_t* cells, std::uint32_t n_codes) {
  CutBlock& block = node_.block;
  const auto n_classes = static_cast<std::size_t>(node_.classes.size());
  std::fill_n(running_.begin(), n_classes, 0.0);
  std::uint32_t weight_left = 0;
  int m = 0;
  for (std::uint32_t code = 0; code < n_codes; ++code, cells += cell_stride_) {
    std::uint32_t weight = 0;
    for (const std::uint32_t name : node_.classes.name) weight += cells[name];
    if (weight == 0) continue;
    weight_left += weight;
    for (std::size_t k = 0; k < n_classes; ++k)
      block.left[k * CutBlock::stride + static_cast<std::size_t>(m)] = running_[k] +=
          cells[node_.classes.name[k]];
    block.rows_left[m] = weight_left;
    block.code[m++] = code;
  }
  block.n_cuts = m - 1;  // behind the last code there is no cut
  if (block.n_cuts == 0) return Seen::constant;
  node_.score(block.n_cuts, node_.scores);
  return Seen::scored;
}

template class SampledHistograms<CountKey>;
template class SampledHistograms<RowKey>;

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "search/sampled/histograms.hpp"

#include <algorithm>
#include <utility>

#include "select/judge.hpp"

namespace ramify {

template <class Key>
SampledHistograms<Key>::SampledHistograms(SampledNode<Key>& node)
    : node_(node), by_code_(CodeSums::max_codes * node.n_all_classes()) {
  for (auto& pairs : pairs_) pairs.resize(CodeSums::max_codes);
  prepare_integer();
  prepare_pairs();
}

template <class Key>
void SampledHistograms<Key>::prepare_integer() {
  if (!Weigher<Key>::counts) return;
  integer_ = integer_kernels().of(node_.plan.criterion.builtin->info->name);
  if (!integer_ || node_.n_all_classes() < 3 || node_.n_all_classes() > CellCall::max_classes)
    return;
  cell_stride_ = CellCall::stride_for(node_.n_all_classes());
  cell_parent_.resize(static_cast<std::size_t>(cell_stride_));
  for (auto& cells : cells_)
    cells.resize(CodeSums::max_codes * static_cast<std::size_t>(cell_stride_));
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
void SampledHistograms<Key>::count_pairs(const SampledQuery& query,
                                         std::span<const std::uint32_t> columns) {
  PairSum<Sum>* cells[columns_at_once];
  for (std::size_t j = 0; j < columns.size(); ++j) cells[j] = pairs_[j].data();
  node_.kernels.count_pairs({query.records, query.row_indices.data(), node_.n_rows, node_.weigher,
                             node_.classes.name[1], columns.data(),
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

/// How many rows lie left of a cut is not known then.
template <class Key>
bool SampledHistograms<Key>::may_count(const Column& column) const {
  constexpr std::uint32_t few_rows = 24;
  return column.is_low_cardinality() && node_.n_rows >= few_rows &&
         2 * node_.n_rows >= column.n_codes() && !tried_limits(node_.plan).any() &&
         node_.classes.size() <= max_counted_classes;
}

template <class Key>
SampledCut SampledHistograms<Key>::best_counted(const Key* keys, const Column& column) {
  const CountCall<Sum> call{by_code_.data(), column.n_codes(), node_.classes.size()};
  node_.kernels.count_codes(keys, node_.n_rows, node_.weigher, node_.classes.channel.data(), call);
  node_.kernels.walk_counts(call, node_.block);
  if (node_.block.n_cuts > 0) node_.score(node_.block.n_cuts, node_.scores);
  return node_.first_of_best(node_.block.n_cuts > 0 ? Seen::scored : Seen::constant);
}

/// Are there enough rows, few enough for sixteen bits, and are all of these columns narrow?
template <class Key>
bool SampledHistograms<Key>::may_count_cells(std::span<const std::uint32_t> columns) const {
  constexpr std::uint32_t few_rows = 24;
  if (cell_stride_ == 0 || node_.n_rows < few_rows || node_.classes.total > CellCall::max_weight ||
      tried_limits(node_.plan).any())
    return false;
  return std::ranges::all_of(columns, [&](std::uint32_t each) {
    const Column& column = node_.table.columns[each];
    return column.is_low_cardinality() && !column.is_categorical && column.n_missing == 0 &&
           2 * node_.n_rows >= column.n_codes();
  });
}

template <class Key>
void SampledHistograms<Key>::look_at_cells(const SampledQuery& query,
                                           std::span<const std::uint32_t> columns,
                                           SampledCut* cuts) {
  std::uint16_t* cells[columns_at_once];
  for (std::size_t j = 0; j < columns.size(); ++j) cells[j] = cells_[j].data();
  integer_kernels().count_cells({query.records, query.row_indices.data(), node_.n_rows,
                                 node_.layout, columns.data(), static_cast<int>(columns.size()),
                                 cells, cell_stride_});
  for (std::size_t k = 0; k < query.sums.size(); ++k)
    cell_parent_[k] = static_cast<std::uint16_t>(query.sums[k]);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::uint32_t n_codes = node_.table.columns[columns[j]].n_codes();
    const double min = node_.plan.random_cuts ? minus_infinity : surely_below(node_.to_beat);
    const Seen seen = integer_->walk_cells(
        {cells[j], cell_stride_, n_codes, cell_parent_.data(), node_.classes.total, min},
        node_.block, node_.scores);
    cuts[j] =
        node_.plan.random_cuts ? random_of(seen, columns[j], query.key) : node_.first_of_best(seen);
    node_.to_beat = std::max(node_.to_beat, cuts[j].best);
    std::fill_n(cells[j], n_codes * static_cast<std::size_t>(cell_stride_), std::uint16_t{0});
  }
}

/// One of them, by a random threshold.
template <class Key>
SampledCut SampledHistograms<Key>::random_of(Seen seen, std::uint32_t column,
                                             std::uint64_t key) const {
  SampledCut cut;
  cut.is_constant = seen == Seen::constant;
  if (cut.is_constant) return cut;
  const Column& info = node_.table.columns[column];
  const std::uint32_t low = node_.block.code[0], high = node_.block.code[node_.block.n_cuts];
  cut.threshold = random_threshold(info, static_cast<int>(column), key, low, high);
  cut.code = info.last_up_to(cut.threshold, low, high);
  int at = 0;
  while (node_.block.code[at + 1] <= cut.code) ++at;
  // A threshold within a bin that occurs parts nothing.
  if (info.upper(cut.code) > cut.threshold && node_.block.code[at] == cut.code) return cut;
  cut.best = cut.score = node_.scores[at];
  return cut;
}

template class SampledHistograms<CountKey>;
template class SampledHistograms<RowKey>;

}  // namespace ramify

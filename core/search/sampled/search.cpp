// SPDX-License-Identifier: BSD-3-Clause
#include "search/sampled/search.hpp"

#include <algorithm>

#include "select/judge.hpp"

namespace ramify {

template <class Key>
SampledSearch<Key>::SampledSearch(const Table& table, const Target& target, const Plan& plan,
                                  const IndexedRows& rows)
    : node_(std::make_unique<SampledNode<Key>>(table, target, plan, rows)),
      sorted_(*node_),
      histograms_(*node_),
      categories_(*node_),
      random_(*node_) {}

template <class Key>
void SampledSearch<Key>::start(const SampledQuery& query) {
  node_->start(query);
  node_->to_beat = minus_infinity;
  histograms_.start();
  categories_.start();
}

template <class Key>
Split SampledSearch<Key>::best_of(std::span<const std::uint32_t> columns,
                                  std::span<std::uint8_t> is_constant) {
  cuts_.assign(columns.size(), {});
  node_->rows.values().values ? random_.look_at_values(columns, cuts_) : look_at(columns);
  const SampledCut* best = nullptr;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const SampledCut& cut = cuts_[j];
    is_constant[columns[j]] = cut.is_constant;
    if (cut.score > minus_infinity && (!best || beats(cut.best, best->best))) best = &cut;
  }
  return best ? split_at(columns[static_cast<std::size_t>(best - cuts_.data())], *best) : Split{};
}

template <class Key>
Split SampledSearch<Key>::split_at(std::uint32_t column, const SampledCut& cut) {
  Split split;
  split.column = static_cast<int>(column);
  split.score = cut.score;
  split.code = cut.code;
  split.next_code = cut.next_code;
  split.threshold = cut.threshold;
  split.is_optimal = !node_->plan.random_cuts;
  split.missing_left = cut.missing_left;
  split.saw_missing = cut.saw_missing;
  const Column& info = node_->table.columns[column];
  if (info.is_categorical) list_codes(split);
  set_threshold(node_->plan, info, split);
  return split;
}

/// Finds the best cut of each column, a few columns at a time.
template <class Key>
void SampledSearch<Key>::look_at(std::span<const std::uint32_t> columns) {
  for (std::size_t first = 0; first < columns.size() && !histograms_.is_done();
       first += columns_at_once) {
    const auto group = columns.subspan(first, std::min(columns_at_once, columns.size() - first));
    histograms_.may_count_cells(group) ? histograms_.look_at_cells(group, cuts_.data() + first)
                                       : look_at_group(group, cuts_.data() + first);
  }
}

/// Some columns are counted, the keys of the others are made.
template <class Key>
void SampledSearch<Key>::look_at_group(std::span<const std::uint32_t> columns, SampledCut* cuts) {
  std::uint32_t counted[columns_at_once], others[columns_at_once];
  SampledCut *counted_cuts[columns_at_once], *other_cuts[columns_at_once];
  std::size_t n_counted = 0, n_others = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const bool is_counted = histograms_.has_pairs(columns[j]);
    (is_counted ? counted[n_counted] : others[n_others]) = columns[j];
    (is_counted ? counted_cuts[n_counted++] : other_cuts[n_others++]) = cuts + j;
  }
  if (n_counted > 0) look_at_pairs(std::span(counted, n_counted), counted_cuts);
  if (n_others > 0) look_at_keys(std::span(others, n_others), other_cuts);
}

template <class Key>
void SampledSearch<Key>::look_at_pairs(std::span<const std::uint32_t> columns,
                                       SampledCut* const* cuts) {
  histograms_.count_pairs(columns);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const Column& column = node_->table.columns[columns[j]];
    *cuts[j] = column.is_categorical ? categories_.best_prefix(histograms_.pairs(j), columns[j])
                                     : histograms_.best_of_pairs(j, column);
    node_->to_beat = std::max(node_->to_beat, cuts[j]->best);
  }
}

/// Makes the keys of some columns.
template <class Key>
void SampledSearch<Key>::gather(std::span<const std::uint32_t> columns) {
  const std::size_t room = node_->n_rows + std::size_t{8};  // see sort_keys
  Key* keys[columns_at_once];
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (keys_[j].size() < room) keys_[j].resize(room);
    keys[j] = keys_[j].data();
  }
  node_->kernels.gather({node_->rows.records(), node_->query.row_indices.data(), node_->n_rows,
                         node_->layout, columns.data(), static_cast<int>(columns.size()), keys});
}

template <class Key>
void SampledSearch<Key>::look_at_keys(std::span<const std::uint32_t> columns,
                                      SampledCut* const* cuts) {
  gather(columns);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    *cuts[j] = best_of_keys(keys_[j].data(), columns[j]);
    node_->to_beat = std::max(node_->to_beat, cuts[j]->best);
  }
}

template <class Key>
SampledCut SampledSearch<Key>::best_of_keys(Key* keys, std::uint32_t column) {
  const Column& info = node_->table.columns[column];
  if (info.is_categorical) return categories_.best_subset(keys, column, sorted_);
  node_->n_missing = 0;
  const std::span<Key> valued = info.n_missing > 0 ? node_->set_missing_apart(keys, info.n_codes())
                                                   : std::span(keys, node_->n_rows);
  return node_->n_missing > 0 || node_->plan.random_cuts ? best_of_valued(valued, column)
                                                         : sorted_.best_cut(keys, info);
}

template <class Key>
SampledCut SampledSearch<Key>::best_of_valued(std::span<Key> valued, std::uint32_t column) {
  const auto n = static_cast<std::uint32_t>(valued.size());
  SampledCut cut;
  cut.saw_missing = node_->n_missing > 0;
  const KeyRange<Key> range = n > 0 ? node_->kernels.range(valued.data(), n) : KeyRange<Key>{0, 0};
  const std::uint32_t first = node_->layout.code(range.min), last = node_->layout.code(range.max);
  cut.is_constant = n == 0 || (!cut.saw_missing && first == last);
  if (cut.is_constant) return cut;
  node_->plan.random_cuts ? random_.look_at_codes(valued, column, first, last, cut)
                          : sorted_.look_at_missing(valued, node_->table.columns[column], cut);
  return cut;
}

/// Writes down which categories the chosen subset of a column puts on which side.
template <class Key>
void SampledSearch<Key>::list_codes(Split& split) {
  const auto column = static_cast<std::uint32_t>(split.column);
  split.kind = SplitKind::categories;
  split.missing_left = is_left_named(node_->plan.missing);
  if (!histograms_.has_pairs(column)) {
    gather(std::span(&column, 1));
    return categories_.list_subset(keys_[0].data(), sorted_, split);
  }
  if (!categories_.keeps_order_of(column)) {  // a tie: another one was a trace better
    histograms_.count_pairs(std::span(&column, 1));
    categories_.start();
    categories_.best_prefix(histograms_.pairs(0), column);
  }
  categories_.list_prefix(split);
}

template class SampledSearch<CountKey>;
template class SampledSearch<RowKey>;

}  // namespace ramify

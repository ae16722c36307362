// SPDX-License-Identifier: BSD-3-Clause
#include "search/sampled/search.hpp"

#include <algorithm>

#include "select/judge.hpp"

namespace ramify {

template <class Key>
SampledSearch<Key>::SampledSearch(const Table& table, const Target& target, const Plan& plan,
                                  const IndexedRows& rows)
    : node_(std::make_unique<SampledNode<Key>>(table, target, plan, rows.layout())),
      sorted_(*node_),
      histograms_(*node_),
      categories_(*node_),
      random_(*node_) {}

template <class Key>
Split SampledSearch<Key>::best(const SampledQuery& query,
                               std::vector<std::uint32_t>& non_constant) {
  node_->start(query.sums);
  node_->n_rows = static_cast<std::uint32_t>(query.row_indices.size());
  categories_.start();
  sampler_.fill(non_constant, node_->plan.max_columns, query.key);
  for (auto columns = sampler_.draw(); !columns.empty(); columns = sampler_.draw()) {
    cuts_.assign(columns.size(), {});
    query.values.values ? random_.look_at_values(query, columns, cuts_) : look_at(query, columns);
    const SampledCut* best = nullptr;
    bool has_constant = false;
    for (const SampledCut& cut : cuts_) {
      has_constant |= cut.is_constant;
      if (cut.score > minus_infinity && (!best || beats(cut.best, best->best))) best = &cut;
    }
    if (has_constant) {
      std::size_t i = 0;
      std::erase_if(non_constant, [&](std::uint32_t column) {
        if (i == columns.size() || columns[i] != column) return false;
        return cuts_[i++].is_constant;
      });
    }
    if (best) return split_at(query, columns[static_cast<std::size_t>(best - cuts_.data())], *best);
  }
  return {};
}

template <class Key>
Split SampledSearch<Key>::split_at(const SampledQuery& query, std::uint32_t column,
                                   const SampledCut& cut) {
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
  if (info.is_categorical) list_codes(query, split);
  set_threshold(node_->plan, info, split);
  return split;
}

/// Finds the best cut of each column, a few columns at a time.
template <class Key>
void SampledSearch<Key>::look_at(const SampledQuery& query,
                                 std::span<const std::uint32_t> columns) {
  node_->to_beat = minus_infinity;
  for (std::size_t first = 0; first < columns.size(); first += columns_at_once) {
    const auto group = columns.subspan(first, std::min(columns_at_once, columns.size() - first));
    histograms_.may_count_cells(group)
        ? histograms_.look_at_cells(query, group, cuts_.data() + first)
        : look_at_group(query, group, cuts_.data() + first);
  }
}

/// Some columns are counted, the keys of the others are made.
template <class Key>
void SampledSearch<Key>::look_at_group(const SampledQuery& query,
                                       std::span<const std::uint32_t> columns, SampledCut* cuts) {
  std::uint32_t counted[columns_at_once], others[columns_at_once];
  SampledCut *counted_cuts[columns_at_once], *other_cuts[columns_at_once];
  std::size_t n_counted = 0, n_others = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const bool is_counted = histograms_.has_pairs(columns[j]);
    (is_counted ? counted[n_counted] : others[n_others]) = columns[j];
    (is_counted ? counted_cuts[n_counted++] : other_cuts[n_others++]) = cuts + j;
  }
  if (n_counted > 0) look_at_pairs(query, std::span(counted, n_counted), counted_cuts);
  if (n_others > 0) look_at_keys(query, std::span(others, n_others), other_cuts);
}

template <class Key>
void SampledSearch<Key>::look_at_pairs(const SampledQuery& query,
                                       std::span<const std::uint32_t> columns,
                                       SampledCut* const* cuts) {
  histograms_.count_pairs(query, columns);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const Column& column = node_->table.columns[columns[j]];
    *cuts[j] = column.is_categorical ? categories_.best_prefix(histograms_.pairs(j), columns[j])
                                     : histograms_.best_of_pairs(j, column);
    node_->to_beat = std::max(node_->to_beat, cuts[j]->best);
  }
}

/// Makes the keys of some columns.
template <class Key>
void SampledSearch<Key>::gather(const SampledQuery& query, std::span<const std::uint32_t> columns) {
  const std::size_t room = query.row_indices.size() + 8;  // see sort_keys
  Key* keys[columns_at_once];
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (keys_[j].size() < room) keys_[j].resize(room);
    keys[j] = keys_[j].data();
  }
  node_->kernels.gather({query.records, query.row_indices.data(), node_->n_rows, node_->layout,
                         columns.data(), static_cast<int>(columns.size()), keys});
}

template <class Key>
void SampledSearch<Key>::look_at_keys(const SampledQuery& query,
                                      std::span<const std::uint32_t> columns,
                                      SampledCut* const* cuts) {
  gather(query, columns);
  typename SampledRandomCuts<Key>::KeyedColumn together[columns_at_once];
  std::size_t n_together = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const Column& column = node_->table.columns[columns[j]];
    if (node_->plan.random_cuts && !column.is_categorical && column.n_missing == 0) {
      together[n_together++] = {columns[j], keys_[j].data(), cuts[j]};
      continue;
    }
    *cuts[j] = best_of_keys(keys_[j].data(), columns[j], query.key);
    node_->to_beat = std::max(node_->to_beat, cuts[j]->best);
  }
  random_.look_at_codes(std::span(together, n_together), query.key);
}

template <class Key>
SampledCut SampledSearch<Key>::best_of_keys(Key* keys, std::uint32_t column, std::uint64_t key) {
  const Column& info = node_->table.columns[column];
  if (info.is_categorical) return categories_.best_subset(keys, column, key, sorted_);
  if (info.n_missing > 0) {
    const std::span<Key> valued = node_->set_missing_apart(keys, info.n_codes());
    if (node_->n_missing > 0 || node_->plan.random_cuts)
      return best_with_missing(valued, column, key);
  }
  return histograms_.may_count(info) ? histograms_.best_counted(keys, info)
                                     : sorted_.best_cut(keys, info);
}

template <class Key>
SampledCut SampledSearch<Key>::best_with_missing(std::span<Key> valued, std::uint32_t column,
                                                 std::uint64_t key) {
  const auto n = static_cast<std::uint32_t>(valued.size());
  SampledCut cut;
  cut.saw_missing = node_->n_missing > 0;
  const KeyRange<Key> range = n > 0 ? node_->kernels.range(valued.data(), n) : KeyRange<Key>{0, 0};
  const bool is_single = node_->layout.code(range.min) == node_->layout.code(range.max);
  cut.is_constant = n == 0 || (!cut.saw_missing && is_single);
  if (cut.is_constant) return cut;
  node_->plan.random_cuts ? random_.look_at_missing(valued, column, key, cut)
                          : sorted_.look_at_missing(valued, node_->table.columns[column], cut);
  return cut;
}

/// Writes down which categories the chosen subset of a column puts on which side.
template <class Key>
void SampledSearch<Key>::list_codes(const SampledQuery& query, Split& split) {
  const auto column = static_cast<std::uint32_t>(split.column);
  split.kind = SplitKind::categories;
  split.missing_left = is_left_named(node_->plan.missing);
  if (!histograms_.has_pairs(column)) {
    gather(query, std::span(&column, 1));
    return categories_.list_subset(keys_[0].data(), query.key, sorted_, split);
  }
  if (!categories_.keeps_order_of(column)) {  // a tie: another one was a trace better
    histograms_.count_pairs(query, std::span(&column, 1));
    categories_.start();
    categories_.best_prefix(histograms_.pairs(0), column);
  }
  categories_.list_prefix(split);
}

template class SampledSearch<CountKey>;
template class SampledSearch<RowKey>;

}  // namespace ramify

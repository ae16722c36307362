// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/sampled_splitter.hpp"

#include <algorithm>

#include "scan/kernels.hpp"
#include "scan/partition.hpp"

namespace ramify {

template <class Key>
SampledSplitter<Key>::SampledSplitter(const Table& table, std::span<const std::uint32_t> rows,
                                      const Target& target, const Plan& plan, Pool& pool)
    : table_(table),
      target_(target),
      plan_(plan),
      rows_(table, rows, target, plan.random_cuts),
      n_classes_(target.n_all_classes()) {
  for (int worker = 0; worker < pool.size(); ++worker)
    desks_.push_back(std::make_unique<Desk>(
        Desk{SampledSearch<Key>(table, target, plan, rows_), {}, {}, {}, {}, {}}));
}

template <class Key>
typename SampledSplitter<Key>::Waiting SampledSplitter<Key>::root(const Node& node) {
  handed_over_.begin(node.non_constant);
  const NonConstantColumns::Range non_constant{static_cast<std::uint32_t>(node.non_constant.size()),
                                               0};
  return {node.begin, node.end, node.depth, 0, node.key, non_constant};
}

template <class Key>
Split SampledSplitter<Key>::best(Waiting& node, std::span<const double> statistics, Workers workers,
                                 const std::function<bool()>&) {
  Desk& mine = desk(workers);
  std::vector<std::uint32_t>& non_constant = mine.non_constant.take(node.non_constant);
  const std::span<const RowIndex> row_indices = rows_.row_indices(node.begin, node.end);
  const Split split = mine.search.best(
      {row_indices, rows_.records(), rows_.values(), statistics, node.key}, non_constant);
  if (split.exists()) mine.non_constant.keep(node.non_constant);
  return split;
}

template <class Key>
void SampledSplitter<Key>::partition(Waiting& node, std::span<const double> statistics,
                                     Split& split, Workers workers,
                                     std::vector<Waiting>& children) {
  Desk& mine = desk(workers);
  const std::span<RowIndex> row_indices = rows_.row_indices(node.begin, node.end);
  if (mine.spare.size() < row_indices.size()) mine.spare.resize(row_indices.size());
  mine.counts.assign(n_classes_, 0);
  const bool is_listed = split.saw_missing || split.kind == SplitKind::categories;
  const std::uint32_t n_left = is_listed ? partition_listed(row_indices, node, split, mine)
                               : rows_.values().values
                                   ? partition_by_value(row_indices, node, split, mine)
                                   : partition_by_code(row_indices, node, split, mine);
  mine.statistics[0].assign(mine.counts.begin(), mine.counts.end());
  mine.statistics[1].resize(n_classes_);
  for (std::size_t k = 0; k < n_classes_; ++k)
    mine.statistics[1][k] = statistics[k] - mine.statistics[0][k];
  const std::uint32_t middle = node.begin + n_left;
  children.clear();
  const auto add = [&](std::size_t branch, std::uint32_t begin, std::uint32_t end) {
    children.push_back(
        {begin, end, node.depth + 1, 0, child_key(node.key, branch), node.non_constant});
  };
  add(0, node.begin, middle);
  add(1, middle, node.end);
}

template <class Key>
std::uint32_t SampledSplitter<Key>::partition_by_code(std::span<RowIndex> row_indices,
                                                      const Waiting& node, const Split& split,
                                                      Desk& mine) {
  const auto column = static_cast<std::uint32_t>(split.column);
  PartitionCall call{rows_.records(), row_indices.data(), node.n_rows(),
                     column,          split.code,         mine.spare.data()};
  const std::uint32_t n_left = kernels().partition_rows(call);
  count(row_indices.first(n_left), mine);
  return n_left;
}

template <class Key>
std::uint32_t SampledSplitter<Key>::partition_by_value(std::span<RowIndex> row_indices,
                                                       const Waiting& node, const Split& split,
                                                       Desk& mine) {
  const RandomCuts& cuts = mine.search.random_cuts();
  const std::size_t cut = cuts.of_column(split.column);
  for (std::size_t k = 0; k < n_classes_; ++k) mine.counts[k] = static_cast<Sum>(cuts.left(k, cut));
  return cuts.partition(rows_.values(), row_indices, cut, mine.spare.data());
}

/// Parts rows by the branch of their code, each side in the order they had, and counts the classes
/// on the left.
template <class Key>
std::uint32_t SampledSplitter<Key>::partition_listed(std::span<RowIndex> row_indices,
                                                     const Waiting& node, const Split& split,
                                                     Desk& mine) {
  list_branches(split, table_.columns[split.column].n_codes(), mine.branches);
  const CodeRecords& records = rows_.records();
  const std::uint32_t n_left = RAMIFY_KERNELS::with_codes(records, [&](const auto* codes) {
    return RAMIFY_KERNELS::partition_in_order(
        row_indices.data(), node.n_rows(), mine.spare.data(),
        [branch = mine.branches.data(), code = codes + split.column, stride = records.n_columns](
            std::uint32_t, const RowIndex& row_index) {
          return static_cast<std::uint32_t>(branch[code[row_index.row * stride]] == 0);
        });
  });
  count(row_indices.first(n_left), mine);
  return n_left;
}

/// The live columns of a node are told apart from those of the thread that found them.
template <class Key>
void SampledSplitter<Key>::hand_over(Waiting& node) {
  handed_over_.give(desks_[0]->non_constant, node.non_constant);
}

template <class Key>
void SampledSplitter<Key>::take_over(Waiting& node, Workers workers) {
  handed_over_.take(node.non_constant, desk(workers).non_constant);
}

template class SampledSplitter<CountKey>;
template class SampledSplitter<RowKey>;

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/coded_classes.hpp"

#include <algorithm>
#include <utility>

#include "scan/kernels.hpp"
#include "scan/partition.hpp"

namespace ramify {

template <class Key>
CodedClasses<Key>::CodedClasses(const Table& table, std::span<const std::uint32_t> rows,
                                const Target& target, const Plan& plan, Pool& pool)
    : table_(table),
      target_(target),
      plan_(plan),
      pool_(pool),
      rows_(table, rows, target, plan.random_cuts),
      n_classes_(target.n_all_classes()),
      stride_(CellCall::stride_for(n_classes_)) {
  for (int worker = 0; worker < pool.size(); ++worker)
    desks_.push_back(std::make_unique<Desk>(table, target, plan, rows_, stride_));
  if (samples_columns(table, plan)) return;
  // For fewer rows than that, to sort them costs less than to walk along all cells.
  std::size_t n_codes = 0;
  for (const Column& column : table.columns) n_codes += column.n_codes();
  const std::size_t n_steps = n_codes / table.columns.size() * static_cast<std::size_t>(stride_);
  constexpr std::size_t steps_per_row = 80;
  min_counted_ = static_cast<std::uint32_t>(n_steps / steps_per_row);
}

template <class Key>
bool CodedClasses<Key>::needs_cells(const Waiting& node, std::span<const double> statistics) const {
  return node.n_rows() >= min_counted_ && weight_of(target_, statistics) <= CellCall::max_weight;
}

template <class Key>
void CodedClasses<Key>::start(Waiting& node, std::span<const double> statistics,
                              std::span<const std::uint32_t> columns, Workers workers) {
  Desk& mine = desk(workers);
  if (node.cells < 0 && needs_cells(node, statistics)) {
    node.cells = mine.cells.take();
    count_cells(node, columns, node.cells, workers);
  }
  mine.search.start({.row_indices = rows_.row_indices(node.begin, node.end),
                     .sums = statistics,
                     .key = node.key,
                     .depth = node.depth,
                     .cells = &mine.cells,
                     .slot = node.cells});
}

/// Adds the rows of a node to the counts of a slot.
template <class Key>
void CodedClasses<Key>::count_cells(const Waiting& node, std::span<const std::uint32_t> columns,
                                    int slot, Workers workers) {
  constexpr std::size_t at_once = columns_at_once;
  const std::span<const RowIndex> row_indices = rows_.row_indices(node.begin, node.end);
  const auto count_from = [&](std::size_t first) {
    const auto group = columns.subspan(first, std::min(at_once, columns.size() - first));
    std::uint16_t* own[at_once];
    for (std::size_t j = 0; j < group.size(); ++j) own[j] = desk(workers).cells.of(slot, group[j]);
    integer_kernels().count_cells({rows_.records(), row_indices.data(), node.n_rows(),
                                   rows_.layout(), group.data(), static_cast<int>(group.size()),
                                   own, stride_});
  };
  if (workers.n == 1 || row_indices.size() * columns.size() < shared_cells) {
    for (std::size_t first = 0; first < columns.size(); first += at_once) count_from(first);
    return;
  }
  pool_.run(static_cast<int>((columns.size() + at_once - 1) / at_once),
            [&](int i, int) { count_from(static_cast<std::size_t>(i) * at_once); });
}

template <class Key>
std::uint32_t CodedClasses<Key>::begin_partition(const Waiting& node, const Split& split,
                                                 Workers workers) {
  Desk& mine = desk(workers);
  const std::span<RowIndex> row_indices = rows_.row_indices(node.begin, node.end);
  if (mine.spare.size() < row_indices.size()) mine.spare.resize(row_indices.size());
  mine.counts.assign(n_classes_, 0);
  if (split.saw_missing || split.kind == SplitKind::categories)
    return partition_listed(row_indices, split, mine);
  return rows_.values().values ? partition_by_value(row_indices, split, mine)
                               : partition_by_code(row_indices, split, mine);
}

template <class Key>
void CodedClasses<Key>::end_partition(Waiting& node, std::span<const double> statistics,
                                      const Split&, std::span<Waiting> children,
                                      std::span<const std::uint32_t> columns, Workers workers) {
  Desk& mine = desk(workers);
  mine.statistics[0].assign(mine.counts.begin(), mine.counts.end());
  mine.statistics[1].resize(n_classes_);
  for (std::size_t k = 0; k < n_classes_; ++k)
    mine.statistics[1][k] = statistics[k] - mine.statistics[0][k];
  for (Waiting& child : children) child.cells = -1;
  if (node.cells >= 0) share_cells(node, children, columns, workers);
}

/// Counts the smaller child, and what is left of the node's counts are those of the larger; unless
/// that one needs none.
template <class Key>
void CodedClasses<Key>::share_cells(Waiting& node, std::span<Waiting> children,
                                    std::span<const std::uint32_t> columns, Workers workers) {
  Desk& mine = desk(workers);
  const std::size_t larger = children[1].n_rows() > children[0].n_rows();
  const auto needs = [&](std::size_t i) {
    return needs_cells(children[i], mine.statistics[i]) &&
           !is_leaf(children[i], mine.statistics[i]);
  };
  if (!needs(larger) || !mine.cells.has_room()) return;
  Waiting &large = children[larger], &small = children[1 - larger];
  small.cells = mine.cells.take();
  count_cells(small, columns, small.cells, workers);
  for (const std::uint32_t column : columns)
    integer_kernels().take_away(mine.cells.of(node.cells, column),
                                mine.cells.of(small.cells, column), mine.cells.size_of(column));
  large.cells = std::exchange(node.cells, -1);
  if (!needs(1 - larger)) finish(small, workers);
}

template <class Key>
std::uint32_t CodedClasses<Key>::partition_by_code(std::span<RowIndex> row_indices,
                                                   const Split& split, Desk& mine) {
  const std::uint32_t n_left = kernels().partition_rows(
      {rows_.records(), row_indices.data(), static_cast<std::uint32_t>(row_indices.size()),
       static_cast<std::uint32_t>(split.column), split.code, mine.spare.data()});
  count_classes(row_indices.first(n_left), mine);
  return n_left;
}

template <class Key>
std::uint32_t CodedClasses<Key>::partition_by_value(std::span<RowIndex> row_indices,
                                                    const Split& split, Desk& mine) {
  const RandomCuts& cuts = mine.search.random_cuts();
  const std::size_t cut = cuts.of_column(split.column);
  for (std::size_t k = 0; k < n_classes_; ++k) mine.counts[k] = static_cast<Sum>(cuts.left(k, cut));
  return cuts.partition(rows_.values(), row_indices, cut, mine.spare.data());
}

/// Parts rows by the branch of their code.
template <class Key>
std::uint32_t CodedClasses<Key>::partition_listed(std::span<RowIndex> row_indices,
                                                  const Split& split, Desk& mine) {
  list_branches(split, table_.columns[split.column].n_codes(), mine.branches);
  const CodeRecords& records = rows_.records();
  const std::uint32_t n_left = RAMIFY_KERNELS::with_codes(records, [&](const auto* codes) {
    return RAMIFY_KERNELS::partition_in_order(
        row_indices.data(), static_cast<std::uint32_t>(row_indices.size()), mine.spare.data(),
        [branch = mine.branches.data(), code = codes + split.column, stride = records.n_columns](
            std::uint32_t, const RowIndex& row_index) {
          return static_cast<std::uint32_t>(branch[code[row_index.row * stride]] == 0);
        });
  });
  count_classes(row_indices.first(n_left), mine);
  return n_left;
}

template <class Key>
void CodedClasses<Key>::finish(Waiting& node, Workers workers) {
  if (node.cells >= 0) desk(workers).cells.give(std::exchange(node.cells, -1));
}

template class CodedClasses<CountKey>;
template class CodedClasses<RowKey>;

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/low_cardinality_splitter.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ramify {

LowCardinalitySplitter::LowCardinalitySplitter(const Table& table,
                                               std::span<const std::uint32_t> rows,
                                               const Target& target, const Plan& plan, Pool& pool)
    : table_(table),
      target_(target),
      plan_(plan),
      pool_(pool),
      rows_(table, rows, target, false),
      scores_(target, plan),
      n_classes_(target.n_all_classes()),
      stride_(CellCall::stride_for(n_classes_)) {
  const Training training{table, target, plan, no_store_};
  for (int worker = 0; worker < pool.size(); ++worker) {
    desks_.push_back(std::make_unique<Desk>(Desk{LowCardinalitySearch(training, rows_, scores_),
                                                 NodeCells(table, stride_, CellCall::codes_at_once),
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 std::vector<std::uint8_t>(table.columns.size())}));
  }
}

LowCardinalitySplitter::Waiting LowCardinalitySplitter::root(const Node& node) {
  handed_over_.begin(node.non_constant);
  const NonConstantColumns::Range non_constant{static_cast<std::uint32_t>(node.non_constant.size()),
                                               0};
  return {node.begin, node.end, node.depth, 0, node.key, non_constant};
}

/// Do sixteen bits hold its counts, and is it too large for masks?
bool LowCardinalitySplitter::is_counted(std::span<const double> statistics) const {
  const double weight = weight_of(target_, statistics);
  return weight > MaskBlock::max_weight && weight <= CellCall::max_weight;
}

/// Makes a node that is small enough a mask, and counts one that nobody has counted.
void LowCardinalitySplitter::prepare(Waiting& node, std::span<const double> statistics,
                                     std::span<const std::uint32_t> columns, Workers workers,
                                     Desk& mine) {
  if (node.mask != 0 || node.cells >= 0) return;
  const std::span<const RowIndex> row_indices = rows_.row_indices(node.begin, node.end);
  if (weight_of(target_, statistics) <= MaskBlock::max_weight) {
    node.mask = mine.search.block().start(row_indices, rows_.records(), rows_.layout(), n_classes_);
  } else if (is_counted(statistics)) {
    node.cells = mine.cells.take();
    count(row_indices, columns, node.cells, workers, mine);
  }
}

/// Adds some rows to the counts of some columns.
void LowCardinalitySplitter::count(std::span<const RowIndex> row_indices,
                                   std::span<const std::uint32_t> columns, int cells,
                                   Workers workers, Desk& mine) {
  constexpr std::size_t at_once = columns_at_once;
  const auto n = static_cast<std::uint32_t>(row_indices.size());
  const auto count_from = [&](std::size_t first) {
    const auto group = columns.subspan(first, std::min(at_once, columns.size() - first));
    std::uint16_t* own[at_once];
    for (std::size_t j = 0; j < group.size(); ++j) own[j] = mine.cells.of(cells, group[j]);
    integer_kernels().count_cells({rows_.records(), row_indices.data(), n, rows_.layout(),
                                   group.data(), static_cast<int>(group.size()), own, stride_});
  };
  if (workers.n == 1 || row_indices.size() * columns.size() < shared_cells) {
    for (std::size_t first = 0; first < columns.size(); first += at_once) count_from(first);
    return;
  }
  pool_.run(static_cast<int>((columns.size() + at_once - 1) / at_once),
            [&](int i, int) { count_from(static_cast<std::size_t>(i) * at_once); });
}

Split LowCardinalitySplitter::best(Waiting& node, std::span<const double> statistics,
                                   Workers workers, const std::function<bool()>&) {
  Desk& mine = desk(workers);
  std::vector<std::uint32_t>& non_constant = mine.non_constant.take(node.non_constant);
  prepare(node, statistics, non_constant, workers, mine);
  mine.search.start(
      {rows_.row_indices(node.begin, node.end), node.begin, node.end, node.depth, node.mask},
      statistics);
  if (plan_.max_columns == 0) {
    look_at(node, non_constant, mine);
  } else {
    mine.sampler.fill(non_constant, plan_.max_columns, node.key);
    for (auto sampled = mine.sampler.draw(); !sampled.empty() && !mine.search.has_best();
         sampled = mine.sampler.draw())
      look_at(node, sampled, mine);
  }
  std::erase_if(non_constant, [&](std::uint32_t column) {
    return std::exchange(mine.is_constant[column], std::uint8_t{0}) != 0;
  });
  mine.non_constant.keep(node.non_constant);
  return mine.search.best();
}

/// Looks at some columns; those that are constant are marked. What is drawn later depends on these
/// marks: only where all columns are looked at, the last ones may be left out.
void LowCardinalitySplitter::look_at(const Waiting& node, std::span<const std::uint32_t> columns,
                                     Desk& mine) const {
  const bool looks_at_all = plan_.max_columns == 0;
  for (const std::uint32_t column : columns) {
    const std::uint16_t* cells = node.cells >= 0 ? mine.cells.of(node.cells, column) : nullptr;
    mine.is_constant[column] = !mine.search.look_at(column, cells);
    if (looks_at_all && mine.search.is_done()) return;
  }
}

void LowCardinalitySplitter::partition(Waiting& node, std::span<const double> statistics,
                                       Split& split, Workers workers,
                                       std::vector<Waiting>& children) {
  Desk& mine = desk(workers);
  mine.counts.assign(n_classes_, 0);
  std::uint64_t left = 0;
  const std::uint32_t n_left =
      node.mask ? partition_masks(node, split, mine, left) : partition_rows(node, split, mine);
  mine.statistics[0].assign(mine.counts.begin(), mine.counts.end());
  mine.statistics[1].resize(n_classes_);
  for (std::size_t k = 0; k < n_classes_; ++k)
    mine.statistics[1][k] = statistics[k] - mine.statistics[0][k];
  const std::uint32_t middle = node.begin + n_left;
  children.clear();
  children.push_back(
      {node.begin, middle, node.depth + 1, 0, child_key(node.key, 0), node.non_constant, left});
  children.push_back({middle, node.end, node.depth + 1, 0, child_key(node.key, 1),
                      node.non_constant, node.mask & ~left});
  if (node.cells >= 0) share_cells(node, children, workers, mine);
}

/// Counts the smaller child, and what is left of the node's counts are those of the larger; unless
/// that one needs none.
void LowCardinalitySplitter::share_cells(Waiting& node, std::span<Waiting> children,
                                         Workers workers, Desk& mine) {
  const std::size_t larger = children[1].n_rows() > children[0].n_rows();
  const auto needs = [&](std::size_t i) {
    return is_counted(mine.statistics[i]) && !is_leaf(children[i], mine.statistics[i]);
  };
  if (!needs(larger) || !mine.cells.has_room()) return;
  Waiting &large = children[larger], &small = children[1 - larger];
  const int counted = mine.cells.take();
  const std::vector<std::uint32_t>& columns = mine.non_constant.take(node.non_constant);
  count(rows_.row_indices(small.begin, small.end), columns, counted, workers, mine);
  for (const std::uint32_t column : columns)
    integer_kernels().take_away(mine.cells.of(node.cells, column), mine.cells.of(counted, column),
                                mine.cells.size_of(column));
  large.cells = std::exchange(node.cells, -1);
  if (needs(1 - larger))
    small.cells = counted;
  else
    mine.cells.give(counted);
}

/// Parts the rows, and counts the classes on the left.
std::uint32_t LowCardinalitySplitter::partition_rows(const Waiting& node, const Split& split,
                                                     Desk& mine) {
  const std::span<RowIndex> row_indices = rows_.row_indices(node.begin, node.end);
  if (mine.spare.size() < row_indices.size()) mine.spare.resize(row_indices.size());
  const std::uint32_t n_left = kernels().partition_rows(
      {rows_.records(), row_indices.data(), node.n_rows(), static_cast<std::uint32_t>(split.column),
       split.code, mine.spare.data()});
  const ItemLayout layout = rows_.layout();
  const std::uint32_t unit = layout.times_bits == 0;
  for (const RowIndex& row_index : row_indices.first(n_left))
    mine.counts[layout.label(row_index.low)] += layout.times(row_index.low) + unit;
  return n_left;
}

/// Nothing is moved.
std::uint32_t LowCardinalitySplitter::partition_masks(const Waiting& node, const Split& split,
                                                      Desk& mine, std::uint64_t& left) {
  MaskBlock& block = mine.search.block();
  left = block.cuts(static_cast<std::uint32_t>(split.column)).rows_up_to(split.code) & node.mask;
  block.count(left, mine.counts.data());
  return block.n_rows(left);
}

void LowCardinalitySplitter::finish(Waiting& node, Workers workers) {
  if (node.cells >= 0) desk(workers).cells.give(std::exchange(node.cells, -1));
}

/// The live columns of a node are told apart from those of the thread that found them; that thread
/// keeps its counts.
void LowCardinalitySplitter::hand_over(Waiting& node) {
  finish(node, {});
  handed_over_.give(desks_[0]->non_constant, node.non_constant);
}

void LowCardinalitySplitter::take_over(Waiting& node, Workers workers) {
  handed_over_.take(node.non_constant, desk(workers).non_constant);
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "split/narrow_splitter.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ramify {

namespace {

/// Codes of a column, on average, up to which to count beats to walk along lists: a node costs what
/// its codes cost, however few its rows are. Measured on 150 to 60,000 rows of 20 columns.
std::size_t most_codes(const Plan& plan) {
  return whole_kernels().of(plan.criterion.builtin->info->name) ? 128 : 32;
}

}  // namespace

bool NarrowSplitter::fits(const Table& table, const Target& target, const Plan& plan) {
  if (!target.is_whole() || !plan.monotonic.empty() || plan.random_cuts ||
      target.n_all_classes() > CellCall::most_classes)
    return false;
  // Counts say what rows weigh, and how many they are if each weighs one.
  if (!target.weight.empty() && plan.min_leaf_rows > 1) return false;
  std::size_t n_codes = 0;
  for (const Column& column : table.columns) {
    if (!column.is_narrow() || column.is_categorical || column.n_missing > 0) return false;
    n_codes += column.n_codes();
  }
  return n_codes <= most_codes(plan) * table.columns.size() && has_keys(table, target);
}

NarrowSplitter::NarrowSplitter(const Table& table, std::span<const std::uint32_t> rows,
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
    desks_.push_back(std::make_unique<Desk>(Desk{NarrowSearch(training, rows_, scores_),
                                                 NodeCells(table, stride_, CellCall::codes_at_once),
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 std::vector<std::uint8_t>(table.columns.size())}));
  }
}

NarrowSplitter::Waiting NarrowSplitter::root(const Node& node) {
  handed_over_.begin(node.live);
  const LiveColumns::Part live{static_cast<std::uint32_t>(node.live.size()), 0};
  return {node.begin, node.end, node.depth, 0, node.key, live};
}

/// Do sixteen bits hold its counts, and is it too large for masks?
bool NarrowSplitter::is_counted(std::span<const double> facts) const {
  const double weight = weight_of(target_, facts);
  return weight > MaskBlock::most_weight && weight <= CellCall::most_weight;
}

/// Makes a node that is small enough a mask, and counts one that nobody has counted.
void NarrowSplitter::prepare(Waiting& node, std::span<const double> facts,
                             std::span<const std::uint32_t> columns, Workers workers, Desk& mine) {
  if (node.mask != 0 || node.cells >= 0) return;
  const std::span<const Member> members = rows_.members(node.begin, node.end);
  if (weight_of(target_, facts) <= MaskBlock::most_weight) {
    node.mask = mine.search.block().start(members, rows_.records(), rows_.layout(), n_classes_);
  } else if (is_counted(facts)) {
    node.cells = mine.cells.take();
    count(members, columns, node.cells, workers, mine);
  }
}

/// Adds some rows to the counts of some columns.
void NarrowSplitter::count(std::span<const Member> members, std::span<const std::uint32_t> columns,
                           int cells, Workers workers, Desk& mine) {
  constexpr std::size_t at_once = columns_at_once;
  const auto n = static_cast<std::uint32_t>(members.size());
  const auto count_from = [&](std::size_t first) {
    const auto group = columns.subspan(first, std::min(at_once, columns.size() - first));
    std::uint16_t* own[at_once];
    for (std::size_t j = 0; j < group.size(); ++j) own[j] = mine.cells.of(cells, group[j]);
    whole_kernels().count_cells({rows_.records(), members.data(), n, rows_.layout(), group.data(),
                                 static_cast<int>(group.size()), own, stride_});
  };
  if (workers.n == 1 || members.size() * columns.size() < shared_cells) {
    for (std::size_t first = 0; first < columns.size(); first += at_once) count_from(first);
    return;
  }
  pool_.run(static_cast<int>((columns.size() + at_once - 1) / at_once),
            [&](int i, int) { count_from(static_cast<std::size_t>(i) * at_once); });
}

Split NarrowSplitter::best(Waiting& node, std::span<const double> facts, Workers workers,
                           const std::function<bool()>&) {
  Desk& mine = desk(workers);
  std::vector<std::uint32_t>& live = mine.live.take(node.live);
  prepare(node, facts, live, workers, mine);
  mine.search.start(
      {rows_.members(node.begin, node.end), node.begin, node.end, node.depth, node.mask}, facts);
  if (plan_.max_columns == 0) {
    look_at(node, live, mine);
  } else {
    mine.urn.fill(live, plan_.max_columns, node.key);
    for (auto drawn = mine.urn.draw(); !drawn.empty() && !mine.search.has_best();
         drawn = mine.urn.draw())
      look_at(node, drawn, mine);
  }
  std::erase_if(live, [&](std::uint32_t column) {
    return std::exchange(mine.is_constant[column], std::uint8_t{0}) != 0;
  });
  mine.live.keep(node.live);
  return mine.search.best();
}

/// Looks at some columns; those that are constant are marked. What is drawn later depends on these
/// marks: only where all columns are looked at, the last ones may be left out.
void NarrowSplitter::look_at(const Waiting& node, std::span<const std::uint32_t> columns,
                             Desk& mine) const {
  const bool looks_at_all = plan_.max_columns == 0;
  for (const std::uint32_t column : columns) {
    const std::uint16_t* cells = node.cells >= 0 ? mine.cells.of(node.cells, column) : nullptr;
    mine.is_constant[column] = !mine.search.look_at(column, cells);
    if (looks_at_all && mine.search.is_done()) return;
  }
}

void NarrowSplitter::part(Waiting& node, std::span<const double> facts, Split& split,
                          Workers workers, std::vector<Waiting>& children) {
  Desk& mine = desk(workers);
  mine.counts.assign(n_classes_, 0);
  std::uint64_t left = 0;
  const std::uint32_t n_left =
      node.mask ? part_masks(node, split, mine, left) : part_members(node, split, mine);
  mine.facts[0].assign(mine.counts.begin(), mine.counts.end());
  mine.facts[1].resize(n_classes_);
  for (std::size_t k = 0; k < n_classes_; ++k) mine.facts[1][k] = facts[k] - mine.facts[0][k];
  const std::uint32_t middle = node.begin + n_left;
  children.clear();
  children.push_back(
      {node.begin, middle, node.depth + 1, 0, child_key(node.key, 0), node.live, left});
  children.push_back(
      {middle, node.end, node.depth + 1, 0, child_key(node.key, 1), node.live, node.mask & ~left});
  if (node.cells >= 0) share_cells(node, children, workers, mine);
}

/// Counts the smaller child, and what is left of the node's counts are those of the larger; unless
/// that one needs none.
void NarrowSplitter::share_cells(Waiting& node, std::span<Waiting> children, Workers workers,
                                 Desk& mine) {
  const std::size_t larger = children[1].n_rows() > children[0].n_rows();
  const auto needs = [&](std::size_t i) {
    return is_counted(mine.facts[i]) && !is_leaf(children[i], mine.facts[i]);
  };
  if (!needs(larger) || !mine.cells.has_room()) return;
  Waiting &large = children[larger], &small = children[1 - larger];
  const int counted = mine.cells.take();
  const std::vector<std::uint32_t>& columns = mine.live.take(node.live);
  count(rows_.members(small.begin, small.end), columns, counted, workers, mine);
  for (const std::uint32_t column : columns)
    whole_kernels().take_away(mine.cells.of(node.cells, column), mine.cells.of(counted, column),
                              mine.cells.size_of(column));
  large.cells = std::exchange(node.cells, -1);
  if (needs(1 - larger))
    small.cells = counted;
  else
    mine.cells.give(counted);
}

/// Parts the rows, and counts the classes on the left.
std::uint32_t NarrowSplitter::part_members(const Waiting& node, const Split& split, Desk& mine) {
  const std::span<Member> members = rows_.members(node.begin, node.end);
  if (mine.spare.size() < members.size()) mine.spare.resize(members.size());
  const std::uint32_t n_left = kernels().part_members(
      {rows_.records(), members.data(), node.n_rows(), static_cast<std::uint32_t>(split.column),
       split.code, mine.spare.data()});
  const ItemLayout layout = rows_.layout();
  const std::uint32_t unit = layout.times_bits == 0;
  for (const Member& member : members.first(n_left))
    mine.counts[layout.label(member.low)] += layout.times(member.low) + unit;
  return n_left;
}

/// Nothing is moved.
std::uint32_t NarrowSplitter::part_masks(const Waiting& node, const Split& split, Desk& mine,
                                         std::uint64_t& left) {
  MaskBlock& block = mine.search.block();
  left = block.cuts(static_cast<std::uint32_t>(split.column)).rows_up_to(split.code) & node.mask;
  block.count(left, mine.counts.data());
  return block.n_rows(left);
}

void NarrowSplitter::finish(Waiting& node, Workers workers) {
  if (node.cells >= 0) desk(workers).cells.give(std::exchange(node.cells, -1));
}

/// The live columns of a node are told apart from those of the thread that found them; that thread
/// keeps its counts.
void NarrowSplitter::hand_over(Waiting& node) {
  finish(node, {});
  handed_over_.give(desks_[0]->live, node.live);
}

void NarrowSplitter::take_over(Waiting& node, Workers workers) {
  handed_over_.take(node.live, desk(workers).live);
}

}  // namespace ramify

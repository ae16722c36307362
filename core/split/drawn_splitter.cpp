// SPDX-License-Identifier: BSD-3-Clause
#include "split/drawn_splitter.hpp"

#include <algorithm>

#include "scan/kernels.hpp"
#include "scan/part.hpp"
#include "split/drawn_parting.hpp"

namespace ramify {

template <class Key>
DrawnSplitter<Key>::DrawnSplitter(const Table& table, std::span<const std::uint32_t> rows,
                                  const Target& target, const Plan& plan, Pool& pool)
    : table_(table),
      target_(target),
      plan_(plan),
      rows_(table, rows, target, plan.random_cuts),
      n_classes_(target.n_all_classes()) {
  const ValueRecords& values = rows_.values();
  const auto width = static_cast<std::size_t>(values.values ? values.width : rows_.records().width);
  for (int worker = 0; worker < pool.size(); ++worker)
    desks_.push_back(
        std::make_unique<Desk>(Desk{DrawnSearch<Key>(table, target, plan, rows_),
                                    {},
                                    {},
                                    {},
                                    {},
                                    {},
                                    NearRows(width * table.columns.size(), target.n_rows)}));
}

template <class Key>
CodeRecords DrawnSplitter<Key>::records(const Waiting& node, const Desk& mine) const {
  CodeRecords records = rows_.records();
  if (node.level > 0 && !rows_.values().values) records.codes = mine.near.at(node.level);
  return records;
}

template <class Key>
ValueRecords DrawnSplitter<Key>::values(const Waiting& node, const Desk& mine) const {
  ValueRecords values = rows_.values();
  if (node.level > 0 && values.values) values.values = mine.near.at(node.level);
  return values;
}

/// Copies what is known of the rows of a node, if it is small enough and they are not near yet.
template <class Key>
void DrawnSplitter<Key>::move_near(Waiting& node, Desk& mine) {
  const int wanted = mine.near.wanted(node.n_rows());
  if (wanted <= node.level) return;
  const std::span<Member> members = rows_.members(node.begin, node.end);
  const void* from = rows_.values().values ? values(node, mine).values : records(node, mine).codes;
  mine.near.copy(wanted, from, members.size(), [&](std::size_t i) { return members[i].row; });
  for (std::uint32_t i = 0; i < members.size(); ++i) members[i].row = i;
  node.level = wanted;
}

template <class Key>
typename DrawnSplitter<Key>::Waiting DrawnSplitter<Key>::root(const Node& node) {
  handed_over_.begin(node.live);
  const LiveColumns::Part live{static_cast<std::uint32_t>(node.live.size()), 0};
  return {node.begin, node.end, node.depth, 0, node.key, live};
}

template <class Key>
Split DrawnSplitter<Key>::best(Waiting& node, std::span<const double> facts, Workers workers,
                               const std::function<bool()>&) {
  Desk& mine = desk(workers);
  std::vector<std::uint32_t>& live = mine.live.take(node.live);
  const std::span<const Member> members = rows_.members(node.begin, node.end);
  if (workers.n == 1 && node.mask == 0) start_block(node, facts, live, mine);
  if (node.mask == 0 && mine.search.may_mask() &&
      weight_of(target_, facts) <= MaskBlock::most_weight)
    node.mask = mine.search.block().start(members, records(node, mine), rows_.layout(), n_classes_);
  const Split split = mine.search.best(
      {members, records(node, mine), values(node, mine), facts, node.key, node.mask, node.items},
      live);
  if (split.exists()) mine.live.keep(node.live);
  return split;
}

template <class Key>
void DrawnSplitter<Key>::part(Waiting& node, std::span<const double> facts, Split& split,
                              Workers workers, std::vector<Waiting>& children) {
  Desk& mine = desk(workers);
  if (node.items.size() > 0) return part_block(node, facts, split, mine, children);
  const std::span<Member> members = rows_.members(node.begin, node.end);
  if (mine.spare.size() < members.size()) mine.spare.resize(members.size());
  mine.counts.assign(n_classes_, 0);
  const bool is_listed = split.saw_missing || split.kind == SplitKind::categories;
  std::uint64_t left = 0;
  const std::uint32_t n_left = node.mask               ? part_masks(node, split, mine, left)
                               : is_listed             ? part_listed(members, node, split, mine)
                               : rows_.values().values ? part_by_value(members, node, split, mine)
                                                       : part_by_code(members, node, split, mine);
  mine.facts[0].assign(mine.counts.begin(), mine.counts.end());
  mine.facts[1].resize(n_classes_);
  for (std::size_t k = 0; k < n_classes_; ++k) mine.facts[1][k] = facts[k] - mine.facts[0][k];
  const std::uint32_t middle = node.begin + n_left;
  children.clear();
  const auto add = [&](std::size_t branch, std::uint32_t begin, std::uint32_t end,
                       std::uint64_t mask) {
    children.push_back(
        {begin, end, node.depth + 1, 0, child_key(node.key, branch), node.live, mask, node.level});
  };
  add(0, node.begin, middle, left);
  add(1, middle, node.end, node.mask & ~left);
}

template <class Key>
std::uint32_t DrawnSplitter<Key>::part_by_code(std::span<Member> members, const Waiting& node,
                                               const Split& split, Desk& mine) {
  const auto column = static_cast<std::uint32_t>(split.column);
  PartCall call{records(node, mine), members.data(),   node.n_rows(), column,
                split.code,          mine.spare.data()};
  if (mine.search.may_stretch(node.n_rows())) {
    call.stretches = mine.search.stretches();
    call.stretch = Stretches(table_.columns[column]).of(split.code);
  }
  const std::uint32_t n_left = kernels().part_members(call);
  count(members.first(n_left), mine);
  return n_left;
}

template <class Key>
std::uint32_t DrawnSplitter<Key>::part_by_value(std::span<Member> members, const Waiting& node,
                                                const Split& split, Desk& mine) {
  const auto column = static_cast<std::uint32_t>(split.column);
  const ValueRecords records = values(node, mine);
  const typename DrawnSearch<Key>::Gathered known = mine.search.gathered(column);
  const std::uint32_t n_left = drawn_kernels().part_values(
      {records, known.values, members.data(), node.n_rows(), column,
       known.values ? known.bound : split.threshold, mine.spare.data()});
  if (known.counts)
    mine.counts.assign(known.counts, known.counts + n_classes_);
  else
    count(members.first(n_left), mine);
  return n_left;
}

/// Nothing is moved.
template <class Key>
std::uint32_t DrawnSplitter<Key>::part_masks(const Waiting& node, const Split& split, Desk& mine,
                                             std::uint64_t& left) {
  MaskBlock& block = mine.search.block();
  left = block.cuts(static_cast<std::uint32_t>(split.column)).rows_up_to(split.code) & node.mask;
  if constexpr (Weigher<Key>::counts) block.count(left, mine.counts.data());
  return block.n_rows(left);
}

/// Parts rows by the branch of their code, each side in the order they had, and counts the classes
/// on the left.
template <class Key>
std::uint32_t DrawnSplitter<Key>::part_listed(std::span<Member> members, const Waiting& node,
                                              const Split& split, Desk& mine) {
  list_branches(split, table_.columns[split.column].n_codes(), mine.branches);
  const CodeRecords records = this->records(node, mine);
  const std::uint32_t n_left = RAMIFY_KERNELS::with_codes(records, [&](const auto* codes) {
    return RAMIFY_KERNELS::part_in_order(
        members.data(), node.n_rows(), mine.spare.data(),
        [branch = mine.branches.data(), code = codes + split.column, stride = records.n_columns](
            std::uint32_t, const Member& member) {
          return static_cast<std::uint32_t>(branch[code[member.row * stride]] == 0);
        });
  });
  count(members.first(n_left), mine);
  return n_left;
}

/// The live columns of a node are told apart from those of the thread that found them.
template <class Key>
void DrawnSplitter<Key>::hand_over(Waiting& node) {
  handed_over_.give(desks_[0]->live, node.live);
}

template <class Key>
void DrawnSplitter<Key>::take_over(Waiting& node, Workers workers) {
  handed_over_.take(node.live, desk(workers).live);
}

template class DrawnSplitter<CountKey>;
template class DrawnSplitter<RowKey>;

}  // namespace ramify

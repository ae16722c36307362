// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/list_splitter.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace ramify {
namespace {

/// To number the rows anew does not pay for fewer.
constexpr std::uint32_t min_short = 24;

void take_better(Split& best, Split& next) {
  if (!best.exists() || wins(next.best, next.tie_break, best.best, best.tie_break))
    best = std::move(next);
}

}  // namespace

ListSplitter::ListSplitter(const Table& table, std::span<const std::uint32_t> rows,
                           const Target& target, const Plan& plan, Pool& pool)
    : table_(table),
      target_(target),
      plan_(plan),
      pool_(pool),
      weighing_(weigh_rows(target, flag_kernels().most_weighted).value()),
      lists_(table, rows, target, weighing_, pool),
      scores_(target, plan) {
  const Training training{table, target, plan, no_store_};
  for (int worker = 0; worker < pool.size(); ++worker) {
    desks_.push_back(std::make_unique<Desk>(ListSearch(training, lists_, weighing_, scores_)));
    Desk& mine = *desks_.back();
    mine.counts.resize(target.n_all_classes());
    mine.is_constant.resize(table.columns.size());
    for (auto& statistics : mine.statistics) statistics.resize(target.n_all_classes());
  }
}

ListSplitter::Waiting ListSplitter::root(const Node& node) {
  handed_over_.push_back(node.non_constant);
  Waiting root;
  root.end = node.end;
  root.depth = node.depth;
  root.key = node.key;
  root.n_non_constant = static_cast<std::uint32_t>(node.non_constant.size());
  root.lower = node.lower;
  root.upper = node.upper;
  return root;
}

Split ListSplitter::best(Waiting& node, std::span<const double> statistics, Workers workers,
                         const std::function<bool()>&) {
  Desk& mine = desk(workers);
  mine.non_constant.resize(node.non_constant_begin +
                           node.n_non_constant);  // what nodes below the last sibling noted
  keep_short(node, mine);
  std::atomic<double> to_beat = minus_infinity;
  for (int worker = workers.first; worker < workers.first + workers.n; ++worker)
    desks_[static_cast<std::size_t>(worker)]->search.start(node, statistics,
                                                           workers.n > 1 ? &to_beat : nullptr);
  Split best;
  mine.sampler.fill(std::span(mine.non_constant).subspan(node.non_constant_begin),
                    plan_.max_columns, node.key);
  for (auto sampled = mine.sampler.draw(); !sampled.empty() && !best.exists();
       sampled = mine.sampler.draw())
    best = best_of(node, sampled, workers, mine);
  forget_constant(node, mine);
  if (!best.exists()) return best;
  mine.search.name_codes(best);
  set_threshold(plan_, table_.columns[static_cast<std::size_t>(best.column)], best);
  return best;
}

/// The children need not look at columns that turned out constant.
void ListSplitter::forget_constant(Waiting& node, Desk& mine) {
  const auto end = node.non_constant_begin + node.n_non_constant;
  const auto is_constant = [&](std::uint32_t at) {
    return mine.is_constant[mine.non_constant[at]] != 0;
  };
  std::uint32_t at = node.non_constant_begin;
  while (at < end && !is_constant(at)) ++at;
  if (at == end) return;
  const auto kept = static_cast<std::uint32_t>(mine.non_constant.size());
  for (at = node.non_constant_begin; at < end; ++at)
    if (is_constant(at))
      mine.is_constant[mine.non_constant[at]] = 0;
    else
      mine.non_constant.push_back(mine.non_constant[at]);
  node.non_constant_begin = kept;
  node.n_non_constant = static_cast<std::uint32_t>(mine.non_constant.size()) - kept;
}

void ListSplitter::keep_short(Waiting& node, Desk& mine) {
  if (node.is_short || node.n_rows() > lists_.max_short() || node.n_rows() < min_short) return;
  lists_.shorten(node, std::span(mine.non_constant).subspan(node.non_constant_begin));
}

/// The best split of some columns; those that are constant are marked.
Split ListSplitter::best_of(const Waiting& node, std::span<const std::uint32_t> columns,
                            Workers workers, Desk& mine) {
  using Found = ListSearch::Found;
  Split best;
  const auto take = [&](std::uint32_t column, Found found, Split& split) {
    if (found == Found::constant) mine.is_constant[column] = 1;
    if (found == Found::split) take_better(best, split);
  };
  if (plan_.criterion.interpreted) {
    std::vector<Split> found = mine.search.look_at_all(columns);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Found what = found[i].is_constant ? Found::constant
                         : found[i].exists()  ? Found::split
                                              : Found::nothing;
      take(columns[i], what, found[i]);
    }
    return best;
  }
  if (workers.n == 1 || std::size_t{node.n_rows()} * columns.size() < shared_cells) {
    Split split;
    for (const std::uint32_t column : columns)
      take(column, mine.search.look_at(column, split), split);
    return best;
  }
  std::vector<std::pair<Found, Split>> found(columns.size());
  pool_.run(static_cast<int>(columns.size()), [&](int i, int worker) {
    auto& [what, split] = found[static_cast<std::size_t>(i)];
    what = desks_[static_cast<std::size_t>(worker)]->search.look_at(
        columns[static_cast<std::size_t>(i)], split);
  });
  for (std::size_t i = 0; i < columns.size(); ++i)
    take(columns[i], found[i].first, found[i].second);
  return best;
}

/// Calls visit(item) for the items of one side, in the list of the column that is split.
template <class Visit>
void ListSplitter::each_item(const Waiting& node, const Split& split, bool left,
                             Visit visit) const {
  const auto column = static_cast<std::uint32_t>(split.column);
  const std::uint32_t n = node.n_rows(), n_valued = lists_.n_valued(node, column);
  const void* list = lists_.items(node, column);
  const auto visit_from = [&](const auto* items) {
    const auto range = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) visit(items[i]);
    };
    left ? range(0, split.rows_left) : range(split.rows_left, n_valued);
    if (left == split.missing_left) range(n_valued, n);
  };
  if (node.is_short)
    visit_from(static_cast<const std::uint16_t*>(list));
  else
    visit_from(static_cast<const std::uint32_t*>(list));
}

/// Marks the rows of the smaller side and counts the classes of both. Is it the left?
bool ListSplitter::mark(const Waiting& node, std::span<const double> statistics, const Split& split,
                        std::uint32_t n_left, Desk& mine) {
  const bool is_left = 2 * n_left <= node.n_rows();
  const FlagLayout layout = lists_.layout(node.is_short);
  if (!node.is_short && mine.moved.empty()) mine.moved.resize(target_.n_rows / 32 + 1);
  if (node.is_short) std::ranges::fill(mine.moved_short, 0u);
  std::uint32_t* moved = node.is_short ? mine.moved_short : mine.moved.data();
  std::uint32_t* counts = mine.counts.data();
  std::ranges::fill(mine.counts, 0u);
  std::vector<double>&marked = mine.statistics[is_left ? 0 : 1],
  &others = mine.statistics[is_left ? 1 : 0];
  std::ranges::fill(marked, 0.0);
  const double* weights = weighing_.by_row ? lists_.weights(node) : nullptr;
  each_item(node, split, is_left, [&](std::uint32_t item) {
    const std::uint32_t row = layout.row(item);
    moved[row >> 5] |= 1u << (row & 31);
    if (weights)
      marked[layout.label(item)] += weights[row];
    else
      ++counts[layout.label(item)];
  });
  for (std::size_t k = 0; k < statistics.size(); ++k) {
    if (!weights) marked[k] = weighing_.by_class() ? weighing_.of_class[k] * counts[k] : counts[k];
    others[k] = statistics[k] - marked[k];
  }
  return is_left;
}

void ListSplitter::unmark(const Waiting& node, const Split& split, bool is_left, Desk& mine) {
  if (node.is_short) return;
  const FlagLayout layout = lists_.layout(false);
  each_item(node, split, is_left,
            [&](std::uint32_t item) { mine.moved[layout.row(item) >> 5] = 0; });
}

void ListSplitter::partition(Waiting& node, std::span<const double> statistics, Split& split,
                             Workers workers, std::vector<Waiting>& children) {
  Desk& mine = desk(workers);
  const auto column = static_cast<std::uint32_t>(split.column);
  const std::uint32_t n_missing = node.n_rows() - lists_.n_valued(node, column);
  const std::uint32_t n_left = split.rows_left + (split.missing_left ? n_missing : 0);
  const bool marked_left = mark(node, statistics, split, n_left, mine);
  children.clear();
  for (std::size_t branch = 0; branch < 2; ++branch) {
    Waiting child = node;
    (branch == 0 ? child.end : child.begin) = node.begin + n_left;
    child.depth = node.depth + 1;
    child.key = child_key(node.key, branch);
    children.push_back(child);
  }
  set_bounds(split, children, mine);
  const bool left = !is_leaf(children[0], mine.statistics[0]);
  const bool right = !is_leaf(children[1], mine.statistics[1]);
  if (left || right)
    partition_lists(node, split, marked_left,
                    left && right ? Keep::both
                    : left        ? Keep::left
                                  : Keep::right,
                    workers, mine);
  else
    unmark(node, split, marked_left, mine);
}

void ListSplitter::partition_lists(const Waiting& node, const Split& split, bool marked_left,
                                   Keep keep, Workers workers, Desk& mine) {
  const FlagKernels& kernel = flag_kernels();
  const auto run = node.is_short ? kernel.partition_short : kernel.partition;
  const auto own = static_cast<std::uint32_t>(split.column);
  const std::uint32_t* moved = node.is_short ? mine.moved_short : mine.moved.data();
  const auto partition_list = [&](std::uint32_t column, Desk& desk) {
    constexpr std::size_t vector_items = 32;
    if (desk.spare.size() < node.n_rows() + vector_items)
      desk.spare.resize(node.n_rows() + vector_items);
    run({lists_.items(node, column), node.n_rows(), lists_.layout(node.is_short), moved,
         marked_left, keep, desk.spare.data()});
  };
  const std::span<const std::uint32_t> columns(mine.non_constant.data() + node.non_constant_begin,
                                               node.n_non_constant);
  if (workers.n == 1 || std::size_t{node.n_rows()} * columns.size() < shared_cells) {
    for (const std::uint32_t column : columns)
      if (column != own) partition_list(column, mine);
  } else {
    pool_.run(static_cast<int>(columns.size()), [&](int i, int worker) {
      const std::uint32_t column = columns[static_cast<std::size_t>(i)];
      if (column != own) partition_list(column, *desks_[static_cast<std::size_t>(worker)]);
    });
  }
  unmark(node, split, marked_left, mine);  // its own list tells which rows these were
  if (!split.missing_left) return;         // and is in order already
  const std::uint32_t n_valued = lists_.n_valued(node, own);
  const auto rotate = [&](auto* items) {
    std::rotate(items + split.rows_left, items + n_valued, items + node.n_rows());
  };
  if (node.is_short)
    rotate(static_cast<std::uint16_t*>(lists_.items(node, own)));
  else
    rotate(static_cast<std::uint32_t*>(lists_.items(node, own)));
}

void ListSplitter::set_bounds(const Split& split, std::span<Waiting> children,
                              const Desk& mine) const {
  if (plan_.monotonic.empty()) return;
  const auto value = [&](std::size_t branch) {
    return mine.statistics[branch][1] / weight_of(target_, mine.statistics[branch]);
  };
  Node left, right;
  left.lower = right.lower = children[0].lower;
  left.upper = right.upper = children[0].upper;
  ramify::set_bounds(plan_.monotonic[static_cast<std::size_t>(split.column)], value(0), value(1),
                     left, right);
  children[0].lower = left.lower;
  children[0].upper = left.upper;
  children[1].lower = right.lower;
  children[1].upper = right.upper;
}

/// The live columns of a node are told apart from those of the thread that found them.
void ListSplitter::hand_over(Waiting& node) {
  const std::vector<std::uint32_t>& non_constant = desks_[0]->non_constant;
  const auto first = non_constant.begin() + node.non_constant_begin;
  handed_over_.emplace_back(first, first + node.n_non_constant);
  node.non_constant_begin = static_cast<std::uint32_t>(handed_over_.size() - 1);
}

void ListSplitter::take_over(Waiting& node, Workers workers) {
  desk(workers).non_constant = handed_over_[node.non_constant_begin];
  node.non_constant_begin = 0;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/sorted_classes.hpp"

#include <algorithm>
#include <cmath>

namespace ramify {
namespace {

void take_better(Split& best, Split& next) {
  if (next.exists() &&
      (!best.exists() || wins(next.best, next.tie_break, best.best, best.tie_break)))
    best = std::move(next);
}

}  // namespace

SortedClasses::SortedClasses(const Table& table, std::span<const std::uint32_t> rows,
                             const Target& target, const Plan& plan, Pool& pool)
    : target_(target),
      plan_(plan),
      pool_(pool),
      lists_(table, rows, target, pool),
      partitions_(lists_, target.n_rows, pool),
      scores_(target, plan) {
  const Training training{table, target, plan, no_store_};
  for (int worker = 0; worker < pool.size(); ++worker)
    desks_.push_back(std::make_unique<Desk>(training, lists_, scores_));
}

void SortedClasses::start(Waiting& node, std::span<const double> statistics,
                          std::span<const std::uint32_t> columns, Workers workers) {
  Desk& mine = desk(workers);
  mine.search.start(node, statistics, false);
  if (mine.search.has_bound() || plan_.criterion.interpreted ||
      !is_shared(node, columns.size(), workers))
    return;
  for (auto& other : workers.of(desks_)) other->search.start(node, statistics, true);
}

/// The best split of some columns; those that are constant are marked.
Split SortedClasses::best_of(const Waiting& node, std::span<const std::uint32_t> columns,
                             std::span<std::uint8_t> is_constant, Workers workers) {
  Desk& mine = desk(workers);
  Split best;
  if (mine.search.has_bound()) {
    mine.search.prepare_peaks(columns);
    each_column(node, columns.size(), pool_, workers,
                [&](std::size_t i, int) { mine.peaks[i] = mine.search.peak(columns[i]); });
    const std::span<const float> peaks(mine.peaks.data(), columns.size());
    mine.search.learn_to_beat(columns, peaks);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      is_constant[columns[i]] = std::isnan(peaks[i]);
      Split split = mine.search.best_near_peak(columns[i], peaks[i]);
      take_better(best, split);
    }
    return best;
  }
  std::vector<Split> found(columns.size());
  if (plan_.criterion.interpreted)
    found = mine.search.best_interpreted(columns);
  else
    each_column(node, columns.size(), pool_, workers, [&](std::size_t i, int worker) {
      found[i] = desks_[static_cast<std::size_t>(worker)]->search.best_of_all(columns[i]);
    });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    is_constant[columns[i]] = found[i].is_constant;
    take_better(best, found[i]);
  }
  return best;
}

std::pair<bool, bool> SortedClasses::measure(const Waiting& node,
                                             std::span<const double> statistics, const Split& split,
                                             std::span<Waiting> children, Workers workers) {
  Desk& mine = desk(workers);
  const ListCut cut(lists_, node, split);
  const bool is_left = cut.is_left_smaller();
  std::vector<double>&smaller = mine.statistics[is_left ? 0 : 1],
  &larger = mine.statistics[is_left ? 1 : 0];
  std::ranges::fill(smaller, 0.0);
  cut.each_range(is_left, [&](std::uint32_t begin, std::uint32_t end) {
    lists_.add_classes(node, cut.column, begin, end, smaller.data());
  });
  for (std::size_t k = 0; k < statistics.size(); ++k) larger[k] = statistics[k] - smaller[k];
  set_bounds(split, children, mine);
  return {!is_leaf(children[0], mine.statistics[0]), !is_leaf(children[1], mine.statistics[1])};
}

void SortedClasses::set_bounds(const Split& split, std::span<Waiting> children,
                               const Desk& mine) const {
  if (plan_.monotonic.empty()) return;
  const auto value = [&](std::size_t branch) {
    return mine.statistics[branch][1] / weight_of(target_, mine.statistics[branch]);
  };
  Node sides[2];
  for (std::size_t i = 0; i < 2; ++i) {
    sides[i].lower = children[i].lower;
    sides[i].upper = children[i].upper;
  }
  ramify::set_bounds(plan_.monotonic[static_cast<std::size_t>(split.column)], value(0), value(1),
                     sides[0], sides[1]);
  for (std::size_t i = 0; i < 2; ++i) {
    children[i].lower = sides[i].lower;
    children[i].upper = sides[i].upper;
  }
}

}  // namespace ramify

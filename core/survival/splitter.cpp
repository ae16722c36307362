// SPDX-License-Identifier: BSD-3-Clause
#include "survival/splitter.hpp"

#include <cmath>
#include <numeric>

#include "select/admissible.hpp"
#include "select/judge.hpp"

namespace ramify {
namespace {

/// rpart's prior: as many events seen, and expected, before any row.
constexpr double prior_events = 1;

}  // namespace

SurvivalSplitter::SurvivalSplitter(const Table& table, const TimeOrder& order, const Target& target,
                                   const Plan& plan, const SurvivalRules& rules, Pool& pool)
    : table_(table),
      order_(order),
      target_(target),
      plan_(plan),
      rules_(rules),
      pool_(pool),
      lists_(table, order, target, pool),
      root_scores_(root_scores()),
      search_(table, order, plan, rules, lists_, root_scores_) {
  for (int worker = 0; worker < pool.size(); ++worker) desks_.push_back(std::make_unique<Desk>());
}

RootScores SurvivalSplitter::root_scores() const {
  NodeTimes root;
  root.read(order_, lists_.rows({0, order_.n_rows()}));
  return RootScores(order_, root);
}

SurvivalSplitter::Waiting SurvivalSplitter::root(std::uint64_t key) {
  Waiting root;
  root.end = order_.n_rows();
  root.key = key;
  root.non_constant.resize(table_.columns.size());
  std::iota(root.non_constant.begin(), root.non_constant.end(), 0u);
  measure(root);
  return root;
}

/// The risk of a node is the sum of its cumulative hazard over all event times of the training
/// data: each of its events counts for all event times from its own on. Its impurity is the
/// deviance from a rate of the hazard of the root, as in rpart.
void SurvivalSplitter::measure(Waiting& node) const {
  const std::span<const std::uint32_t> rows = lists_.rows(node);
  std::uint64_t all = 0, dead = 0;
  for (const std::uint32_t row : rows) all += order_.weight[row];
  std::uint64_t before = 0;
  double risk = 0, expected = 0, logs = 0;
  for (std::size_t i = 0; i < rows.size();) {
    const std::uint32_t time = order_.place[rows[i]];
    std::uint64_t here = 0, own = 0;
    const std::uint32_t first = rows[i];
    for (; i < rows.size() && order_.place[rows[i]] == time; ++i) {
      const std::uint64_t weight = order_.weight[rows[i]];
      here += weight;
      own += order_.event[rows[i]] ? weight : 0;
    }
    risk +=
        static_cast<double>(own) / static_cast<double>(all - before) * order_.later_events[time];
    expected += static_cast<double>(here) * root_scores_.exposure[first];
    logs += static_cast<double>(own) * root_scores_.log_exposure[first];
    before += here;
    dead += own;
  }
  const double unit = order_.unit, events = static_cast<double>(dead) * unit;
  expected *= unit;
  const double rate = (events + prior_events) / (expected + prior_events);
  const double deviance = -2 * (events * std::log(rate) + logs * unit + (events - rate * expected));
  node.risk = risk;
  node.weight = static_cast<double>(all);
  node.events = events;
  node.impurity = deviance / (node.weight * unit);
}

bool SurvivalSplitter::is_leaf(const Waiting& node, std::span<const double>) const {
  const std::uint64_t n = node.n_rows();
  return node.depth >= plan_.max_depth || n < plan_.min_split_rows || n / 2 < plan_.min_leaf_rows ||
         node.non_constant.empty() || !(node.events > 0) || node.events < 2 * rules_.min_events ||
         node.weight < 2 * plan_.min_leaf_weight;
}

Split SurvivalSplitter::best(Waiting& node, std::span<const double>, Workers workers,
                             const std::function<bool()>& must_stop) {
  Desk& mine = desk(workers.first);
  if (!search_.start(node, mine.sums)) return {};
  const SearchedNode searched{node, node.key};
  Split split;
  std::vector<std::uint8_t> is_constant(table_.columns.size());
  mine.sampler.fill(node.non_constant, plan_.max_columns, node.key);
  for (auto sampled = mine.sampler.draw(); !sampled.empty() && !split.exists();
       sampled = mine.sampler.draw()) {
    mine.found.assign(sampled.size(), Split{});
    const bool is_shared =
        workers.n > 1 && std::size_t{node.n_rows()} * sampled.size() >= shared_cells / 8;
    const auto look = [&](std::size_t i, int worker) {
      mine.found[i] = search_.best_of_column(searched, sampled[i], mine.sums, desk(worker).room);
    };
    if (is_shared)
      pool_.run(static_cast<int>(sampled.size()),
                [&](int i, int worker) { look(static_cast<std::size_t>(i), worker); });
    else
      for (std::size_t i = 0; i < sampled.size() && !must_stop(); ++i) look(i, workers.first);
    for (std::size_t i = 0; i < sampled.size(); ++i)
      is_constant[sampled[i]] = mine.found[i].is_constant;
    split = search_.choose(searched, mine.found, mine.sums, mine.room);
  }
  std::erase_if(node.non_constant, [&](std::uint32_t column) { return is_constant[column] != 0; });
  return split;
}

bool SurvivalSplitter::is_worth(const Waiting& node, std::span<const double>,
                                const Split& split) const {
  return pays(plan_, target_, split, 1, node.weight);
}

void SurvivalSplitter::partition(Waiting& node, std::span<const double>, Split& split,
                                 Workers workers, std::vector<Waiting>& children) {
  Desk& mine = desk(workers.first);
  set_threshold(plan_, table_.columns[static_cast<std::size_t>(split.column)], split);
  const std::uint32_t n_left = lists_.partition(node, split, node.non_constant, mine.parting);
  children.clear();
  for (std::size_t branch = 0; branch < 2; ++branch) {
    Waiting child = node;
    (branch == 0 ? child.end : child.begin) = node.begin + n_left;
    child.depth = node.depth + 1;
    child.key = child_key(node.key, branch);
    measure(child);
    children.push_back(std::move(child));
  }
}

std::span<const double> SurvivalSplitter::statistics(const Waiting& node, std::size_t,
                                                     Workers workers) {
  Desk& mine = desk(workers.first);
  mine.statistics[0] = node.risk;
  mine.statistics[1] = node.impurity;
  mine.statistics[2] = node.weight;
  return mine.statistics;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "survival/grow.hpp"

#include <algorithm>
#include <utility>

#include "grow/loop.hpp"
#include "survival/splitter.hpp"

namespace ramify {
namespace {

/// What the loop and the tree want to know of a target: a number per row, and its weight.
Target plain_target(const TimeOrder& order) {
  Target target;
  target.n_rows = order.n_rows();
  target.n_classes = {1};
  target.values.assign(order.n_rows(), 0.0);
  target.weight.assign(order.weight.begin(), order.weight.end());
  target.unit = order.unit;
  return target;
}

}  // namespace

GrownSurvival grow_survival(const Table& table, std::span<const std::uint32_t> rows,
                            const SurvivalTarget& target, const Plan& plan,
                            const SurvivalRules& rules) {
  const TimeOrder order(target, rows);
  const Target plain = plain_target(order);
  Plan mine = plan;
  mine.n_training_rows = plain.n_rows;
  mine.training_weight = plain.total_weight() * plain.unit;
  mine.min_leaf_weight = mine.min_leaf_share * mine.training_weight / plain.unit;
  // The log-rank family splits at a score of zero too, as scikit-survival does.
  mine.splits_at_zero = is_log_rank(rules.criterion);
  const bool calls_interpreter = rules.scores_of || rules.score_cuts;
  Pool pool(calls_interpreter ? 1 : std::max(1, mine.n_threads));
  SurvivalSplitter splitter(table, order, plain, mine, rules, pool);
  const Recorder recorder{table, plain, mine.missing};
  Progress progress{mine};
  std::vector<Fragment> fragments;
  SurvivalSplitter::Waiting root = splitter.root(mix(mine.seed));
  const std::vector<double> statistics{root.risk, root.impurity, root.weight};
  Loop(splitter, mine, recorder, pool, progress, fragments).grow(std::move(root), statistics);
  GrownSurvival grown{assemble(fragments, plain, mine), {}};
  grown.curves = leaf_curves(grown.tree, order, splitter.lists());
  return grown;
}

PackedSurvival pack(const GrownSurvival& grown) {
  const LeafCurves brief = grown.curves.brief();
  PackedSurvival packed{pack(grown.tree), {}};
  packed.curves.push_back({"begin", narrowed(std::span(brief.begin)), {brief.begin.size()}});
  packed.curves.push_back({"time", narrowed(std::span(brief.time)), {brief.time.size()}});
  packed.curves.push_back({"events", narrowed(std::span(brief.events)), {brief.events.size()}});
  packed.curves.push_back({"others", narrowed(std::span(brief.others)), {brief.others.size()}});
  return packed;
}

}  // namespace ramify

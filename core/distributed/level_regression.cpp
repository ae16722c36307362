// SPDX-License-Identifier: BSD-3-Clause
// Target statistics of nodes in regression, which LevelGrower requests before sums.
#include <type_traits>
#include <utility>

#include "distributed/level_grower.hpp"
#include "grow/checks.hpp"

namespace ramify {

QuantisedSteps LevelGrower::steps_of(const Item& item) const {
  return {item.node.sums[0], static_cast<double>(item.node.n_rows()), item.heaviest};
}

/// What a step of each channel is worth; empty in classification.
std::vector<double> LevelGrower::units_of(const Item& item) const {
  if (!is_numeric()) return {};
  std::vector<double> units(layout_.n_classes_all, steps_of(item).down);
  for (std::size_t k = 0; k < units.size(); k += static_cast<std::size_t>(layout_.n_stats))
    units[k] = 1;  // weights
  return units;
}

std::vector<RegressionScale> LevelGrower::scales() const {
  std::vector<RegressionScale> scales;
  for (const int id : slots_)
    for (const RegressionStatistics::Output& output : item(id).node.regression.outputs)
      scales.push_back(
          {output.fixed_point.centre, 1 / output.fixed_point.scale, steps_of(item(id))});
  return is_numeric() ? scales : std::vector<RegressionScale>();
}

const std::vector<int>& LevelGrower::to_learn() {
  if (!is_numeric() || !learning_.empty()) return learning_;
  std::vector<RegressionLearner::Subject> subjects;
  for (const int id : open_) {
    if (item(id).is_learnt) continue;
    learning_.push_back(id);
    const Node& node = item(id).node;
    subjects.push_back({id, static_cast<double>(node.n_rows()), node.sums[0]});
  }
  learner_->start(std::move(subjects));
  return learning_;
}

template <class Number>
void LevelGrower::respond_regression(std::span<const Number> response) {
  const RegressionRequest requested = learner_->request();
  const bool is_largest = std::is_same_v<Number, double>;
  if (learning_.empty() || requested.is_of_largest() != is_largest ||
      response.size() != requested.n_slots * requested.width())
    throw std::invalid_argument("the response does not fit the regression request");
  for (RegressionLearner::Subject& learnt : learner_->respond(response)) {
    if (learnt.node == 0) item(0).node.sums[0] = learnt.weight;
    learn(learnt.node, std::move(learnt.regression), learnt.heaviest);
  }
  if (learner_->is_requesting()) return;
  learning_.clear();
  if (open_.empty()) go_on();
}

template void LevelGrower::respond_regression(std::span<const double>);
template void LevelGrower::respond_regression(std::span<const std::int64_t>);

/// Stores the target statistics of a node, of which only the weight was known.
void LevelGrower::learn(int id, RegressionStatistics regression, double heaviest) {
  Item& learnt = item(id);
  learnt.is_learnt = true;
  learnt.heaviest = heaviest;
  learnt.node.regression = std::move(regression);
  for (std::size_t k = 0; k < learnt.node.sums.size(); ++k)
    learnt.node.sums[k] = k % static_cast<std::size_t>(layout_.n_stats) ? 0 : learnt.node.sums[0];
  log_.push_back(-2 - id);
  if (id == 0) learn_root(learnt.node.sums);
  learnt.is_leaf = is_leaf(plan_, target_, learnt.node);
  if (learnt.is_leaf) std::erase(open_, id);
  if (id == 0) {
    if (learnt.is_leaf) rows_done_ += static_cast<double>(learnt.node.n_rows());
  } else {
    end_family(learnt.parent);
  }
}

/// In regression: when all children of a node are known, they may not cross the midpoint of their
/// predictions; and they are in the tree, unless growth is best-first.
void LevelGrower::end_family(int parent) {
  Item& split = item(parent);
  for (int i = 0; i < split.n_children; ++i) {
    const Item& child = item(split.first_child + i);
    if (!child.is_learnt && !child.is_aside && !child.is_decided) return;
  }
  Item &left = item(split.first_child), &right = item(split.first_child + 1);
  if (left.is_learnt && right.is_learnt && !plan_.monotonic.empty())
    set_bounds(plan_.monotonic[split.outcome.split.column], left.node.regression.outputs[0].value,
               right.node.regression.outputs[0].value, left.node, right.node);
  if (!is_best_first() && !split.is_committed) commit(parent);
}

/// Stores the sums of a node whose fixed-point scale is known.
void LevelGrower::take_totals(Item& item, std::span<const double> totals) const {
  const std::vector<double> units = units_of(item);
  for (std::size_t k = 0; k < units.size(); ++k) item.node.sums[k] = totals[k] * units[k];
}

}  // namespace ramify

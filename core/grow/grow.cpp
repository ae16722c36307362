// SPDX-License-Identifier: BSD-3-Clause
#include "grow/grow.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "grow/checks.hpp"
#include "grow/engine.hpp"
#include "grow/fractions.hpp"
#include "grow/loop.hpp"
#include "grow/part.hpp"
#include "split/dgmml_splitter.hpp"
#include "split/drawn_splitter.hpp"
#include "split/list_splitter.hpp"
#include "split/narrow_splitter.hpp"
#include "split/number_lists.hpp"
#include "split/random_numbers.hpp"

namespace ramify {
namespace {

/// What all parts of a tree share.
struct Growth {
  const Table& table;
  const Plan& plan;
  Progress progress{plan};
  std::vector<Fragment> fragments{};
  Fractions fractions{};

  /// Does every row weigh what the target says?
  bool is_whole() const {
    return std::ranges::all_of(fragments, [](const Fragment& each) { return each.unit == 1; });
  }
};

/// The limits of leaves in units of a target.
Plan with_limits(Plan plan, const Target& target) {
  plan.min_leaf_weight = plan.min_leaf_share * plan.training_weight / target.unit;
  return plan;
}

int n_threads(const Plan& plan) {
  return plan.criterion.calls_interpreter() ? 1 : std::max(1, plan.n_threads);
}

void grow_axis(Growth& growth, std::span<const std::uint32_t> rows, const Target& target,
               Node root) {
  const Plan plan = with_limits(growth.plan, target);
  Pool pool(n_threads(plan));
  AxisSplitter splitter(growth.table, rows, target, plan, pool);
  const Recorder recorder{growth.table, target, plan.missing};
  const auto part_elsewhere = [&](AxisSplitter::Waiting& waiting, const Split& split,
                                  Fragment& fragment, int index) {
    growth.fractions.part(splitter, plan, recorder, rows, target, *waiting.node, split, fragment,
                          index, waiting.place);
  };
  AxisSplitter::Waiting first = splitter.root(std::move(root));
  const std::vector<double> facts = facts_of(target, *first.node);
  Loop(splitter, plan, recorder, pool, growth.progress, growth.fragments, part_elsewhere)
      .grow(std::move(first), facts);
}

/// The same for splitters that need nothing else.
template <class S>
void grow_with(Growth& growth, std::span<const std::uint32_t> rows, const Target& target,
               Node root) {
  const Plan plan = with_limits(growth.plan, target);
  Pool pool(n_threads(plan));
  S splitter(growth.table, rows, target, plan, pool);
  const Recorder recorder{growth.table, target, plan.missing};
  typename S::Waiting first = splitter.root(root);
  Loop(splitter, plan, recorder, pool, growth.progress, growth.fragments)
      .grow(std::move(first), facts_of(target, root));
}

/// What waits because its rows have only a part of their weight.
void grow_fractions(Growth& growth, const Target& target) {
  while (!growth.fractions.empty()) {
    Problem problem = growth.fractions.next();
    growth.fragments[static_cast<std::size_t>(problem.fragment)]
        .nodes[static_cast<std::size_t>(problem.place)]
        .continued_in = static_cast<int>(growth.fragments.size());
    if (!is_leaf(growth.plan, problem.target, problem.root)) {
      grow_axis(growth, problem.rows, problem.target, std::move(problem.root));
      continue;
    }
    Fragment& leaf = growth.fragments.emplace_back();
    leaf.unit = problem.target.unit;
    leaf.add(problem.root.n_rows(), facts_of(target, problem.root),
             {problem.root.lower, problem.root.upper});
  }
}

Node make_root(const Table& table, const Target& target, const Plan& plan) {
  Node root;
  root.end = target.n_rows;
  root.key = mix(plan.seed);
  root.live.resize(table.columns.size());
  std::iota(root.live.begin(), root.live.end(), 0u);
  root.sums.resize(target.n_all_classes() + static_cast<std::size_t>(target.n_extra));
  if (target.is_numeric()) {  // the splitter looks at the numbers
    root.lower = -std::numeric_limits<double>::infinity();
    root.upper = std::numeric_limits<double>::infinity();
  } else {
    sum_all(target, plan, root);
  }
  return root;
}

/// Grows what follows from a root with the engine that fits.
void grow_from(Growth& growth, std::span<const std::uint32_t> rows, const Target& target,
               Node root) {
  switch (engine_for(growth.table, target, growth.plan)) {
    case Engine::dgmml:
      return grow_with<DgmmlSplitter>(growth, rows, target, root);
    case Engine::number_lists:
      return grow_with<NumberLists>(growth, rows, target, root);
    case Engine::random_numbers:
      return grow_with<RandomNumbers>(growth, rows, target, root);
    case Engine::narrow:
      return grow_with<NarrowSplitter>(growth, rows, target, root);
    case Engine::drawn:
      return target.is_whole() ? grow_with<DrawnSplitter<CountKey>>(growth, rows, target, root)
                               : grow_with<DrawnSplitter<RowKey>>(growth, rows, target, root);
    case Engine::lists:
      return grow_with<ListSplitter>(growth, rows, target, root);
    case Engine::axis:
      grow_axis(growth, rows, target, std::move(root));
      grow_fractions(growth, target);
  }
}

}  // namespace

Tree grow(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
          const Plan& plan, bool may_count) {
  check_plan(table, rows, target, plan);
  Plan mine = plan;
  mine.n_training_rows = target.n_rows;
  mine.training_weight = target.total_weight() * target.unit;
  Growth growth{.table = table, .plan = mine};
  grow_from(growth, rows, target, make_root(table, target, mine));
  // Monotonic splits bound shares, and parts of rows weigh no whole numbers.
  const bool has_counts = target.is_whole() && mine.training_weight < 0x1p31 &&
                          plan.monotonic.empty() && growth.is_whole();
  return assemble(growth.fragments, target, plan, may_count && has_counts);
}

Part grow_part(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
               const Plan& plan, const NodeContext& context) {
  check_plan(table, rows, target, plan);
  Plan mine = plan;
  mine.n_training_rows = context.n_training_rows;
  mine.training_weight =
      context.training_weight > 0 ? context.training_weight : target.total_weight() * target.unit;
  Growth growth{.table = table, .plan = mine};
  Node root = make_root(table, target, mine);
  root.key = context.key;
  root.depth = context.depth;
  root.live = context.live;
  root.lower = context.lower;
  root.upper = context.upper;
  grow_from(growth, rows, target, std::move(root));
  return {std::move(growth.fragments)};
}

}  // namespace ramify

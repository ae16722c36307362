// SPDX-License-Identifier: BSD-3-Clause
#include "grow/grow.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "dgmml/splitter.hpp"
#include "grow/checks.hpp"
#include "grow/choose_splitter.hpp"
#include "grow/detached_subtree.hpp"
#include "grow/fractions.hpp"
#include "grow/loop.hpp"
#include "splitters/coded_classes.hpp"
#include "splitters/coded_regression.hpp"
#include "splitters/column_splitter.hpp"
#include "splitters/sorted_classes.hpp"
#include "splitters/sorted_layout.hpp"
#include "splitters/sorted_regression.hpp"

namespace ramify {
namespace {

/// What all fragments of a tree share.
struct Growth {
  const Table& table;
  const Plan& plan;
  Progress progress{plan};
  std::vector<Fragment> fragments{};
  Fractions fractions{};
};

/// Sets the leaf limits in units of a target.
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
  const auto partition_elsewhere = [&](AxisSplitter::Waiting& waiting, const Split& split,
                                       Fragment& fragment, int index) {
    growth.fractions.partition(splitter, plan, recorder, rows, target, *waiting.node, split,
                               fragment, index, waiting.place);
  };
  AxisSplitter::Waiting first = splitter.root(std::move(root));
  const std::vector<double> statistics = statistics_of(target, *first.node);
  Loop(splitter, plan, recorder, pool, growth.progress, growth.fragments, partition_elsewhere)
      .grow(std::move(first), statistics);
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
      .grow(std::move(first), statistics_of(target, root));
}

/// Grows the waiting subtrees whose rows have only a fraction of their weight.
void grow_fractions(Growth& growth, const Target& target) {
  while (!growth.fractions.empty()) {
    Problem problem = growth.fractions.next();
    growth.fragments[problem.fragment].nodes[problem.place].continued_in =
        static_cast<int>(growth.fragments.size());
    if (!is_leaf(growth.plan, problem.target, problem.root)) {
      grow_axis(growth, problem.rows, problem.target, std::move(problem.root));
      continue;
    }
    Fragment& leaf = growth.fragments.emplace_back();
    leaf.unit = problem.target.unit;
    leaf.add(problem.root.n_rows(), statistics_of(target, problem.root),
             {problem.root.lower, problem.root.upper});
  }
}

Node make_root(const Table& table, const Target& target, const Plan& plan) {
  Node root;
  root.end = target.n_rows;
  root.key = mix(plan.seed);
  root.non_constant.resize(table.columns.size());
  std::iota(root.non_constant.begin(), root.non_constant.end(), 0u);
  root.sums.resize(target.n_all_classes() + static_cast<std::size_t>(target.n_extra));
  if (target.is_numeric()) {  // the splitter reads the target values
    root.lower = -std::numeric_limits<double>::infinity();
    root.upper = std::numeric_limits<double>::infinity();
  } else {
    sum_all(target, plan, root);
  }
  return root;
}

/// Grows the subtree of a root with the splitter that fits.
void grow_from(Growth& growth, std::span<const std::uint32_t> rows, const Target& target,
               Node root) {
  switch (choose_splitter(growth.table, target, growth.plan)) {
    case SplitterKind::dgmml:
      return grow_with<DgmmlSplitter>(growth, rows, target, root);
    case SplitterKind::regression_lists:
      return grow_with<ColumnSplitter<SortedLayout<SortedRegression>>>(growth, rows, target, root);
    case SplitterKind::coded_regression:
      return grow_with<ColumnSplitter<CodedRegression>>(growth, rows, target, root);
    case SplitterKind::coded_classes:
      return target.is_integer()
                 ? grow_with<ColumnSplitter<CodedClasses<CountKey>>>(growth, rows, target, root)
                 : grow_with<ColumnSplitter<CodedClasses<RowKey>>>(growth, rows, target, root);
    case SplitterKind::lists:
      return grow_with<ColumnSplitter<SortedLayout<SortedClasses>>>(growth, rows, target, root);
    case SplitterKind::axis:
      grow_axis(growth, rows, target, std::move(root));
      grow_fractions(growth, target);
  }
}

}  // namespace

Tree grow(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
          const Plan& plan) {
  check_plan(table, rows, target, plan);
  Plan mine = plan;
  mine.n_training_rows = target.n_rows;
  mine.training_weight = target.total_weight() * target.unit;
  Growth growth{.table = table, .plan = mine};
  grow_from(growth, rows, target, make_root(table, target, mine));
  return assemble(growth.fragments, target, plan);
}

DetachedSubtree grow_detached(const Table& table, std::span<const std::uint32_t> rows,
                              const Target& target, const Plan& plan, const NodeContext& context) {
  check_plan(table, rows, target, plan);
  Plan mine = plan;
  mine.n_training_rows = context.n_training_rows;
  mine.training_weight =
      context.training_weight > 0 ? context.training_weight : target.total_weight() * target.unit;
  Growth growth{.table = table, .plan = mine};
  Node root = make_root(table, target, mine);
  root.key = context.key;
  root.depth = context.depth;
  root.non_constant = context.non_constant;
  root.lower = context.lower;
  root.upper = context.upper;
  grow_from(growth, rows, target, std::move(root));
  return {std::move(growth.fragments)};
}

}  // namespace ramify

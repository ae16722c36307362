// SPDX-License-Identifier: BSD-3-Clause
#include "grow/engine.hpp"

#include <algorithm>
#include <optional>

#include "rows/flagged.hpp"
#include "rows/row_indices.hpp"
#include "scan/flags.hpp"
#include "splitters/low_cardinality_splitter.hpp"
#include "splitters/random_regression.hpp"
#include "splitters/regression_lists.hpp"

namespace ramify {
namespace {

/// Is a tree grown depth first, of one output of classes, with no rules besides the criterion?
bool is_plain(const Table& table, const Plan& plan) {
  const bool has_rules = plan.c45.any() || plan.threshold_cost || plan.by_test != ByTest::none ||
                         plan.oblique || plan.gives_up || plan.n_recorded > 0 || plan.central_cuts;
  const bool has_fractions =
      plan.missing == Missing::fractional &&
      std::ranges::any_of(table.columns, [](const Column& column) { return column.n_missing > 0; });
  return !has_rules && !has_fractions && plan.max_leaves == 0;
}

/// Is the criterion built in, and settles nothing but by its score, from counts alone?
bool is_one_score(const ChosenCriterion& criterion) {
  return criterion.builtin && !criterion.builtin->tie_break &&
         !criterion.builtin->knows_classes() && !criterion.splits_on_ties;
}

/// Does each node look at few columns?
bool looks_at_few(const Table& table, const Target& target, const Plan& plan) {
  const bool draws =
      plan.random_cuts || (plan.max_columns > 0 && 2 * plan.max_columns <= table.columns.size());
  const bool has_limits = plan.min_leaf_share > 0 || !plan.monotonic.empty();
  const bool has_branches = std::ranges::any_of(table.columns, [&](const Column& column) {
    return column.is_categorical && plan.categories == Categories::multiway;
  });
  return draws && is_one_score(plan.criterion) && !has_limits && !has_branches &&
         has_keys(table, target);
}

/// Are there only numbers? Without wide vectors, and where weights are looked up, columns of few
/// values are counted faster than walked along.
bool fits_lists(const Table& table, const Target& target, const Plan& plan) {
  std::size_t n_wide = 0;
  for (const Column& column : table.columns) {
    if (column.is_categorical) return false;
    n_wide += !column.is_low_cardinality();
  }
  if (plan.random_cuts || !target.is_plain()) return false;
  const ChosenCriterion& own = plan.criterion;
  const bool has_score =
      own.builtin || own.compiled || (own.interpreted && !own.interpreted_tie_break);
  if (!has_score || (!target.weight.empty() && !is_one_score(own))) return false;
  const std::optional<Weighing> weighing = weigh_rows(target, flag_kernels().most_weighted);
  if (!weighing || !FlaggedLists::fit(target)) return false;
  return 2 * n_wide >= table.columns.size() ||
         (flag_kernels().walks_low_cardinality && !weighing->by_row);
}

}  // namespace

Engine engine_for(const Table& table, const Target& target, const Plan& plan) {
  if (plan.dgmml) return Engine::dgmml;
  if (RandomRegression::fits(table, target, plan)) return Engine::random_regression;
  if (!is_plain(table, plan)) return Engine::axis;
  if (RegressionLists::fits(table, target, plan)) return Engine::regression_lists;
  if (looks_at_few(table, target, plan)) return Engine::sampled;
  if (is_one_score(plan.criterion) && LowCardinalitySplitter::fits(table, target, plan))
    return Engine::low_cardinality;
  return fits_lists(table, target, plan) ? Engine::lists : Engine::axis;
}

}  // namespace ramify

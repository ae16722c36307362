// SPDX-License-Identifier: BSD-3-Clause
#include "grow/engine.hpp"

#include <algorithm>

#include "rows/members.hpp"

namespace ramify {
namespace {

/// Does each node look at few columns, and is the tree of the plain kind: depth first, one output
/// of classes that are counted, and a built-in criterion with no rules besides?
bool looks_at_few(const Table& table, const Target& target, const Plan& plan) {
  const std::size_t n_columns = table.columns.size();
  const bool draws =
      plan.random_cuts || (plan.max_columns > 0 && 2 * plan.max_columns <= n_columns);
  const CriterionKernel* criterion = plan.criterion.builtin;
  if (!draws || !criterion || criterion->tie_break || plan.criterion.splits_on_ties) return false;
  const bool has_rules = plan.c45.any() || plan.by_test != ByTest::none || plan.dgmml ||
                         plan.oblique || plan.gives_up || plan.min_leaf_share > 0 ||
                         !plan.monotonic.empty() || plan.n_recorded > 0;
  if (has_rules || plan.max_leaves > 0) return false;
  const bool needs_store = std::ranges::any_of(table.columns, [&](const Column& column) {
    return (column.is_categorical && plan.categories == Categories::multiway) ||
           (column.n_missing > 0 && plan.missing == Missing::fractional);
  });
  return !needs_store && target.is_whole() && key_bits(table, target) <= 31;
}

}  // namespace

Engine engine_for(const Table& table, const Target& target, const Plan& plan) {
  if (plan.dgmml) return Engine::dgmml;
  return looks_at_few(table, target, plan) ? Engine::drawn : Engine::axis;
}

}  // namespace ramify

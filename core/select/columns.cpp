// SPDX-License-Identifier: BSD-3-Clause
#include "select/columns.hpp"

#include <cmath>

namespace ramify {
namespace {

/// Quinlan's rule: corrected gain, then the gain ratio among the columns of at least average gain.
Split choose_c45(const Table& table, const Target& target, const Plan& plan, const Node& node,
                 std::span<const Split> found) {
  const double total = weight_of(target, node.sums) * target.unit;
  const auto gain_of = [&](const Split& split) {
    return plan.c45.threshold_cost ? split.score - std::log2(split.n_tried) / total : split.score;
  };
  // Columns with very many categories gain too easily to enter the average, if there are others.
  const auto has_many = [&](const Split& split) {
    const Column& column = table.columns[split.column];
    return column.is_categorical &&
           column.n_codes() >= 0.3 * static_cast<double>(plan.n_training_rows);
  };
  double sum = 0, sum_many = 0;
  int n_usable = 0, n_many = 0;
  for (const Split& split : found) {
    if (!split.exists()) continue;
    if (!table.columns[split.column].is_categorical && gain_of(split) <= 1e-12) continue;
    (has_many(split) ? sum_many : sum) += gain_of(split);
    ++(has_many(split) ? n_many : n_usable);
  }
  if (n_usable == 0) {
    sum = sum_many;
    n_usable = n_many;
  }
  Split best;
  for (const Split& split : found) {
    if (!split.exists() || gain_of(split) <= 1e-12) continue;
    if (plan.c45.average_gain && gain_of(split) < sum / n_usable - 1e-3) continue;
    const double ratio = gain_of(split) / split.branch_entropy;
    if (best.exists() && !beats(ratio, best.score)) continue;
    best = split;
    best.score = ratio;
  }
  return best;
}

/// The best of the columns, each minus the cost of encoding which of its cuts was taken.
Split choose_at_cost(const Target& target, const Node& node, std::span<const Split> found) {
  const double total = weight_of(target, node.sums) * target.unit;
  Split best;
  for (const Split& each : found) {
    if (!each.exists()) continue;
    const double cost = std::log2(each.n_tried) / total;
    if (each.score - cost <= 1e-12) continue;
    if (best.exists() && !wins(each.best - cost, each.tie_break, best.best, best.tie_break))
      continue;
    best = each;
    best.score -= cost;
    best.best -= cost;
  }
  return best;
}

}  // namespace

Split choose(const Table& table, const Target& target, const Plan& plan, const Node& node,
             std::span<const Split> found) {
  if (plan.c45.any()) return choose_c45(table, target, plan, node, found);
  if (plan.threshold_cost) return choose_at_cost(target, node, found);
  Split best;
  for (const Split& split : found) {
    if (!split.exists()) continue;
    if (!best.exists()) {
      best = split;
      continue;
    }
    if (wins(split.best, split.tie_break, best.best, best.tie_break)) best = split;
  }
  return best;
}

}  // namespace ramify

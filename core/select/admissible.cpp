// SPDX-License-Identifier: BSD-3-Clause
#include "select/admissible.hpp"

#include <algorithm>
#include <numeric>

namespace ramify {

void list_branches(const Split& split, std::uint32_t n_codes, std::vector<std::uint32_t>& branch) {
  branch.assign(n_codes + std::size_t{1}, missing_side(split.missing_left, split.n_branches));
  if (split.kind == SplitKind::threshold)
    for (std::uint32_t code = 0; code < n_codes; ++code) branch[code] = code > split.code;
  for (std::size_t i = 0; i < split.codes.size(); ++i) branch[split.codes[i]] = split.branches[i];
}

bool scores_enough(const Plan& plan, double score, double tie) {
  constexpr double nothing = 1e-12;
  return score > nothing || (score >= -nothing && (plan.splits_at_zero || tie > nothing));
}

bool pays(const Plan& plan, const Target& target, const Split& split, double unit, double weight) {
  if (!split.exists()) return false;
  if (plan.dgmml) return gains_enough(plan, split.score, weight * target.unit);
  if (plan.by_test != ByTest::none && plan.by_test != ByTest::guide)
    return true;  // the test has decided
  const auto& composed = plan.criterion.composed;
  const bool has_tie = plan.criterion.splits_on_ties || (composed && !composed->tie.empty());
  // Without a gain test, structure may be worth a split that does not reduce the impurity.
  const bool is_tested = !composed || composed->gain_test;
  if (is_tested && !scores_enough(plan, split.score, has_tie ? split.tie_break : minus_infinity))
    return false;
  return gains_enough(plan, split.score * unit, weight * target.unit);
}

void set_bounds(int sign, double left_value, double right_value, Node& left, Node& right) {
  if (sign == 0) return;
  const double middle = (left_value + right_value) / 2;
  (sign > 0 ? left.upper : left.lower) = middle;
  (sign > 0 ? right.lower : right.upper) = middle;
}

LeafLimits tried_limits(const Plan& plan, const Target& target, double total) {
  LeafLimits limits = tried_limits(plan);
  if (plan.c45.min_branch > 0 && !plan.gives_up) {
    const double share =
        std::max(0.1 * total / target.n_classes[0], plan.c45.min_branch / target.unit);
    limits.weight = std::max(limits.weight, std::min(share, 25 / target.unit) - 1e-6 / target.unit);
  }
  if (plan.by_test == ByTest::ctree && !plan.gives_up)
    limits.weight = std::max(limits.weight, plan.ctree.min_share * total);
  return limits;
}

namespace {

/// Stopping rules for classification and regression alike.
bool is_small(const Plan& plan, const Target& target, int depth, std::uint64_t n_rows,
              bool has_columns, std::span<const double> sums) {
  if (depth >= plan.max_depth || n_rows < plan.min_split_rows || !has_columns) return true;
  if (plan.gives_up ? n_rows <= plan.min_leaf_rows : n_rows / 2 < plan.min_leaf_rows) return true;
  if (!(plan.c45.min_branch > 0) && !(plan.min_leaf_share > 0)) return false;
  const double weight = weight_of(target, sums) * target.unit;
  return weight + 1e-6 < 2 * plan.c45.min_branch ||
         weight < 2 * plan.min_leaf_share * plan.training_weight;
}

/// Whether the largest class of every output reaches the share at which a node becomes a leaf, up
/// to the rounding of weights that are not integers.
bool is_pure_enough(const Plan& plan, const Target& target, std::span<const double> sums) {
  std::size_t first = 0;
  for (const int n_classes : target.n_classes) {
    const auto own = sums.subspan(first, static_cast<std::size_t>(n_classes));
    const double total = std::accumulate(own.begin(), own.end(), 0.0);
    if (std::ranges::max(own) < plan.max_purity * total * (1 - 1e-12)) return false;
    first += own.size();
  }
  return true;
}

}  // namespace

bool is_leaf(const Plan& plan, const Target& target, int depth, std::uint64_t n_rows,
             bool has_columns, std::span<const double> sums) {
  if (is_small(plan, target, depth, n_rows, has_columns, sums)) return true;
  if (plan.max_purity < 1 && is_pure_enough(plan, target, sums)) return true;
  if (target.n_outputs() > 1) return is_pure(target, sums);
  int n_present = 0;  // two suffice
  for (int k = 0; k < target.n_classes[0] && n_present < 2; ++k)
    n_present += sums[static_cast<std::size_t>(k)] > 0;
  return n_present < 2;
}

bool is_leaf(const Plan& plan, const Target& target, const Node& node) {
  if (!target.is_numeric())
    return is_leaf(plan, target, node.depth, node.n_rows(), !node.non_constant.empty(), node.sums);
  return node.regression.is_constant() ||
         is_small(plan, target, node.depth, node.n_rows(), !node.non_constant.empty(), node.sums);
}

bool gains_enough(const Plan& plan, double gain, double weight) {
  return plan.min_decrease <= 0 ||
         weight / plan.training_weight * gain + 1e-12 >= plan.min_decrease;
}

}  // namespace ramify

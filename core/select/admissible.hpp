// SPDX-License-Identifier: BSD-3-Clause
// Which splits are admissible: the one home of minimum leaf sizes, the side of missing values,
// monotonic constraints, and nodes that need not be split at all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "select/split.hpp"

namespace ramify {

/// Minimum size of every branch, in rows and in units of weight.
struct LeafLimits {
  std::uint64_t rows = 1;
  double weight = 0;

  bool any() const { return rows > 1 || weight > 0; }
  bool allows(std::uint64_t n_rows, double its_weight) const {
    return n_rows >= rows && its_weight >= weight;
  }
  bool allow_rows(std::uint64_t left, std::uint64_t all) const {
    return left >= rows && all - left >= rows;
  }
  bool allow_weight(double left, double all) const {
    return left >= weight && all - left >= weight;
  }
  bool allow(std::uint64_t rows_left, std::uint64_t all_rows, double left, double all) const {
    return allow_rows(rows_left, all_rows) && allow_weight(left, all);
  }
};

/// The limits that a plan sets for the children of a node.
inline LeafLimits leaf_limits(const Plan& plan) {
  return {plan.min_leaf_rows, plan.min_leaf_weight};
}

/// The limits for the splits that are tried: none if a child that is too small makes the node a
/// leaf.
inline LeafLimits tried_limits(const Plan& plan) {
  return plan.gives_up ? LeafLimits{} : leaf_limits(plan);
}

/// With the limits that depend on the node. C4.5: a tenth of an even share, at most 25 rows, up to
/// rounding, since fractions of rows do not add up exactly. CTree: a share of the node.
LeafLimits tried_limits(const Plan& plan, const Target& target, double total);

/// Whether the rows with a missing value may go to that side.
inline bool may_go(Missing missing, bool left) {
  return missing != (left ? Missing::right : Missing::left);
}
/// Whether the user chose their side.
inline bool is_side_named(Missing missing) {
  return missing == Missing::left || missing == Missing::right;
}
/// Whether the user chose the left side.
inline bool is_left_named(Missing missing) { return missing == Missing::left; }
/// Whether a cut may separate all values from the missing ones, with the missing ones on that side.
/// On the left they would leave the right empty; and there is no such choice if the user chose the
/// right.
inline bool may_stand_apart(Missing missing, bool left) {
  return !left && missing != Missing::right;
}
/// Whether missing values go down every branch with fractional weights. Then they do not influence
/// the split.
inline bool goes_everywhere(Missing missing) { return missing == Missing::fractional; }
/// The side that the user chose, else the heavier one.
inline bool is_left_heavier(Missing missing, double left, double right) {
  return is_side_named(missing) ? is_left_named(missing) : left >= right;
}
/// The branch of missing values if "missing" is not among the listed codes.
inline std::uint32_t missing_side(bool missing_left, std::uint32_t n_branches) {
  return missing_left ? 0 : n_branches - 1;
}

/// Predictions must rise (sign 1) or fall (-1) from left to right, within the bounds of monotonic
/// splits above.
inline bool is_monotonic(int sign, double left, double right, const Node& node) {
  const auto inside = [&](double x) { return x >= node.lower && x <= node.upper; };
  return (right - left) * sign >= 0 && inside(left) && inside(right);
}

/// Lists the branch of each code of a column, "missing" included; codes that do not occur in the
/// node go with the missing ones.
void list_branches(const Split& split, std::uint32_t n_codes, std::vector<std::uint32_t>& branch);
inline std::vector<std::uint32_t> branch_of_codes(const Split& split, std::uint32_t n_codes) {
  std::vector<std::uint32_t> branch;
  list_branches(split, n_codes, branch);
  return branch;
}

/// Whether a score suffices for a split: above zero by more than rounding; at zero if the plan
/// allows it, or if a second measure, whose score is `tie`, is above zero. A score below zero,
/// which means that the children are worse than the node, never suffices.
bool scores_enough(const Plan& plan, double score, double tie = minus_infinity);

/// Whether to make a split that was found. `unit` is what a score of one is worth, `weight` that of
/// the node in units of the target.
bool pays(const Plan& plan, const Target& target, const Split& split, double unit, double weight);

/// Below a monotonic split neither child may cross the midpoint of the two predictions.
void set_bounds(int sign, double left_value, double right_value, Node& left, Node& right);

/// Whether there is nothing left to split, or nothing that may be split.
bool is_leaf(const Plan& plan, const Target& target, const Node& node);
/// The same from a node's size and class weights, in classification.
bool is_leaf(const Plan& plan, const Target& target, int depth, std::uint64_t n_rows,
             bool has_columns, std::span<const double> sums);

/// Whether a split of this gain is worth making in a node of this weight.
bool gains_enough(const Plan& plan, double gain, double weight);

}  // namespace ramify

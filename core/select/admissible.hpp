// SPDX-License-Identifier: BSD-3-Clause
// What is admissible: the one home of the least size of leaves, of the side of missing rows, of
// monotonic columns, and of what need not be split at all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "select/split.hpp"

namespace ramify {

/// What every branch must have at least, in rows and in units of weight.
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

/// The limits that a plan sets to the children of a node.
inline LeafLimits leaf_limits(const Plan& plan) {
  return {plan.min_leaf_rows, plan.min_leaf_weight};
}

/// The limits of the splits that are tried: none if a child that is too small makes the node a
/// leaf.
inline LeafLimits tried_limits(const Plan& plan) {
  return plan.gives_up ? LeafLimits{} : leaf_limits(plan);
}

/// Some ask for a share of the node, too. C4.5: a tenth of an even part, up to 25 rows; a branch
/// may lack a trace of weight, since parts of rows do not add up exactly. CTree: a share by itself.
LeafLimits tried_limits(const Plan& plan, const Target& target, double total);

/// May the rows without a value go to that side?
inline bool may_go(Missing missing, bool left) {
  return missing != (left ? Missing::right : Missing::left);
}
/// Has the user named their side?
inline bool is_side_named(Missing missing) {
  return missing == Missing::left || missing == Missing::right;
}
/// Is it the left?
inline bool is_left_named(Missing missing) { return missing == Missing::left; }
/// May all values be parted from them, with these rows on that side? On the left they would leave
/// the right empty; and it is no choice if the user has named the right.
inline bool may_stand_apart(Missing missing, bool left) {
  return !left && missing != Missing::right;
}
/// Do they go down every branch, in parts? Then they have no say in the split.
inline bool goes_everywhere(Missing missing) { return missing == Missing::fractional; }
/// The side that the user has named, else the heavier one.
inline bool is_left_heavier(Missing missing, double left, double right) {
  return is_side_named(missing) ? is_left_named(missing) : left >= right;
}
/// The branch of rows without a value whose code is not listed.
inline std::uint32_t missing_side(bool missing_left, std::uint32_t n_branches) {
  return missing_left ? 0 : n_branches - 1;
}

/// What the sides predict must rise (sign 1) or fall (-1) from left to right, within what monotonic
/// splits above allow.
inline bool is_monotonic(int sign, double left, double right, const Node& node) {
  const auto inside = [&](double x) { return x >= node.lower && x <= node.upper; };
  return (right - left) * sign >= 0 && inside(left) && inside(right);
}

/// The branch of each code of a column, "missing" included; codes that do not occur in the node go
/// with the missing ones.
void list_branches(const Split& split, std::uint32_t n_codes, std::vector<std::uint32_t>& branch);
inline std::vector<std::uint32_t> branch_of_codes(const Split& split, std::uint32_t n_codes) {
  std::vector<std::uint32_t> branch;
  list_branches(split, n_codes, branch);
  return branch;
}

/// Is a score enough for a split? Above zero by more than rounding; at zero if the plan says so, or
/// if a second measure, whose score is `tie`, is above zero. Below zero a criterion says that the
/// children are worse than the node: never.
bool scores_enough(const Plan& plan, double score, double tie = minus_infinity);

/// Is a split that was found worth making? `unit` is what a score of one is worth, `weight` that of
/// the node in units of the target.
bool pays(const Plan& plan, const Target& target, const Split& split, double unit, double weight);

/// Below a monotonic split neither child may cross the middle of what the two would predict.
void set_bounds(int sign, double left_value, double right_value, Node& left, Node& right);

/// Is there nothing left to split, or nothing that may be split?
bool is_leaf(const Plan& plan, const Target& target, const Node& node);
/// The same by what a node is made of, if classes are learnt.
bool is_leaf(const Plan& plan, const Target& target, int depth, std::uint64_t n_rows,
             bool has_columns, std::span<const double> sums);

/// Does a split of this gain pay, in a node of this weight?
bool gains_enough(const Plan& plan, double gain, double weight);

}  // namespace ramify

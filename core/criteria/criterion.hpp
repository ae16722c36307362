// SPDX-License-Identifier: BSD-3-Clause
// What a criterion is: how impure one node is, or how good one cut is. Nothing else of the engine
// is visible to it.
#pragma once

#include <concepts>

#include "util/pack.hpp"

namespace ramify {

/// What users read about a criterion; validation, documentation and tests iterate over these.
struct CriterionInfo {
  const char* name;
  const char* aliases = "";  // separated by spaces
  const char* summary;
  const char* formula;
  const char* reference;
  /// Never higher between two cuts than at the better of them, as a function of the class weights
  /// on the left. Then, with two classes, the best subset of categories is a prefix of their order
  /// by class share; and categories of one class alone belong together.
  bool is_convex = false;
};

/// A cheap bound of a score, by how far the classes on the left of a cut are from their share: with
/// D_k = L_k - n_L N_k / n, a score of at least s needs
///     sum_k factor(N_k) D_k^2 >= least(s) n_L n_R.
/// A criterion that has such a bound says so by a member `Bound` with these two functions; cuts
/// that cannot matter are not scored then. docs/design/lists.md has the proofs.
struct DeviationBound {
  /// Of a class of this weight, in a node of this weight and so many classes.
  double (*factor)(double in_parent, double total, int n_classes, double unit) = nullptr;
  double (*least)(double score) = nullptr;

  explicit operator bool() const { return factor != nullptr; }
};

namespace RAMIFY_KERNELS {

/// Class weights on one side of a cut (or of many cuts at once). Classes absent from the node are
/// not among them, and no side is empty.
template <class V, int K>
struct Side {
  const double* weight;  // class-major, one number per cut
  int stride;
  int n_classes;
  V total;

  int size() const {
    if constexpr (K > 0) return K;
    return n_classes;
  }
  V operator[](int k) const { return load<V>(weight + k * stride); }
};

/// The right side is what the parent has and the left has not. Sums of weights are exact (see
/// Target), so is this.
template <class V, int K>
struct Rest {
  const double* parent;
  Side<V, K> left;
  V total;

  int size() const { return left.size(); }
  V operator[](int k) const { return spread<V>(parent[k]) - left[k]; }
};

/// One cut, or a pack of them: the node and its two children.
template <class V, int K>
struct Cut {
  using Value = V;
  const double* parent;  // class weights of the node
  double total;          // and their sum
  double unit;           // what a weight of 1 is worth; most formulas do not change with it
  Side<V, K> left;
  Rest<V, K> right;

  int size() const { return left.size(); }
};

/// The impurity of a side times its weight, a number; smaller is purer.
template <class C>
concept Impurity = requires(const C c, const Side<double, 0>& side) {
  { c.weighted_impurity(side) } -> std::same_as<double>;
};

/// The merit of a cut, a number; bigger is better.
template <class C>
concept CutGain = requires(const C c, const Cut<double, 0>& cut) {
  { c.gain(cut) } -> std::same_as<double>;
};

/// What a criterion that is a sum over classes makes its score of: the weights and the sums of the
/// three nodes.
template <class V>
struct ClassSums {
  double total, parent;
  V total_left, left, total_right, right;
};

/// A merit that sees the classes only through one sum per node, of a term of each class. A row that
/// moves changes one term per side, so a walk can keep the sums up to date however many classes
/// there are.
template <class C>
concept ClassSum = requires(const C c, double weight, const ClassSums<double>& sums) {
  {
    c.term(weight, weight)
  } -> std::same_as<double>;  // of the class weight here, and in the parent
  { c.combine(sums) } -> std::same_as<double>;
};

/// The same for any number of branches: what they weigh, and the sum over the classes of each.
struct BranchSums {
  double total, parent;
  const double *totals, *sums;
  int n_branches;
};

template <class C>
concept Criterion = Impurity<C> || CutGain<C> || ClassSum<C>;

}  // namespace RAMIFY_KERNELS
}  // namespace ramify

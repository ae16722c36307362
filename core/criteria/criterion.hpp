// SPDX-License-Identifier: BSD-3-Clause
// What a criterion is: how impure one node is, or how good one cut is. Nothing else of the engine
// is visible to it.
#pragma once

#include <concepts>
#include <tuple>

#include "criteria/bound.hpp"
#include "criteria/parameter.hpp"
#include "simd/pack.hpp"

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
  bool is_quasi_convex = false;
  /// So it is with two classes, and cuts are spared by it; subsets of categories are not ordered by
  /// it.
  bool is_quasi_convex_of_two = false;
  /// A weight is a number of rows: multiplying all weights by a number changes the score.
  bool counts = false;
  /// The order of the classes matters, which is that of `classes_`.
  bool is_ordered = false;
  /// Multiplying the weights of one class by a number changes nothing.
  bool ignores_class_weights = false;
  Parameters parameters = {};
};

/// What a criterion may know of a node besides the weights on both sides of a cut.
struct NodeStatistics {
  const double* parent = nullptr;  // weights of the classes that occur
  double total = 0;
  int n_classes = 2;
  double unit = 1;                         // what a weight of 1 is worth
  const std::uint32_t* classes = nullptr;  // the place of each among the classes of the data
  const CriterionSettings* settings = nullptr;
  // Further sums of each row, such as those of treated rows: of the node, and on the left of each
  // cut, channel-major. Null if there are none.
  const double *extra = nullptr, *extra_left = nullptr;
  const double* left = nullptr;  // weights of the classes on the left of the first cut; see Side
  const double *terms = nullptr, *totals = nullptr;  // the criterion's tables, by whole weights
  int table_classes = 0;                             // of the nodes that the table of totals is for

  /// The place of the k-th class that occurs among the classes of the data.
  double place(int k) const { return classes ? classes[k] : k; }
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
  // What a criterion that says so makes of the three weights.
  double at_total = 0;
  V at_left = {}, at_right = {};

  /// f(weight, sum, what is made of the weight) of one side and of the other, added.
  template <class F>
  V over_sides(F f) const {
    return f(total_left, left, at_left) + f(total_right, right, at_right);
  }
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
  double at_total = 0;
  const double* at = nullptr;  // of each branch

  template <class F>
  double over_sides(F f) const {
    double sum = 0;
    for (int i = 0; i < n_branches; ++i) sum += f(totals[i], sums[i], at[i]);
    return sum;
  }
};

/// Gives a criterion its parameters, and what it wants to know of the node.
template <class C>
C make_criterion(const NodeStatistics& node) {
  C criterion{};
  if constexpr (requires { C::fields; }) {
    std::size_t i = 0;
    std::apply([&](auto... field) { ((criterion.*field = node.settings->values[i++]), ...); },
               C::fields);
  }
  if constexpr (requires { criterion.prepare(node); }) criterion.prepare(node);
  return criterion;
}

template <class C>
concept Criterion = Impurity<C> || CutGain<C> || ClassSum<C>;

}  // namespace RAMIFY_KERNELS
}  // namespace ramify

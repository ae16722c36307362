// SPDX-License-Identifier: BSD-3-Clause
// What a criterion is: the impurity of one node, or the merit of one cut. It sees nothing else of
// the core.
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
  const char* family;  // one of those in src/ramify/criteria/families.py
  const char* advice;  // when to use it
  /// The score is quasi-convex as a function of the class weights on the left: never higher between
  /// two cuts than at the better of them. Then, with two classes, the best subset of categories is
  /// a prefix of their order by class share; and categories with a single common class belong
  /// together.
  bool is_quasi_convex = false;
  /// Quasi-convex with two classes only: cuts are skipped by it, but subsets of categories are not
  /// ordered by it.
  bool is_quasi_convex_of_two = false;
  /// Weights are counts of rows: scaling all weights changes the score.
  bool counts = false;
  /// The order of the classes matters; it is that of `classes_`.
  bool is_ordered = false;
  /// Scaling the weights of one class changes nothing.
  bool ignores_class_weights = false;
  Parameters parameters = {};
};

/// What a criterion may know of a node besides the weights on both sides of a cut.
struct NodeStatistics {
  const double* parent = nullptr;  // weights of the classes that occur
  double total = 0;
  int n_classes = 2;
  double unit = 1;                         // number of rows that a weight of 1 stands for
  const std::uint32_t* classes = nullptr;  // the index of each among the classes of the data
  const CriterionSettings* settings = nullptr;
  // Further sums of each row, such as those of treated rows: of the node, and on the left of each
  // cut, channel-major. Null if there are none.
  const double *extra = nullptr, *extra_left = nullptr;
  const double* left = nullptr;  // weights of the classes on the left of the first cut; see Side
  const double *terms = nullptr, *totals = nullptr;  // the criterion's tables, by integer weight
  int table_classes = 0;                             // number of classes of the table of totals

  /// The index of the k-th class that occurs among the classes of the data.
  double place(int k) const { return classes ? classes[k] : k; }
};

namespace RAMIFY_KERNELS {

/// Class weights on one side of a cut (or of many cuts at once). Classes absent from the node are
/// left out, and no side is empty.
template <class V, int K>
struct Side {
  const double* weight;  // class-major, one value per cut
  int stride;
  int n_classes;
  V total;

  int size() const {
    if constexpr (K > 0) return K;
    return n_classes;
  }
  V operator[](int k) const { return load<V>(weight + k * stride); }
};

/// The right side: the parent minus the left. Sums of weights are exact (see Target), so this is
/// too.
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
  double unit;           // rows that a weight of 1 stands for; most formulas do not depend on it
  Side<V, K> left;
  Rest<V, K> right;

  int size() const { return left.size(); }
};

/// The impurity of a side times its weight; smaller is purer.
template <class C>
concept Impurity = requires(const C c, const Side<double, 0>& side) {
  { c.weighted_impurity(side) } -> std::same_as<double>;
};

/// The merit of a cut; bigger is better.
template <class C>
concept CutGain = requires(const C c, const Cut<double, 0>& cut) {
  { c.gain(cut) } -> std::same_as<double>;
};

/// What a criterion that is a sum over classes computes its score from: the weights and the sums of
/// the three nodes.
template <class V>
struct ClassSums {
  double total, parent;
  V total_left, left, total_right, right;
  // `of_total` of the three weights, for criteria that define it.
  double at_total = 0;
  V at_left = {}, at_right = {};

  /// f(weight, sum, function of the weight), added over both sides.
  template <class F>
  V over_sides(F f) const {
    return f(total_left, left, at_left) + f(total_right, right, at_right);
  }
};

/// A merit that depends on the classes only through one sum per node, of a term of each class. A
/// row that moves changes one term per side, so a scan can update the sums in constant time,
/// however many classes there are.
template <class C>
concept ClassSum = requires(const C c, double weight, const ClassSums<double>& sums) {
  {
    c.term(weight, weight)
  } -> std::same_as<double>;  // of the class weight here, and in the parent
  { c.combine(sums) } -> std::same_as<double>;
};

/// The same for any number of branches: their weights, and the sum over the classes of each.
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

/// Sets a criterion's parameters, and what it needs to know of the node.
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

// SPDX-License-Identifier: BSD-3-Clause
// Criteria that count the classes of a node.
#pragma once

#include "criteria/distance.hpp"

namespace ramify::RAMIFY_KERNELS {

struct DistinctClasses {
  static constexpr CriterionInfo info{
      .name = "dcsm",
      .summary = "Distinct class based split measure: penalises children that hold many classes.",
      .formula =
          "M(S) - sum_t rho_t M(t),  M(t) = D_t e^(D_t) sum_k p_tk exp((D_t / D) (1 - p_tk^2))",
      .reference =
          "Chandra, Kothari, Paul (2010), A new node splitting measure for decision tree "
          "construction",
      .family = "class counts",
      .advice =
          "With many classes, when children should contain few of them. The number of classes "
          "dominates the score, so a single mislabelled row matters: use it with "
          "`min_samples_leaf` above 1 on noisy labels.",
      .is_quasi_convex_of_two =
          true};  // p exp(c (1 - p^2)) is concave, and less where a class is absent
  /// Half of the second derivative of p exp(1 - p^2) is nowhere above 2.66.
  struct Bound {
    static constexpr bool of_all_classes = true;
    static double factor(const BoundNode&, int) { return 1; }
    static double min(const BoundNode& node, double score) {
      if (node.n_classes > 500 || !(score > 0)) return -1;
      return score / (2.66 * node.n_classes * exp_of(static_cast<double>(node.n_classes)));
    }
  };

  template <class C>
  auto gain(const C& cut) const {
    const double classes = cut.size();
    // e^D overflows for D > 709. A factor common to all terms keeps the order.
    const double shift = classes > 500 ? classes : 0;
    double whole = 0;
    for (int k = 0; k < cut.size(); ++k) {
      const double p = cut.parent[k] / cut.total;
      whole += p * exp_of(1 - p * p);
    }
    whole *= classes * exp_of(classes - shift);
    using V = typename C::Value;
    const V gain = whole - (part(cut, cut.left, shift) + part(cut, cut.right, shift)) / cut.total;
    // D e^D is large for many classes, and a gain below its last digits is rounding.
    return select(gain > spread<V>(1e-13 * whole), gain, spread<V>(0));
  }

 private:
  template <class C, class S>
  static auto part(const C& cut, const S& side, double shift) {
    using V = typename C::Value;
    V present = spread<V>(0);
    for (int k = 0; k < cut.size(); ++k)
      present += select(side[k] > spread<V>(0), spread<V>(1), spread<V>(0));
    const V share = present * (1.0 / cut.size());
    V sum = spread<V>(0);
    for (int k = 0; k < cut.size(); ++k) {
      const V p = side[k] / side.total;
      sum += p * exp_of(share * (1.0 - p * p));
    }
    return side.total * present * exp_of(present - shift) * sum;
  }
};

}  // namespace ramify::RAMIFY_KERNELS

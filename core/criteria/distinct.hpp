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

  /// Computes M(S).
  void prepare(const NodeStatistics& node) {
    const double classes = node.n_classes;
    // e^D overflows for D > 709. A factor common to all terms keeps the order.
    shift = classes > 500 ? classes : 0;
    for (int k = 0; k < node.n_classes; ++k) {
      const double p = node.parent[k] / node.total;
      whole += p * exp_of(1 - p * p);
    }
    whole *= classes * exp_of(classes - shift);
  }

  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    const V gain = whole - (part(cut.left) + part(cut.right)) / cut.total;
    // D e^D is large for many classes, and a gain below its last digits is rounding.
    return select(gain > spread<V>(1e-13 * whole), gain, spread<V>(0));
  }

  /// At least the gain: exp is convex, so that the sum is at least exp((D_t / D) (1 - sum_k
  /// p_tk^3)). One power per side, not one per class.
  template <class C>
  auto upper_bound(const C& cut) const {
    constexpr double rounded_up = 1 + 1e-9;
    return whole * rounded_up - (min_part(cut.left) + min_part(cut.right)) / cut.total;
  }

  double whole = 0, shift = 0;

 private:
  template <class S>
  static auto count_present(const S& side) {
    using V = decltype(side.total + 0.0);
    V present = spread<V>(0);
    for (int k = 0; k < side.size(); ++k)
      present += select(side[k] > spread<V>(0), spread<V>(1), spread<V>(0));
    return present;
  }
  template <class S>
  auto part(const S& side) const {
    const auto present = count_present(side), share = present * (1.0 / side.size());
    auto sum = spread<decltype(side.total + 0.0)>(0);
    for (int k = 0; k < side.size(); ++k) {
      const auto p = side[k] / side.total;
      sum += p * exp_of(share * (1.0 - p * p));
    }
    return side.total * present * exp_of(present - shift) * sum;
  }
  template <class S>
  auto min_part(const S& side) const {
    const auto present = count_present(side), share = present * (1.0 / side.size());
    auto cubes = spread<decltype(side.total + 0.0)>(0);
    for (int k = 0; k < side.size(); ++k) cubes += side[k] * side[k] * side[k];
    cubes = cubes / (side.total * side.total * side.total);
    return side.total * present * exp_of(present - shift + share * (1.0 - cubes));
  }
};

}  // namespace ramify::RAMIFY_KERNELS

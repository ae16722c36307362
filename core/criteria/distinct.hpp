// SPDX-License-Identifier: BSD-3-Clause
// Criteria that count classes, or look at the share of each class rather than at the share in the
// node.
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
      .is_convex_of_two = true};  // p exp(c (1 - p^2)) is concave, and less where a class is absent

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
    // D e^D is large for many classes, and a gain below its last digits is none.
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

/// Class confidence proportions of a side, q_tk = r_tk / sum_j r_tj with r_tk = n_tk / n_k.
template <class C, class S>
struct Confidence {
  const C& cut;
  const S& side;
  typename C::Value per_sum;

  Confidence(const C& whole, const S& part) : cut(whole), side(part) {
    auto sum = side[0] * (1 / cut.parent[0]);
    for (int k = 1; k < cut.size(); ++k) sum += side[k] * (1 / cut.parent[k]);
    per_sum = 1.0 / sum;
  }
  auto operator[](int k) const { return side[k] * (1 / cut.parent[k]) * per_sum; }
};

/// The squared distance of q_t from equal shares, weighed by rho_t and added, is at most
/// sum_k factor_k D_k^2 / (n_L n_R): r_Lk is n_L / n + D_k / N_k, and their sum at least n_L / max
/// N. With two classes the mean of the deviations is known.
inline double confidence_factor(double in_parent, double total, int n_classes) {
  const double rest = total - in_parent, largest = std::fmax(in_parent, rest);
  const double ratio = n_classes == 2 ? total / rest / 2 : 1;
  return (ratio * largest / in_parent) * (ratio * largest / in_parent);
}

struct ConfidenceEntropy {
  static constexpr CriterionInfo info{
      .name = "ccp_entropy",
      .aliases = "ccpdt",
      .summary =
          "Entropy of class confidence proportions, which discount the priors; ties by Hellinger "
          "distance.",
      .formula = "log2 K - sum_t rho_t H(q_t),  q_tk = (n_tk / n_k) / sum_j (n_tj / n_j)",
      .reference =
          "Liu, Chawla, Cieslak, Chawla (2010), A Robust Decision Tree Algorithm for Imbalanced "
          "Data Sets"};
  using TieBreak = Hellinger;
  /// The divergence of q from equal shares is at most K / ln 2 times their squared distance, with
  /// two classes twice.
  struct Bound {
    static double factor(double in_parent, double total, int n_classes, double,
                         const CriterionSettings&) {
      constexpr double per_bit = 1.442695040888963407359924681;
      return (n_classes == 2 ? 2 : n_classes * per_bit) *
             confidence_factor(in_parent, total, n_classes);
    }
    static double least(double score) { return score; }
  };

  template <class C>
  auto gain(const C& cut) const {
    return log2_of(static_cast<double>(cut.size())) +
           (part(cut, cut.left) + part(cut, cut.right)) / cut.total;
  }

 private:
  template <class C, class S>
  static auto part(const C& cut, const S& side) {
    const Confidence<C, S> q{cut, side};
    const ComputedLog xlogx;
    auto sum = xlogx(q[0]);
    for (int k = 1; k < cut.size(); ++k) sum += xlogx(q[k]);
    return side.total * sum;
  }
};

struct ConfidenceGini {
  static constexpr CriterionInfo info{
      .name = "ccp_gini",
      .summary =
          "Gini of class confidence proportions, which discount the priors; ties by Hellinger "
          "distance.",
      .formula =
          "1 - 1/K - sum_t rho_t (1 - sum_k q_tk^2),  q_tk = (n_tk / n_k) / sum_j (n_tj / n_j)",
      .reference =
          "Liu, Chawla, Cieslak, Chawla (2010), A Robust Decision Tree Algorithm for Imbalanced "
          "Data Sets"};
  using TieBreak = Hellinger;
  struct Bound {
    static double factor(double in_parent, double total, int n_classes, double,
                         const CriterionSettings&) {
      return confidence_factor(in_parent, total, n_classes);
    }
    static double least(double score) { return score; }
  };

  template <class C>
  auto gain(const C& cut) const {
    return (part(cut, cut.left) + part(cut, cut.right)) / cut.total - 1.0 / cut.size();
  }

 private:
  template <class C, class S>
  static auto part(const C& cut, const S& side) {
    const Confidence<C, S> q{cut, side};
    auto sum = q[0] * q[0];
    for (int k = 1; k < cut.size(); ++k) sum += q[k] * q[k];
    return side.total * sum;
  }
};

}  // namespace ramify::RAMIFY_KERNELS

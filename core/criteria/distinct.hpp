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
  /// Half of the second derivative of p exp(1 - p^2) is nowhere above 2.66.
  struct Bound {
    static constexpr bool of_all_classes = true;
    static double factor(const BoundNode&, int) { return 1; }
    static double least(const BoundNode& node, double score) {
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

/// With Q^2 = sum_k (D_k / N_k)^2 and y = Q^2 / K, the squared distance of q_t from equal shares is
/// at most y / (rho_t^2 - y) / K: r_tk is rho_t + D_k / N_k on the left, and where the deviations
/// add up to something, they differ the less. Weighed and added it is at most (y / K) (a / b) /
/// (a^2 - y), where a is the smaller of rho_L and rho_R, and b the other. It is also at most (max
/// p)^2 Q^2 / (a b), since the sum of r_tk is at least rho_t / max p.
struct ConfidenceBound {
  static void find_facts(BoundNode& node) {
    double largest = 0;
    for (int k = 0; k < node.n_classes; ++k) largest = std::fmax(largest, node.parent[k]);
    node.facts[0] = (node.total / largest) * (node.total / largest);
  }
  static double factor(const BoundNode& node, int k) {
    return (node.total / node.parent[k]) * (node.total / node.parent[k]);
  }
  static void fill_distances(const BoundNode& node, double score, RowRange rows, double* needed) {
    const double n = node.total, asked = larger(score, 0.0) * node.n_classes;
    for (int i = rows.begin; i < rows.end; ++i) {
      const double left = i / n, a = left < 0.5 ? left : 1 - left;
      const double by_sum = n * n * node.n_classes * asked * a * a / (a / (1 - a) + asked);
      needed[i] = larger(by_sum, n * n * a * (1 - a) * score * node.facts[0]);
    }
  }
};

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
  /// The divergence of q from equal shares is at most log2(1 + K times their squared distance).
  struct Bound : ConfidenceBound {
    static double distance(const BoundNode& node, double score) {
      return (exp2_of(larger(score, 0.0)) - 1) / node.n_classes;
    }
    static double least(const BoundNode& node, double score) {
      return distance(node, score) * node.facts[0];
    }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      fill_distances(node, distance(node, score), rows, needed);
    }
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
  struct Bound : ConfidenceBound {
    static double least(const BoundNode& node, double score) { return score * node.facts[0]; }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      fill_distances(node, score, rows, needed);
    }
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

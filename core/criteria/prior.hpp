// SPDX-License-Identifier: BSD-3-Clause
// Entropies whose maximum is not at equal class shares but at given ones: those of the node, or a
// prior.
#pragma once

#include "criteria/impurity.hpp"

namespace ramify::RAMIFY_KERNELS {

inline constexpr Parameter prior_shares{.name = "prior", .kind = Parameter::Kind::shares};

/// The shares at which the entropy is highest.
struct Centre {
  NodeStatistics node = {};
  double per_sum = 0;

  void prepare(const NodeStatistics& statistics) {
    node = statistics;
    double sum = node.total;
    if (is_given()) {
      sum = 0;
      for (int k = 0; k < node.n_classes; ++k) sum += given(k);
    }
    per_sum = 1 / sum;
  }
  bool is_given() const { return !node.settings->shares.empty(); }
  double given(int k) const {
    return node.settings->shares[static_cast<std::size_t>(node.place(k))];
  }
  double share(int k) const { return (is_given() ? given(k) : node.parent[k]) * per_sum; }
};

struct AsymmetricEntropy : Centre {
  static constexpr CriterionInfo info{
      .name = "asymmetric_entropy",
      .summary =
          "Drop of an entropy that is highest at given class shares: the node's own, or those of "
          "`prior`. The mean over classes is Ramify's.",
      .formula =
          "h(S) - rho_L h(L) - rho_R h(R),  h = mean_k p_k (1 - p_k) / ((1 - 2 w_k) p_k + w_k^2)",
      .reference =
          "Marcellin, Zighed, Ritschard (2006), An Asymmetric Entropy Measure for Decision Trees",
      .family = "given class shares",
      .advice =
          "When 50 : 50 is not the worst mixture. With `prior=None` the node's own mixture is the "
          "worst, and children are rewarded for differing from it in any direction; with a "
          "`prior` that mixture is the worst. For imbalanced data, like `off_centred_entropy`.",
      .is_quasi_convex = true,
      .parameters = {prior_shares}};
  /// Up to what is linear in p, a term is a constant over (1 - 2 w) p + w^2; so its distance from
  /// the tangent at w, over (p - w)^2, falls from 1 / w^2 at p = 0 to 1 / (w (1 - w)) at w, if w <
  /// 1/2; else it rises to 1 / (1 - w)^2 at p = 1.
  struct Bound : ScoreBound {
    static double factor(const BoundNode& node, int k) {
      const double p = node.share(k);
      return (p < 0.5 ? 1 / (p * (1 - p)) : 1 / ((1 - p) * (1 - p))) / node.n_classes;
    }
    static double bend(const BoundNode& node, int k) {
      const double p = node.share(k);
      return p < 0.5 ? (1 - 2 * p) / p : 0;
    }
    static bool holds(const CriterionSettings& settings) { return settings.shares.empty(); }
  };

  auto weighted_impurity(const auto& side) const {
    using V = decltype(side[0] + side[0]);
    V sum = spread<V>(0);
    for (int k = 0; k < side.size(); ++k) {
      const double w = share(k);
      const V p = side[k] / side.total;
      sum += p * (1.0 - p) / (p * (1 - 2 * w) + w * w);
    }
    return V(side.total * sum * (1.0 / side.size()));
  }
};

struct OffCentredEntropy : Centre {
  static constexpr CriterionInfo info{
      .name = "off_centred_entropy",
      .summary =
          "Information gain after the class shares are moved so that given ones, the node's own or "
          "those of `prior`, become equal.",
      .formula =
          "H(pi(S)) - rho_L H(pi(L)) - rho_R H(pi(R)),  pi_k = p_k / (K w_k) if p_k <= w_k, else\n"
          "(K (p_k - w_k) + 1 - p_k) / (K (1 - w_k)); pi normalised to a sum of 1",
      .reference =
          "Lenca, Lallich, Vaillant (2010), Construction of an Off-Centered Entropy for the "
          "Supervised Learning of Imbalanced Classes",
      .family = "given class shares",
      .advice =
          "For imbalanced classes: entropy is transformed so that the node's own mixture, or "
          "`prior`, is the most uncertain one. With a prior of 1/2 it is plain information gain.",
      .is_quasi_convex_of_two = true,  // two arcs of the entropy, joined at their tops
      .parameters = {prior_shares}};
  /// The shares of the node become equal ones, and the score is the mean divergence from these:
  /// with v_k = K pi_k before they are normalised, at most the sum of (v_k ln v_k - v_k + 1) / K
  /// over that of pi_k, which stays above statistics[0]. With two classes their sum is 1, and 1 -
  /// H(x) over (1 - 2 x)^2 falls from 1 at x = 0 to 1 / (2 ln 2).
  struct Bound : ScoreBound {
    static void find_statistics(BoundNode& node) {
      double largest = 0, smallest = node.total;
      for (int k = 0; k < node.n_classes; ++k) {
        largest = std::fmax(largest, node.parent[k]);
        smallest = std::fmin(smallest, node.parent[k]);
      }
      node.statistics[0] = std::fmin(1, node.total / (node.n_classes * largest));
      node.statistics[1] = smallest / node.total;
    }
    static double factor(const BoundNode& node, int k) {
      const double n = node.n_classes, w = node.share(k);
      if (n == 2) return half_per_bit / 2 / (node.statistics[1] * node.statistics[1]);
      const double slope = std::fmax(1 / w, (n - 1) / (1 - w));
      return half_per_bit * slope * slope / (n * node.statistics[0]);
    }
    static double bend(const BoundNode& node, int k) {
      if (node.n_classes > 2) return 1;
      const double ratio = node.statistics[1] * node.total / node.parent[k];
      return 2 * (1 / half_per_bit - 1) * ratio * ratio;
    }
    static constexpr double half_per_bit = 0.721347520444481703679962340503;  // 1 / (2 ln 2)
    static bool holds(const CriterionSettings& settings) { return settings.shares.empty(); }
  };

  auto weighted_impurity(const auto& side) const {
    using V = decltype(side[0] + side[0]);
    const double n = side.size();
    const ComputedLog xlogx;
    V sum = spread<V>(0), logs = sum;
    for (int k = 0; k < side.size(); ++k) {
      const double w = share(k);
      const V p = side[k] / side.total;
      const V above = (p * (n - 1) + (1 - n * w)) * (1 / (n * (1 - w)));
      const V moved = select(p > spread<V>(w), above, V(p * (1 / (n * w))));
      sum += moved;
      logs += xlogx(moved);
    }
    // The entropy of moved / sum.
    return V(side.total * (log2_of(larger(sum, spread<V>(1e-300))) - logs / sum));
  }
};

}  // namespace ramify::RAMIFY_KERNELS

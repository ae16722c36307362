// SPDX-License-Identifier: BSD-3-Clause
// Criteria that measure the impurity of one node; the gain is the weighted decrease.
#pragma once

#include "criteria/criterion.hpp"

namespace ramify::RAMIFY_KERNELS {

/// x log2 x of integers, looked up. Counts change by ones along a scan, so the used part of the
/// table stays in the cache.
struct TabulatedLog {
  const double* table;
  template <class V>
  V operator()(V x) const {
    return look_up(table, x);
  }
  double step(std::uint32_t rows, std::uint32_t more) const {
    return table[rows + more] - table[rows];
  }
};

/// x log2 x of any weight, computed; 0 log 0 = 0.
struct ComputedLog {
  template <class V>
  V operator()(V x) const {
    const V safe = larger(x, spread<V>(1e-300));
    return select(x > spread<V>(0), x * log2_of(safe), spread<V>(0));
  }
};

struct Gini {
  static constexpr CriterionInfo info{
      .name = "gini",
      .summary = "Drop of the chance that two rows of a node differ in class.",
      .formula = "G(S) - rho_L G(L) - rho_R G(R),  G = 1 - sum_k p_k^2",
      .reference = "Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees",
      .family = "power sums",
      .advice =
          "The default, as in scikit-learn. Start here, and let `ramify compare` measure whether "
          "another criterion is better on your data.",
      .is_quasi_convex = true};
  struct Bound : ScoreBound {
    static double factor(const BoundNode&, int) { return 1; }
  };

  auto term(auto weight, double) const { return weight * weight; }
  /// What `more` rows add to the term of a class with `rows` rows.
  double step(std::uint32_t rows, std::uint32_t more) const {
    return static_cast<double>(static_cast<std::int32_t>(more)) *
           (2.0 * static_cast<std::int32_t>(rows) + static_cast<std::int32_t>(more));
  }
  static constexpr bool has_integer_sums = true;
  /// The children's term of the score, and the value it must reach for a score.
  template <class V>
  static V children(V left, V total_left, V right, V total_right) {
    // One division where the formula has two.
    return (left * total_right + right * total_left) / (total_left * total_right);
  }
  static double min_children(double score, double total, double parent) {
    return score * total + parent / total;
  }
  /// The highest possible score: that of two pure sides.
  static double max(double total, double parent) { return (total - parent / total) / total; }
  template <class V>
  V combine(const ClassSums<V>& s) const {
    const V both = children(s.left, s.total_left, s.right, s.total_right);
    return (both - s.parent / s.total) * (1 / s.total);
  }
  double combine(const BranchSums& s) const {
    double children = 0;
    for (int i = 0; i < s.n_branches; ++i) children += s.sums[i] / s.totals[i];
    return (children - s.parent / s.total) / s.total;
  }
};

struct Misclassification {
  static constexpr CriterionInfo info{
      .name = "misclassification",
      .aliases = "error",
      .summary =
          "Drop of the training error; ties, which are frequent, are broken by the Gini gain.",
      .formula = "E(S) - rho_L E(L) - rho_R E(R),  E = 1 - max_k p_k",
      .reference = "Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees",
      .family = "class counts",
      .advice =
          "When the training error itself matters, in shallow trees or for teaching. It has no "
          "gain for cuts after which both children have the same majority class; there the Gini "
          "gain decides.",
      .is_quasi_convex_of_two = true};
  using TieBreak = Gini;
  /// The error does not change when both children keep the parent's majority class, yet such splits
  /// often lead to better ones.
  static constexpr bool splits_on_ties = true;
  /// The gain of a side whose majority is another class than the node's is the difference of two
  /// deviations, minus how much rarer that class is in the node.
  struct Bound {
    static double factor(const BoundNode&, int) { return 1; }
    static double min(const BoundNode&, double score) {
      return score > 0 ? 2 * score * score : -1;  // n^2 is at least 4 n_L n_R
    }
    static void find_statistics(BoundNode& node) {
      double first = 0, second = 0;
      for (int k = 0; k < node.n_classes; ++k) {
        const double own = node.parent[k];
        second = std::fmax(second, std::fmin(first, own));
        first = std::fmax(first, own);
      }
      node.statistics[0] = (first - second) / node.total;
    }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double n = node.total, min = score * n, gap = node.statistics[0];
      for (int i = rows.begin; i < rows.end; ++i) {
        const double left = i, smaller = left < n - left ? left : n - left;
        const double max = min + smaller * gap;
        needed[i] = min > 0 ? max * max / 2 : -1;
      }
    }
    /// A higher score means at least one row more; ties are broken by the Gini gain.
    static void fill_tied(const BoundNode& node, double score, double tie, RowRange rows,
                          double* needed) {
      fill(node, score + 0.5 / node.total, rows, needed);
      for (int i = rows.begin; i < rows.end; ++i) {
        const double left = i, tied = tie * left * (node.total - left);
        needed[i] = needed[i] < tied ? needed[i] : tied;
      }
    }
  };

  auto weighted_impurity(const auto& side) const {
    auto max = side[0];
    for (int k = 1; k < side.size(); ++k) max = larger(max, side[k]);
    return side.total - max;
  }
};

/// Base of the entropy criteria: x log2 x as the term of a class.
template <class Log>
struct EntropySums {
  Log xlogx;

  auto term(auto weight, double) const { return xlogx(weight); }
  double step(std::uint32_t rows, std::uint32_t more) const
    requires requires { xlogx.step(rows, more); }
  {
    return xlogx.step(rows, more);
  }
  /// n times the information gain.
  template <class V>
  V drop(const ClassSums<V>& s) const {
    return (xlogx(s.total) - s.parent) - (xlogx(s.total_left) - s.left) -
           (xlogx(s.total_right) - s.right);
  }
  double drop(const BranchSums& s) const {
    double children = 0;
    for (int i = 0; i < s.n_branches; ++i) children += xlogx(s.totals[i]) - s.sums[i];
    return (xlogx(s.total) - s.parent) - children;
  }
};

template <class Log>
struct Entropy : EntropySums<Log> {
  static constexpr CriterionInfo info{
      .name = "entropy",
      .aliases = "information_gain log_loss",
      .summary = "Information gain: the drop of class entropy, in bits.",
      .formula = "H(S) - rho_L H(L) - rho_R H(R),  H = -sum_k p_k log2 p_k",
      .reference = "Quinlan (1986), Induction of Decision Trees",
      .family = "power sums",
      .advice =
          "The other common choice besides `gini`, and that of ID3. Rare classes of a node have "
          "more influence on entropy than on the Gini impurity.",
      .is_quasi_convex = true};
  struct Bound : InformationBound, ScoreBound {};

  auto combine(const auto& s) const { return this->drop(s) / s.total; }
};

}  // namespace ramify::RAMIFY_KERNELS

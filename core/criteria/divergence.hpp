// SPDX-License-Identifier: BSD-3-Clause
// How far the table of branch against class is from independence: divergences of the children from
// the parent, and measures of agreement.
#pragma once

#include "criteria/power.hpp"

namespace ramify::RAMIFY_KERNELS {

struct AlphaDivergence {
  double alpha = 5.0 / 3;
  static constexpr auto fields = std::tuple(&AlphaDivergence::alpha);
  static constexpr CriterionInfo info{
      .name = "alpha_divergence",
      .aliases = "power_divergence cressie_read",
      .summary =
          "Power divergence of the children from the parent: alpha = 1/2 is 4 iHD, 1 information "
          "gain in nats, 2 chi-square / 2n; a small alpha rewards a child without a class.",
      .formula = "(sum_t rho_t sum_k p_tk^alpha p_k^(1 - alpha) - 1) / (alpha (alpha - 1))",
      .reference =
          "Cressie, Read (1984), Multinomial Goodness-of-Fit Tests; in trees: Park, Ghosh (2014), "
          "Ensembles of alpha-Trees for Imbalanced Classification Problems",
      .family = "children against the parent",
      .advice =
          "To tune how much a child that lacks a class is rewarded: `alpha` 0.25 rewards it "
          "strongly, 1/2 is `ihd`, 1 information gain, 2 chi-square. The default, 5/3, is Cressie "
          "and Read's compromise. Tune `alpha` with a grid; for 1/2, 1 and 2 the named criteria "
          "are faster.",
      .is_quasi_convex = true,
      .parameters = {
          Parameter{.name = "alpha", .otherwise = 5.0 / 3, .max = 10, .min_is_allowed = false}}};
  static constexpr bool is_multiway = true;
  static constexpr bool weighs_classes = true;
  /// The limit has no such terms; it equals Tsallis' entropy with q = 1.
  static const char* same_as(CriterionSettings& settings) {
    if (!is_one(settings.values[0])) return nullptr;
    settings.values[0] = 1;
    return "tsallis";
  }

  /// With x = p_tk / p_k, of which the mean of p_k (x - 1)^2 is D_k^2 / (p_k n_L n_R): x^a - 1 - a
  /// (x - 1) over a (a - 1) (x - 1)^2 is 1/2 at x = 1 and falls from 1 / a at x = 0, for a <= 2;
  /// above it is highest at the largest x.
  struct Bound : ScoreBound {
    static double factor(const BoundNode& node, int k) {
      const double a = node.settings->values[0], x = node.total / node.parent[k];
      if (a <= 2) return x / 2;
      return x * (power_of(x, a) - 1 - a * (x - 1)) / (a * (a - 1) * (x - 1) * (x - 1));
    }
    static double bend(const BoundNode& node, int) {
      const double a = node.settings->values[0];
      return a <= 2 ? 2 / a - 1 : 0;
    }
  };

  auto of_weight(auto weight) const { return power_of(weight, alpha); }
  auto of_total(auto total) const { return power_of(total, 1 - alpha); }
  auto combine(const auto& s) const {
    const auto both = s.over_sides([](auto, auto sum, auto at) { return sum * at; });
    return (both / (s.total * s.at_total) - 1.0) * (1 / (alpha * (alpha - 1)));
  }
};

struct Mpi {
  static constexpr CriterionInfo info{
      .name = "mpi",
      .aliases = "mean_posterior_improvement",
      .summary =
          "Mean posterior improvement: the variance, over classes, of the share that goes left; "
          "highest for disjoint sets of classes.",
      .formula = "rho_L rho_R (1 - sum_k p_Lk p_Rk / p_k)",
      .reference =
          "Taylor, Silverman (1993), Block Diagrams and Splitting Criteria for Classification "
          "Trees",
      .family = "branch distributions",
      .advice =
          "With several classes, when a cut that sends every class to one side should win, "
          "however the classes are grouped. Fast.",
      .is_quasi_convex = true};
  static constexpr bool weighs_classes = true;
  /// The score is sum_k D_k^2 / (n N_k), and n_L n_R is at most n^2 / 4.
  struct Bound {
    static double factor(const BoundNode& node, int k) { return node.total / node.parent[k]; }
    static double min(const BoundNode&, double score) { return 4 * score; }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double min = score * node.total * node.total;
      for (int i = rows.begin; i < rows.end; ++i) needed[i] = min;
    }
  };

  auto of_weight(auto weight) const { return weight * weight; }
  template <class V>
  V of_total(V total) const {
    return select(total > spread<V>(0), 1.0 / larger(total, spread<V>(1e-300)), spread<V>(0));
  }
  template <class V>
  V combine(const ClassSums<V>& s) const {
    return (s.left - s.total_left * s.total_left / s.total) / s.total;
  }
};

struct SymmetricTau {
  static constexpr CriterionInfo info{
      .name = "symmetric_tau",
      .summary =
          "Zhou and Dillon's symmetrical tau: how much better class and branch are guessed, each "
          "from the other.",
      .formula = "(gini + 2 mpi) / (G(S) + 2 rho_L rho_R)",
      .reference =
          "Zhou, Dillon (1991), A Statistical-Heuristic Feature Selection Criterion for Decision "
          "Tree Induction",
      .family = "distance times balance",
      .advice =
          "When class and branch should predict each other: for two classes it is chi-square over "
          "n, for more it also rewards branches with complete classes.",
      .is_quasi_convex_of_two = true};  // a convex function over a concave one
  /// Both gains are sums of D_k^2, and n_L n_R is at most n^2 / 4.
  struct Bound {
    static double factor(const BoundNode& node, int k) {
      return 1 + node.total / node.parent[k] / 2;
    }
    static void find_statistics(BoundNode& node) {
      node.statistics[0] = 1 - node.squares() / (node.total * node.total);
    }
    static double min(const BoundNode& node, double score) { return score * node.statistics[0]; }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double gini = node.statistics[0], twice = 2 / (node.total * node.total);
      fill_by(node, rows, needed,
              [=](double left, double right) { return score * (gini + twice * left * right); });
    }
  };

  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    V left = spread<V>(0), right = left, of_class = left;
    double whole = 0;
    for (int k = 0; k < cut.size(); ++k) {
      const V l = cut.left[k], r = cut.right[k];
      left += l * l;
      right += r * r;
      of_class += l * l * (1 / cut.parent[k]);
      whole += cut.parent[k] * cut.parent[k];
    }
    const double n = cut.total;
    const V rho = cut.left.total / n;
    const V gini = (left / cut.left.total + right / cut.right.total - whole / n) / n;
    const V mpi = of_class / n - rho * rho;
    const V balance = rho * (cut.right.total / n);
    return V((gini + mpi * 2.0) / ((1 - whole / (n * n)) + balance * 2.0));
  }
};

struct ReliefGini {
  static constexpr CriterionInfo info{
      .name = "relief_gini",
      .summary =
          "Myopic ReliefF: the chance that two rows of a class share a branch, less that of two "
          "rows of different classes. Negative for cuts that tear classes apart.",
      .formula =
          "sum_tk n_tk^2 / sum_k n_k^2 - (sum_t n_t^2 - sum_tk n_tk^2) / (n^2 - sum_k n_k^2)",
      .reference = "Kononenko (1995), On Biases in Estimating Multi-Valued Attributes",
      .family = "branch distributions",
      .advice =
          "To penalise cuts that divide a class: the score may be negative, and a node without a "
          "better cut is a leaf. Less biased towards columns with many values than the Gini gain."};
  static constexpr bool is_multiway = true;
  /// The score is 2 (sum D_k^2 + (rho_L - rho_R) sum N_k D_k) (1 / P + 1 / (n^2 - P)), P = sum
  /// N_k^2; in the second sum, only the deviation of N_k from its mean counts.
  struct Bound {
    static double factor(const BoundNode&, int) { return 1; }
    static void find_statistics(BoundNode& node) {
      const double n = node.total, squares = node.squares(), rest = n * n - squares;
      const double spread = squares - n * n / node.n_classes;
      node.statistics[0] = squares / n * (rest / n) / 2;
      node.statistics[1] = spread > 0 ? square_root(spread) : 0;
    }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double min = score * node.statistics[0], n = node.total;
      for (int i = rows.begin; i < rows.end; ++i) {
        const double left = i, skew = magnitude(1 - 2 * left / n) * node.statistics[1];
        // q^2 + skew q >= min
        const double q = (square_root(larger(skew * skew + 4 * min, 0.0)) - skew) / 2;
        needed[i] = q > 0 ? q * q : -1;
      }
    }
  };

  auto of_weight(auto weight) const { return weight * weight; }
  auto of_total(auto total) const { return total * total; }
  auto combine(const auto& s) const {
    const auto same = s.over_sides([](auto, auto sum, auto) { return sum; });
    const auto pairs = s.over_sides([](auto, auto, auto at) { return at; });
    return same / s.parent - (pairs - same) / (s.total * s.total - s.parent);
  }
};

}  // namespace ramify::RAMIFY_KERNELS

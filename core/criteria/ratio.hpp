// SPDX-License-Identifier: BSD-3-Clause
// Gains relative to something: the branch sizes, or the gain expected by chance.
#pragma once

#include "criteria/impurity.hpp"

namespace ramify::RAMIFY_KERNELS {

/// For gains relative to the entropy of the branch sizes, which is known exactly.
struct BranchBound : InformationBound {
  static void fill_sides(const CriterionSettings&, int, int n, double* out) {
    for (int x = 0; x < n; ++x) out[x] = ComputedLog()(static_cast<double>(x));
  }
  /// log2 n; minus both sides over n it is the entropy of the branch sizes.
  static double of_node(const BoundNode& node) {
    return node.sides[static_cast<int>(node.total)] / node.total;
  }
};

template <class Log>
struct GainRatio : EntropySums<Log> {
  static constexpr CriterionInfo info{
      .name = "gain_ratio",
      .summary = "Information gain divided by the entropy of the branch sizes.",
      .formula = "IG / SI,  SI = -rho_L log2 rho_L - rho_R log2 rho_R",
      .reference = "Quinlan (1993), C4.5: Programs for Machine Learning",
      .family = "normalised gain",
      .advice =
          "For trees like those of C4.5. The plain ratio favours very unequal cuts, because it "
          "divides by the entropy of the branch sizes; Quinlan's rules prevent that. Pass "
          "`criterion_params={\"threshold_cost\": True, \"average_gain\": True, \"min_branch\": "
          "True}` to choose cuts as C4.5, release 8, does.",
      .is_quasi_convex = true};
  struct Bound : BranchBound {
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      fill_by_sides(node, rows, score * BranchBound::of_node(node), -score / node.total, needed);
    }
  };

  template <class V>
  V combine(const ClassSums<V>& s) const {
    // Both are n times the quantity of the formula; the factor cancels.
    const auto& xlogx = this->xlogx;
    return this->drop(s) / (xlogx(s.total) - xlogx(s.total_left) - xlogx(s.total_right));
  }
  double combine(const BranchSums& s) const {
    double branches = this->xlogx(s.total);
    for (int i = 0; i < s.n_branches; ++i) branches -= this->xlogx(s.totals[i]);
    return this->drop(s) / branches;
  }
};

/// Base of the two below: terms and weights as x log2 x.
struct EntropyTerms {
  static constexpr bool is_multiway = true;

  auto of_weight(auto weight) const { return ComputedLog()(weight); }
  auto of_total(auto total) const { return ComputedLog()(total); }
  /// n times the information gain.
  static auto drop(const auto& s) {
    return (s.at_total - s.parent) - s.over_sides([](auto, auto sum, auto at) { return at - sum; });
  }
};

struct Mantaras : EntropyTerms {
  /// With the entropy of the node H, a score s is a gain of (H + SI) s / (1 + s).
  struct Bound : BranchBound {
    static void find_statistics(BoundNode& node) {
      const auto xlogx = [&](double x) {
        return node.sides ? look_up(node.sides, x) : ComputedLog()(x);
      };
      double sum = 0;
      for (int k = 0; k < node.n_classes; ++k) sum += xlogx(node.parent[k]);
      node.statistics[0] = (xlogx(node.total) - sum) / node.total;
    }
    static double min(const BoundNode& node, double score) {
      return score > 0 ? node.statistics[0] * score / (1 + score) : -1;
    }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double share = score > 0 ? score / (1 + score) : 0;
      fill_by_sides(node, rows, share * (node.statistics[0] + BranchBound::of_node(node)),
                    -share / node.total, needed);
    }
  };
  static constexpr CriterionInfo info{
      .name = "mantaras",
      .summary =
          "Information gain over the entropy of class and branch together: one minus the "
          "normalised distance of the two partitions, from 0 to 1.",
      .formula = "IG / H(class and branch),  H = -sum_tk (n_tk / n) log2(n_tk / n)",
      .reference =
          "López de Mántaras (1991), A Distance-Based Attribute Selection Measure for Decision "
          "Tree Induction",
      .family = "normalised gain",
      .advice =
          "When columns with many values or unequal branches must not win by chance: a distance "
          "between partitions, from 0 to 1, without the end-cut preference of the gain ratio. "
          "Also for `categories='multiway'`.",
      .is_quasi_convex = true};

  auto combine(const auto& s) const {
    const auto together = s.over_sides([](auto, auto sum, auto) { return sum; });
    return drop(s) / (s.at_total - together);
  }
};

struct BalancedGainRatio : EntropyTerms {
  struct Bound : BranchBound {
    static double min(const BoundNode&, double score) {
      return score > 0 ? score : -1;  // the divisor is above 1
    }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      fill_by_sides(node, rows, score * (1 + BranchBound::of_node(node)), -score / node.total,
                    needed);
    }
  };
  static constexpr CriterionInfo info{
      .name = "balanced_gain_ratio",
      .summary =
          "Information gain over one plus the entropy of the branch sizes: the gain ratio without "
          "its explosion for tiny branches.",
      .formula = "IG / (1 + SI),  SI = -rho_L log2 rho_L - rho_R log2 rho_R",
      .reference = "Leroux, Boussard, Dès (2018), Information Gain Ratio Correction",
      .family = "normalised gain",
      .advice =
          "Instead of `gain_ratio`, which divides by a small branch entropy and so favours tiny "
          "branches. Here one is added to the divisor: many or unequal branches are still "
          "penalised, but tiny branches do not win. Also for `categories='multiway'`.",
      .is_quasi_convex = true};

  auto combine(const auto& s) const {
    const auto branches = s.over_sides([](auto, auto, auto at) { return at; });
    return drop(s) / ((s.total + s.at_total) - branches);
  }
};

struct ChiSquare {
  static constexpr CriterionInfo info{
      .name = "chi2",
      .summary = "Pearson's chi-square statistic of the table of branch against class.",
      .formula = "sum_t sum_k (n_tk - e_tk)^2 / e_tk,  e_tk = n_t n_k / n",
      .reference =
          "Kass (1980), An Exploratory Technique for Investigating Large Quantities of Categorical "
          "Data",
      .family = "children against the parent",
      .advice =
          "When you want the classical statistic of a contingency table. It grows with the number "
          "of rows, so a limit such as `min_impurity_decrease` must be set for the size of the "
          "data.",
      .is_quasi_convex = true};
  struct Bound : ScoreBound {
    static double factor(const BoundNode& node, int k) {
      return node.total / node.parent[k] * node.total * node.unit;
    }
  };

  auto gain(const auto& cut) const {
    // In a table of two rows both deviations of a column are equal.
    const auto share = cut.left.total / cut.total;
    auto deviation = cut.left[0] - cut.parent[0] * share;
    auto sum = deviation * deviation / cut.parent[0];
    for (int k = 1; k < cut.size(); ++k) {
      deviation = cut.left[k] - cut.parent[k] * share;
      sum += deviation * deviation / cut.parent[k];
    }
    return sum * (cut.total / cut.left.total + cut.total / cut.right.total) * cut.unit;
  }
};

}  // namespace ramify::RAMIFY_KERNELS

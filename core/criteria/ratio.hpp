// SPDX-License-Identifier: BSD-3-Clause
// Gains set in relation to something: the branch sizes, or what chance would give.
#pragma once

#include "criteria/impurity.hpp"

namespace ramify::RAMIFY_KERNELS {

template <class Log>
struct GainRatio : EntropySums<Log> {
  static constexpr CriterionInfo info{
      .name = "gain_ratio",
      .aliases = "c45",
      .summary = "Information gain divided by the entropy of the branch sizes.",
      .formula = "IG / SI,  SI = -rho_L log2 rho_L - rho_R log2 rho_R",
      .reference = "Quinlan (1993), C4.5: Programs for Machine Learning",
      .is_convex = true};

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

struct ChiSquare {
  static constexpr CriterionInfo info{
      .name = "chi2",
      .summary = "Pearson's chi-square statistic of the table of branch against class.",
      .formula = "sum_t sum_k (n_tk - e_tk)^2 / e_tk,  e_tk = n_t n_k / n",
      .reference =
          "Kass (1980), An Exploratory Technique for Investigating Large Quantities of Categorical "
          "Data",
      .is_convex = true};
  struct Bound {
    static double factor(double in_parent, double total, int, double unit) {
      return total / in_parent * total * unit;
    }
    static double least(double score) { return score; }
  };

  template <class C>
  auto gain(const C& cut) const {
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

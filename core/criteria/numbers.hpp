// SPDX-License-Identifier: BSD-3-Clause
// Criteria for numbers: what a cut takes away from a loss that the mean of a node makes least.
#pragma once

#include <limits>

#include "criteria/kernel.hpp"

namespace ramify::RAMIFY_KERNELS {

/// One cut, or a pack of them. Numbers are given in the ruler of the node.
template <class V>
struct NumberCut {
  double total;
  V left, right;    // weights
  V moved;          // sum on the left, less what it were if both sides had the mean of the node
  double relative;  // one unit of the ruler as a share of the node's mean

  /// By how much of the node's mean the means of both sides differ from it.
  V below() const { return moved / left * relative; }
  V above() const { return spread<V>(0) - moved / right * relative; }
  V mean_of(V at_left, V at_right) const { return (left * at_left + right * at_right) / total; }
};

/// ln(1 + x), exact for small x too.
template <class V>
V log_of_more(V x) {
  constexpr double ln2 = 0.693147180559945309417232121458;
  const V y = x + 1.0;
  const V safe = larger(y, spread<V>(1e-300));
  return log2_of(safe) * ln2 + (x - (y - 1.0)) / safe;
}

struct SquaredError {
  static constexpr NumberLoss loss = NumberLoss::squared;
  static constexpr CriterionInfo info{
      .name = "squared_error",
      .aliases = "mse variance friedman_mse",
      .summary = "Drop of the variance: the mean squared distance from the mean of a node.",
      .formula = "V(S) - rho_L V(L) - rho_R V(R),  V = mean of (y - mean)^2",
      .reference = "Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees",
      .is_convex = true};

  template <class V>
  V gain(const NumberCut<V>& cut) const {
    return cut.moved * cut.moved / (cut.left * cut.right);
  }
};

/// In units of the node's mean.
struct Poisson {
  static constexpr NumberLoss loss = NumberLoss::poisson;
  static constexpr CriterionInfo info{
      .name = "poisson",
      .aliases = "",
      .summary = "Drop of half the Poisson deviance, for counts and rates that are not negative.",
      .formula = "D(S) - rho_L D(L) - rho_R D(R),  D = mean of y ln(y / mean)",
      .reference = "McCullagh, Nelder (1989), Generalized Linear Models, 2nd edition",
      .is_convex = true};

  template <class V>
  V gain(const NumberCut<V>& cut) const {
    const auto part = [](V change) {
      const V divergence = (change + 1.0) * log_of_more(change) - change;
      // A side of zeros only would predict zero, which makes any count impossible.
      const V refused = spread<V>(-std::numeric_limits<double>::infinity());
      return select(change > spread<V>(-1 + 1e-13), divergence, refused);
    };
    return cut.mean_of(part(cut.below()), part(cut.above()));
  }
};

struct Gamma {
  static constexpr NumberLoss loss = NumberLoss::gamma;
  static constexpr CriterionInfo info{
      .name = "gamma",
      .aliases = "",
      .summary = "Drop of half the gamma deviance, for positive numbers: errors count relatively.",
      .formula = "D(S) - rho_L D(L) - rho_R D(R),  D = ln(mean) - mean of ln y",
      .reference = "McCullagh, Nelder (1989), Generalized Linear Models, 2nd edition",
      .is_convex = true};

  template <class V>
  V gain(const NumberCut<V>& cut) const {
    const auto part = [](V change) { return change - log_of_more(change); };
    return cut.mean_of(part(cut.below()), part(cut.above()));
  }
};

/// Losses of order statistics; see numbers/ordered.hpp.
struct AbsoluteError {
  static constexpr NumberLoss loss = NumberLoss::absolute;
  static constexpr CriterionInfo info{
      .name = "absolute_error",
      .aliases = "mae",
      .summary =
          "Drop of the mean distance from the median of a node; ties, which are frequent in "
          "small nodes, are broken by the squared error.",
      .formula = "A(S) - rho_L A(L) - rho_R A(R),  A = mean of |y - median|",
      .reference = "Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees"};
};

struct Quantile {
  static constexpr NumberLoss loss = NumberLoss::quantile;
  static constexpr CriterionInfo info{
      .name = "quantile",
      .aliases = "pinball",
      .summary =
          "Drop of the pinball loss at the quantile of a node; ties are broken by the "
          "squared error.",
      .formula = "P(S) - rho_L P(L) - rho_R P(R),  P = mean of (level - [y < q]) (y - q)",
      .reference = "Koenker, Bassett (1978), Regression Quantiles"};
};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Regression criteria: how much a cut reduces a loss whose minimiser is the mean of a node.
#pragma once

#include <limits>

#include "criteria/kernel.hpp"

namespace ramify::RAMIFY_KERNELS {

/// One cut, or a pack of them. Target values are in the fixed-point scale of the node.
template <class V>
struct RegressionCut {
  double total;
  V left, right;         // weights
  V moved;               // sum on the left, minus its value if both sides had the node's mean
  double relative;       // one unit of the fixed-point scale as a share of the node's mean
  double mean;           // of the node
  const double* values;  // parameters of the criterion

  /// Relative differences of the means of both sides from the node's mean.
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

/// Half the deviances of a mean that differs from the node's by a relative change.
template <class V>
V poisson_part(V change, double of_zeros) {
  const V divergence = (change + 1.0) * log_of_more(change) - change;
  return select(change > spread<V>(-1 + 1e-13), divergence, spread<V>(of_zeros));
}
/// A side of zeros only would predict zero, which makes any count impossible.
inline constexpr double impossible = -std::numeric_limits<double>::infinity();
template <class V>
V gamma_part(V change) {
  return change - log_of_more(change);
}

struct SquaredError {
  static constexpr RegressionLoss loss = RegressionLoss::squared;
  static constexpr CriterionInfo info{
      .name = "squared_error",
      .aliases = "mse variance friedman_mse",
      .summary = "Drop of the variance: the mean squared distance from the mean of a node.",
      .formula = "V(S) - rho_L V(L) - rho_R V(R),  V = mean of (y - mean)^2",
      .reference = "Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees",
      .family = "regression",
      .advice =
          "The default, as in scikit-learn. Leaves predict the mean. `friedman_mse` of older "
          "releases of scikit-learn puts splits in the same order.",
      .is_quasi_convex = true};

  template <class V>
  V gain(const RegressionCut<V>& cut) const {
    return cut.moved * cut.moved / (cut.left * cut.right);
  }
};

/// In units of the node's mean.
struct Poisson {
  static constexpr RegressionLoss loss = RegressionLoss::poisson;
  static constexpr CriterionInfo info{
      .name = "poisson",
      .aliases = "",
      .summary = "Drop of half the Poisson deviance, for counts and rates that are not negative.",
      .formula =
          "D(S) - rho_L D(L) - rho_R D(R),  D = mean of y ln(y / mean); shrink > 0: a leaf of "
          "weight n predicts (n mean + a) / (n + a / m),  a = 1 / shrink^2, m mean of the root",
      .reference =
          "McCullagh, Nelder (1989), Generalized Linear Models, 2nd edition; `shrink`: Therneau, "
          "Atkinson (1997), An Introduction to Recursive Partitioning Using the RPART Routines",
      .family = "regression",
      .advice =
          "For counts, and for rates with the exposure as `sample_weight`. A leaf never predicts "
          "zero unless all training rows are zero: splits with such a leaf are not made. With "
          "`criterion_params={\"shrink\": 1}` they are, as in R's rpart: a gamma prior with this "
          "coefficient of variation (1 in rpart) shrinks the rates of leaves towards the rate of "
          "all rows. The search ignores the prior. Weights count as exposure: twice the weights "
          "is twice the events, and less shrinkage.",
      .is_quasi_convex = true,
      .parameters = {Parameter{.name = "shrink", .max = 1e6}}};

  /// With a prior a side of zeros predicts more than zero; the search leaves the prior out.
  template <class V>
  V gain(const RegressionCut<V>& cut) const {
    const double of_zeros = cut.values[0] > 0 ? 1 : impossible;
    return cut.mean_of(poisson_part(cut.below(), of_zeros), poisson_part(cut.above(), of_zeros));
  }
};

struct Gamma {
  static constexpr RegressionLoss loss = RegressionLoss::gamma;
  static constexpr CriterionInfo info{
      .name = "gamma",
      .aliases = "",
      .summary = "Drop of half the gamma deviance, for positive numbers: errors count relatively.",
      .formula = "D(S) - rho_L D(L) - rho_R D(R),  D = ln(mean) - mean of ln y",
      .reference = "McCullagh, Nelder (1989), Generalized Linear Models, 2nd edition",
      .family = "regression",
      .advice =
          "For positive targets whose spread grows with their size, such as amounts and "
          "durations: a relative error of ten per cent counts the same everywhere.",
      .is_quasi_convex = true};

  template <class V>
  V gain(const RegressionCut<V>& cut) const {
    return cut.mean_of(gamma_part(cut.below()), gamma_part(cut.above()));
  }
};

struct Tweedie {
  static constexpr RegressionLoss loss = RegressionLoss::tweedie;
  static constexpr CriterionInfo info{
      .name = "tweedie",
      .summary =
          "Drop of half the Tweedie deviance: power 0 is half the squared error, 1 Poisson, 2 "
          "gamma, 3 inverse Gaussian; between 1 and 2 for amounts with many zeros, such as claims.",
      .formula = "(sum_t rho_t m_t^(2-p) - m^(2-p)) / ((1-p) (2-p)),  m means",
      .reference =
          "Jørgensen (1987), Exponential Dispersion Models; Tweedie (1984), An Index which "
          "Distinguishes between Some Important Exponential Families",
      .family = "regression",
      .advice =
          "For amounts with many zeros and a long tail, such as insurance claims: `power` between "
          "1 and 2. 0 is half the squared error, 1 `poisson`, 2 `gamma`, 3 the inverse Gaussian "
          "for very long tails.",
      .is_quasi_convex = true,
      .parameters = {Parameter{.name = "power", .otherwise = 1.5, .min = 1, .max = 3}}};

  /// In units of the node's mean to the power of 2 - p; for p = 0 in those of the fixed-point
  /// scale.
  template <class V>
  V gain(const RegressionCut<V>& cut) const {
    const double p = cut.values[0];
    if (p == 0) return cut.moved * cut.moved / (cut.left * cut.right) * 0.5;
    const auto part = [p](V change) {
      if (is_near(p, 1)) return poisson_part(change, impossible);
      if (is_near(p, 2)) return gamma_part(change);
      // The excess of (1 + c)^(2-p) over its tangent, by the larger of two forms: the plain one
      // and, for small c, its series.
      const V y = larger(change + 1.0, spread<V>(0));
      const V plain = (power_of(y, 2 - p) - 1.0 - (2 - p) * change) * (1 / ((1 - p) * (2 - p)));
      const V series =
          change * change * (0.5 - change * (p / 6) + change * change * (p * (p + 1) / 24));
      return select(magnitude(change) > spread<V>(1e-4), plain, series);
    };
    return cut.mean_of(part(cut.below()), part(cut.above()));
  }
  static bool is_near(double p, double integer) { return p > integer - 1e-8 && p < integer + 1e-8; }
};

struct NegativeBinomial {
  static constexpr RegressionLoss loss = RegressionLoss::negative_binomial;
  static constexpr CriterionInfo info{
      .name = "negative_binomial",
      .summary =
          "Drop of half the negative binomial deviance, for counts that vary more than Poisson's: "
          "variance m + dispersion m^2.",
      .formula = "N(S) - rho_L N(L) - rho_R N(R),  N = -m ln m + (m + 1/a) ln(1 + a m), m mean",
      .reference = "Hilbe (2011), Negative Binomial Regression, 2nd edition",
      .family = "regression",
      .advice =
          "For counts whose variance grows faster than their mean, such as visits or defects per "
          "item: `dispersion` says how much. Towards 0 it is `poisson`.",
      .is_quasi_convex = true,
      .parameters = {
          Parameter{.name = "dispersion", .otherwise = 1, .max = 1e6, .min_is_allowed = false}}};

  /// In units of the node's mean.
  template <class V>
  V gain(const RegressionCut<V>& cut) const {
    const double w = 1 / (cut.values[0] * cut.mean);
    const auto part = [w](V change) {
      const V y = change + 1.0;
      const V own = select(y > spread<V>(1e-13), y * log_of_more(change), spread<V>(0));
      return own - (y + w) * log_of_more(V(change * (1 / (1 + w))));
    };
    return cut.mean_of(part(cut.below()), part(cut.above()));
  }
};

/// Of all pairs of target values; see regression/pair_sums.hpp.
struct Crps {
  static constexpr RegressionLoss loss = RegressionLoss::crps;
  static constexpr CriterionInfo info{
      .name = "crps",
      .summary =
          "Drop of the continuous ranked probability score of a node's own sample: half the mean "
          "distance of two of its numbers. For leaves that are read as distributions.",
      .formula =
          "C(S) - rho_L C(L) - rho_R C(R),  C = 1/2 mean over pairs of |y_i - y_j|; "
          "unbiased=True: times n / (n - 1)",
      .reference =
          "Duchemin, Obozinski (2025), Efficient Distributional Regression Trees Learning "
          "Algorithms for Calibrated Non-Parametric Probabilistic Forecasts",
      .family = "regression",
      .advice =
          "When you use the distribution of a leaf, not only its mean: it minimises half the mean "
          "absolute difference of two targets of a leaf. So the whole spread counts, and outliers "
          "count less than in the squared error. It is slower than `squared_error` by a factor "
          "that grows with the logarithm of the rows.",
      .parameters = {Parameter{.name = "unbiased", .kind = Parameter::Kind::flag}}};
};

/// Losses of order statistics; see regression/ordered.hpp.
struct AbsoluteError {
  static constexpr RegressionLoss loss = RegressionLoss::absolute;
  static constexpr CriterionInfo info{
      .name = "absolute_error",
      .aliases = "mae",
      .summary =
          "Drop of the mean distance from the median of a node; ties, which are frequent in "
          "small nodes, are broken by the squared error.",
      .formula = "A(S) - rho_L A(L) - rho_R A(R),  A = mean of |y - median|",
      .reference = "Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees",
      .family = "regression",
      .advice =
          "When outliers should have little influence on splits and leaves. It needs the sorted "
          "targets, and takes several times as long as `squared_error`."};
};

struct Quantile {
  static constexpr RegressionLoss loss = RegressionLoss::quantile;
  static constexpr CriterionInfo info{
      .name = "quantile",
      .aliases = "pinball",
      .summary =
          "Drop of the pinball loss at the quantile of a node; ties are broken by the "
          "squared error.",
      .formula = "P(S) - rho_L P(L) - rho_R P(R),  P = mean of (level - [y < q]) (y - q)",
      .reference = "Koenker, Bassett (1978), Regression Quantiles",
      .family = "regression",
      .advice =
          "To predict a bound instead of the mean: `criterion_params={\"level\": 0.9}` predicts "
          "the 90 % quantile.",
      .parameters = {
          Parameter{.name = "level", .otherwise = 0.5, .max = 1 - 1e-12, .min_is_allowed = false}}};
};

}  // namespace ramify::RAMIFY_KERNELS

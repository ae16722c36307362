// SPDX-License-Identifier: BSD-3-Clause
// Entropies made of power sums: one family with one or two parameters, which includes Gini and
// Shannon's entropy. A term is weight^q, the same for all nodes, so it is read from a table where
// weights are integers.
#pragma once

#include "criteria/impurity.hpp"

namespace ramify::RAMIFY_KERNELS {

inline constexpr double ln2 = 0.693147180559945309417232121458;

/// Values this close to 1 are treated as the limit.
inline bool is_one(double q) { return q > 1 - 1e-8 && q < 1 + 1e-8; }

/// Drop of Tsallis' entropy; q = 2 is Gini, q = 1 Shannon's in nats.
struct Tsallis {
  double q = 1.5;
  static constexpr auto fields = std::tuple(&Tsallis::q);
  static constexpr CriterionInfo info{
      .name = "tsallis",
      .summary =
          "Drop of Tsallis' entropy: q = 2 is Gini, q = 1 information gain in nats; a small q "
          "rewards pure children, a large one looks at the largest class.",
      .formula = "T(S) - rho_L T(L) - rho_R T(R),  T = (1 - sum_k p_k^q) / (q - 1)",
      .reference =
          "Wang, Song, Xia (2016), Unifying the Split Criteria of Decision Trees Using Tsallis "
          "Entropy",
      .family = "power sums",
      .advice =
          "The first family to tune: `q` 0.5 rewards pure children and was the best on average in "
          "a comparison of 23 impurities (2026, not significant), 1 is entropy, 2 Gini, and a "
          "larger `q` emphasises the largest class. Tune `q` with `TunedTreeClassifier`.",
      .is_quasi_convex = true,
      .parameters = {Parameter{.name = "q", .otherwise = 1.5, .max = 10, .min_is_allowed = false}}};
  static constexpr bool is_multiway = true;
  /// With x = p_tk / p_k and E the mean over sides, of which E(x - 1)^2 = D_k^2 / (p_k^2 n_L n_R):
  /// |x^q - 1 - q (x - 1)| over |1 - q| (x - 1)^2 falls from 1 at x = 0 to q / 2 at x = 1, for q <=
  /// 2; for larger q the second derivative of p^q is at most q (q - 1).
  struct Bound : ScoreBound {
    static double factor(const BoundNode& node, int k) {
      const double q = node.settings->values[0];
      return q <= 2 ? power_of(node.share(k), q - 2) * q / 2 : q / 2;
    }
    static double bend(const BoundNode& node, int) {
      const double q = node.settings->values[0];
      return q <= 2 ? 2 / q - 1 : 0;
    }
  };

  auto of_weight(auto weight) const {
    return is_one(q) ? ComputedLog()(weight) : power_of(weight, q);
  }
  auto of_total(auto total) const {
    return is_one(q) ? ComputedLog()(total) : power_of(total, 1 - q);
  }
  auto combine(const auto& s) const { return drop(s) / (s.total * scale()); }

 protected:
  /// The gain times the weight, up to a factor.
  auto drop(const auto& s) const {
    using V = decltype(s.over_sides([](auto n, auto, auto) { return n; }));
    if (is_one(q)) {
      const V children = s.over_sides([](auto, auto sum, auto at) { return at - sum; });
      return V((s.at_total - s.parent) - children);
    }
    const V children = s.over_sides([](auto, auto sum, auto at) { return sum * at; });
    return V(children - s.parent * s.at_total);
  }
  double scale() const { return is_one(q) ? 1 / ln2 : q - 1; }
};

struct TsallisRatio : Tsallis {
  /// The bound of the gain; its divisor is known exactly.
  struct Bound {
    static double factor(const BoundNode& node, int k) { return Tsallis::Bound::factor(node, k); }
    static double bend(const BoundNode& node, int k) { return Tsallis::Bound::bend(node, k); }
    static void fill_sides(const CriterionSettings& settings, int, int n, double* out) {
      const double q = settings.values[0];
      for (int i = 0; i < n; ++i) {
        const double x = i;
        out[i] = is_one(q) ? ComputedLog()(x) * ln2 : power_of(x, q);
      }
    }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double q = node.settings->values[0], n = node.total,
                   whole = node.sides[static_cast<int>(n)];
      if (is_one(q))  // in nats
        fill_by_sides(node, rows, score * whole / n, -score / n, needed);
      else
        fill_by_sides(node, rows, score / (q - 1), -score / (whole * (q - 1)), needed);
    }
  };
  static constexpr auto fields = std::tuple(&TsallisRatio::q);
  static constexpr CriterionInfo info{
      .name = "tsallis_ratio",
      .summary =
          "Drop of Tsallis' entropy, divided by that of the branch sizes; q = 1 is the gain ratio.",
      .formula = "(T(S) - rho_L T(L) - rho_R T(R)) / T(rho_L, rho_R),  T = (1 - sum p^q) / (q - 1)",
      .reference =
          "Wang, Song, Xia (2016), Unifying the Split Criteria of Decision Trees Using Tsallis "
          "Entropy",
      .family = "power sums",
      .advice =
          "Like the gain ratio, with the entropy of your choice: `q = 2` is a Gini ratio. Like "
          "the gain ratio it favours very unequal cuts.",
      .is_quasi_convex = true,
      .parameters = {Parameter{.name = "q", .otherwise = 2, .max = 10, .min_is_allowed = false}}};

  auto combine(const auto& s) const {
    using V = decltype(s.over_sides([](auto n, auto, auto) { return n; }));
    if (is_one(q)) {
      const V branches = s.at_total - s.over_sides([](auto, auto, auto at) { return at; });
      return V(this->drop(s) / branches);
    }
    // rho^q = (n_t / at_t) (at / n), as at = n^(1 - q).
    const V powers = s.over_sides([](auto n, auto, auto at) { return n / at; });
    return V(this->drop(s) / (s.total - powers * s.at_total));
  }
};

/// Base of the entropies below: Rényi's entropy in bits.
struct RenyiSums {
  double q = 0.5;

  auto of_weight(auto weight) const {
    return is_one(q) ? ComputedLog()(weight) : power_of(weight, q);
  }
  template <class V>
  V of_total(V total) const {
    return log2_of(larger(total, spread<V>(1e-300)));
  }
  template <class V>
  V bits(V total, V sum, V log_total) const {
    if (is_one(q)) return log_total - sum / total;
    return (log2_of(larger(sum, spread<V>(1e-300))) - q * log_total) * (1 / (1 - q));
  }
};

struct Renyi : RenyiSums {
  static constexpr auto fields = std::tuple(&Renyi::q);
  static constexpr CriterionInfo info{
      .name = "renyi",
      .summary =
          "Drop of Rényi's entropy, in bits; q = 1 is information gain. For q > 1 and more than "
          "two classes it is not concave, and a gain may be negative.",
      .formula = "H(S) - rho_L H(L) - rho_R H(R),  H = log2(sum_k p_k^q) / (1 - q)",
      .reference =
          "Rényi (1961), On Measures of Entropy and Information; in trees: Gajowniczek, Zabkowski "
          "(2021), ImbTreeEntropy and ImbTreeAUC",
      .family = "power sums",
      .advice =
          "To interpolate between the number of classes (small `q`) and the largest class (large "
          "`q`). For `q` of at most 1 it is concave; above, with more than two classes, a gain "
          "may be negative.",
      .is_quasi_convex = true,
      .parameters = {Parameter{.name = "q", .otherwise = 0.5, .max = 10, .min_is_allowed = false}}};
  static constexpr bool is_multiway = true;
  static bool is_quasi_convex_with(const CriterionSettings& settings) {
    return settings.values[0] <= 1;
  }

  auto combine(const auto& s) const {
    const auto children =
        s.over_sides([this](auto n, auto sum, auto at) { return n * bits(n, sum, at); });
    return bits(s.total, s.parent, s.at_total) - children / s.total;
  }
};

struct SharmaMittal : RenyiSums {
  double r = 0.5;
  static constexpr auto fields = std::tuple(&SharmaMittal::q, &SharmaMittal::r);
  static constexpr CriterionInfo info{
      .name = "sharma_mittal",
      .summary =
          "Drop of Sharma and Mittal's entropy, which has Tsallis' (r = q), Rényi's (r = 1) and "
          "more as members; concave for r >= 2 - 1/q.",
      .formula = "I(S) - rho_L I(L) - rho_R I(R),  I = ((sum_k p_k^q)^((1-r)/(1-q)) - 1) / (1 - r)",
      .reference =
          "Sharma, Mittal (1975), New Nonadditive Measures of Entropy for Discrete Probability "
          "Distributions; in trees: Ignatenko, Surkov, Koltcov (2024), Random forests with "
          "parametric entropy-based information gains",
      .family = "power sums",
      .advice =
          "To tune two parameters: `q` as in `tsallis` and `renyi`, and `r` for how much unequal "
          "nodes count. `r = q` is Tsallis', `r = 1` Rényi's, (1/2, 0) is `dkm`. Keep `r` at 2 - "
          "1/q or above.",
      .is_quasi_convex = true,
      .parameters = {Parameter{.name = "q", .otherwise = 0.5, .max = 10, .min_is_allowed = false},
                     Parameter{.name = "r", .otherwise = 0.5, .min = -10, .max = 10}}};
  static constexpr bool is_multiway = true;
  static bool is_quasi_convex_with(const CriterionSettings& settings) {
    const double q = settings.values[0], r = settings.values[1];
    return r >= 2 - 1 / q;
  }
  struct Bound : Tsallis::Bound {  // which it is where r = q
    static bool holds(const CriterionSettings& settings) {
      return settings.values[0] == settings.values[1];
    }
  };

  auto combine(const auto& s) const {
    const auto value = [this](auto n, auto sum, auto at) {
      const auto entropy = bits(n, sum, at);
      return is_one(r) ? entropy * ln2 : (exp2_of(entropy * (1 - r)) - 1.0) * (1 / (1 - r));
    };
    const auto children =
        s.over_sides([&](auto n, auto sum, auto at) { return n * value(n, sum, at); });
    return value(s.total, s.parent, s.at_total) - children / s.total;
  }
};

/// Two classes: 2 sqrt(p_0 p_1). The extension to more classes, all pairs, is our own.
struct Dkm {
  static constexpr CriterionInfo info{
      .name = "dkm",
      .summary =
          "Drop of the sum over pairs of classes of 2 sqrt(p_k p_l): squared Hellinger distances "
          "of all pairs, weighed by their priors. More than two classes: Ramify's reading.",
      .formula = "D(S) - rho_L D(L) - rho_R D(R),  D = (sum_k sqrt(p_k))^2 - 1",
      .reference =
          "Dietterich, Kearns, Mansour (1996), Applying the Weak Learning Framework to Understand "
          "and Improve C4.5",
      .family = "power sums",
      .advice =
          "On imbalanced data with several classes: the squared Hellinger distances of all pairs "
          "of classes, weighted by how frequent they are. With two classes it ranks the cuts of a "
          "node like `hellinger`. Fast and concave; a good first choice besides `gini` and "
          "`entropy`.",
      .is_quasi_convex = true};
  static constexpr bool is_multiway = true;
  /// With A = sum_k sqrt p_k and u = p_tk / p_k, the drop is A times the variance of sqrt u under
  /// weights of sqrt p_k, at most A sum_k sqrt(p_k) (sqrt u - 1)^2; and (sqrt u - 1)^2 / (u - 1)^2
  /// falls from 1 at u = 0 to 1/4 at u = 1.
  struct Bound : ScoreBound {
    static double factor(const BoundNode& node, int k) {
      const double p = node.share(k);
      return node.statistics[0] * square_root(p) / (4 * p * p);
    }
    static double bend(const BoundNode&, int) { return 3; }
    static void find_statistics(BoundNode& node) {
      node.statistics[0] = 0;
      for (int k = 0; k < node.n_classes; ++k) node.statistics[0] += square_root(node.share(k));
    }
  };

  auto of_weight(auto weight) const { return square_root(weight); }
  template <class V>
  V of_total(V) const {
    return spread<V>(0);
  }
  auto combine(const auto& s) const {
    const auto children = s.over_sides([](auto, auto sum, auto) { return sum * sum; });
    return (s.parent * s.parent - children) / s.total;
  }
};

/// Two powers, so two sums: read from two tables where weights are integers.
struct TwoPower {
  double a = 0.5, b = 1.5;
  const double *terms = nullptr, *totals = nullptr;
  static constexpr auto fields = std::tuple(&TwoPower::a, &TwoPower::b);
  static constexpr CriterionInfo info{
      .name = "two_power",
      .summary =
          "Drop of an entropy of two powers: Abe's for b = 1/a, Kaniadakis' for a = 1 - kappa and "
          "b = 1 + kappa. One must be at most 1 and the other at least 1.",
      .formula = "I(S) - rho_L I(L) - rho_R I(R),  I = sum_k (p_k^a - p_k^b) / (b - a)",
      .reference =
          "Sharma, Taneja (1975), Entropy of Type (alpha, beta) and Other Generalized Measures in "
          "Information Theory; in trees: Ignatenko, Surkov, Koltcov (2024), Random forests with "
          "parametric entropy-based information gains",
      .family = "power sums",
      .advice =
          "For the entropies of statistical physics that need two powers (Abe, Kaniadakis). "
          "Otherwise use `tsallis`: one parameter, and faster.",
      .is_quasi_convex = true,
      .parameters = {Parameter{.name = "a", .otherwise = 0.5, .max = 10, .min_is_allowed = false},
                     Parameter{.name = "b", .otherwise = 1.5, .max = 10, .min_is_allowed = false}}};

  /// Tsallis' bound for either power.
  struct Bound : ScoreBound {
    static double factor(const BoundNode& node, int k) { return at(node, k, true); }
    static double bend(const BoundNode& node, int k) {
      return at(node, k, false) / at(node, k, true) - 1;
    }
    /// At the point where a class is as frequent as in the node, or absent.
    static double at(const BoundNode& node, int k, bool is_near) {
      const double p = node.share(k), *values = node.settings->values;
      const double low = std::fmin(values[0], values[1]), high = std::fmax(values[0], values[1]);
      const double of_low = (1 - low) * power_of(p, low - 2) * (is_near ? low / 2 : 1),
                   of_high = high > 2
                                 ? high * (high - 1) / 2
                                 : (high - 1) * power_of(p, high - 2) * (is_near ? high / 2 : 1);
      return (of_low + of_high) / (high - low);
    }
    static bool holds(const CriterionSettings& settings) {
      return std::fabs(settings.values[0] - settings.values[1]) > 1e-8;
    }
  };

  void prepare(const NodeStatistics& node) {
    terms = node.terms;
    totals = node.totals;
  }
  auto of_weight(auto weight) const { return power_of(weight, a); }
  auto of_total(auto weight) const { return power_of(weight, b); }
  auto weighted_impurity(const auto& side) const {
    using V = decltype(side[0] + side[0]);
    if (a - b < 1e-8 && b - a < 1e-8) {  // -sum p^a ln p
      V sum = spread<V>(0);
      for (int k = 0; k < side.size(); ++k) {
        const V p = side[k] / side.total;
        const V safe = larger(p, spread<V>(1e-300));
        sum += select(p > spread<V>(0), power_of(safe, a) * log2_of(safe), spread<V>(0));
      }
      return V(side.total * sum * -ln2);
    }
    V first = spread<V>(0), second = spread<V>(0);
    for (int k = 0; k < side.size(); ++k) {
      first += read(terms, side[k], a);
      second += read(totals, side[k], b);
    }
    const V safe = larger(side.total, spread<V>(1e-300));
    return V(side.total * (first / read(terms, safe, a) - second / read(totals, safe, b)) *
             (1 / (b - a)));
  }

 private:
  template <class V>
  static V read(const double* table, V weight, double exponent) {
    return table ? look_up(table, weight) : power_of(weight, exponent);
  }
};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Criteria that compare class-conditional branch distributions, r_Lk = n_Lk / n_k.
#pragma once

#include "criteria/distance.hpp"
#include "criteria/power.hpp"

namespace ramify::RAMIFY_KERNELS {

struct KolmogorovSmirnov {
  double mode = static_cast<double>(Mode::ovo_max);
  static constexpr auto fields = std::tuple(&KolmogorovSmirnov::mode);
  static constexpr CriterionInfo info{
      .name = "ks",
      .aliases = "kolmogorov_smirnov",
      .summary =
          "Kolmogorov-Smirnov distance between class-conditional branch distributions. Many "
          "classes: the two "
          "that differ most, or another mode; only those of pairs (ovo) ignore the priors then.",
      .formula = "max_k n_Lk / n_k - min_k n_Lk / n_k",
      .reference =
          "Friedman (1977), A Recursive Partitioning Decision Rule for Nonparametric "
          "Classification; Utgoff, Clouse (1996), A Kolmogorov-Smirnoff Metric for Decision Tree "
          "Induction",
      .family = "branch distributions",
      .advice =
          "When only the branch distributions of the classes should count, not how frequent they "
          "are: the most different pair of classes decides. With two classes it is Youden's J, "
          "and (1 + ks) / 2 the AUC of the cut. Modes `ovo_*` ignore class weights with any "
          "number of classes, `ovr_*` only with two.",
      .is_quasi_convex = true,
      .parameters = {mode_parameter(Mode::ovo_max)}};
  static bool ignores_class_weights_with(const CriterionSettings& settings) {
    return is_pairwise(settings.values[0]);
  }
  /// The score is at most the sum of |D_k| / N_k over two classes; so the squares sum to at least
  /// half of its square, and n_L n_R is at most n^2 / 4.
  struct Bound {
    static double factor(const BoundNode& node, int k) {
      return (node.total / node.parent[k]) * (node.total / node.parent[k]);
    }
    static double min(const BoundNode&, double score) {
      return score > 0 ? 2 * score * score : score;
    }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double min = score > 0 ? score * node.total : 0;
      for (int i = rows.begin; i < rows.end; ++i) needed[i] = min * min / 2;
    }
    static bool holds(const CriterionSettings& settings) { return is_pairwise(settings.values[0]); }
  };

  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    if (mode == static_cast<double>(Mode::ovo_max)) {
      V highest = cut.left[0] * (1 / cut.parent[0]), lowest = highest;
      for (int k = 1; k < cut.size(); ++k) {
        const V share = cut.left[k] * (1 / cut.parent[k]);
        highest = larger(highest, share);
        lowest = select(share > lowest, lowest, share);
      }
      return V(highest - lowest);
    }
    return over_groups(cut, mode, [](const Group<V>& a, const Group<V>& b) {
      return magnitude(V(a.left * (1 / a.whole) - b.left * (1 / b.whole)));
    });
  }
};

struct InformationValue {
  double adjust = 1, mode = static_cast<double>(Mode::ovr_mean);
  double unit = 1;
  static constexpr auto fields = std::tuple(&InformationValue::adjust, &InformationValue::mode);
  static constexpr CriterionInfo info{
      .name = "information_value",
      .aliases = "iv jeffreys",
      .summary =
          "Information value of credit scoring (weight of evidence): the Jeffreys divergence of "
          "class-conditional branch distributions; 0.1 to 0.3 is called medium, more strong. "
          "Shares are shrunk towards the branch by `adjust` rows (Ramify's), so that an empty "
          "cell stays finite.",
      .formula = "sum_t (a_t - b_t) ln(a_t / b_t),  a_t = (n_ta + adjust rho_t) / (n_a + adjust)",
      .reference =
          "Jeffreys (1946), An Invariant Form for the Prior Probability in Estimation Problems; "
          "Siddiqi (2006), Credit Risk Scorecards",
      .family = "branch distributions",
      .advice =
          "In credit scoring, where it has well-known thresholds: 0.1 to 0.3 is medium, more is "
          "strong. With two classes. `adjust` keeps empty cells finite; 0 refuses cuts with a "
          "pure child.",
      .is_quasi_convex = true,
      .counts = true,
      .parameters = {Parameter{.name = "adjust", .otherwise = 1, .max = 100},
                     mode_parameter(Mode::ovr_mean)}};
  static bool counts_with(const CriterionSettings& settings) { return settings.values[0] > 0; }
  /// A rejected cut may lie beside a good one.
  static bool is_quasi_convex_with(const CriterionSettings& settings) {
    return settings.values[0] > 0;
  }
  static bool ignores_class_weights_with(const CriterionSettings& settings) {
    return settings.values[0] == 0 && is_pairwise(settings.values[1]);
  }

  void prepare(const NodeStatistics& node) { unit = node.unit; }
  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    const double rows = adjust / unit;
    const V rho[] = {cut.left.total / cut.total, cut.right.total / cut.total};
    return over_groups(cut, mode, [&](const Group<V>& a, const Group<V>& b) {
      V sum = spread<V>(0);
      for (int t = 0; t < 2; ++t) {
        const V in_a = t == 0 ? a.left : V(a.whole - a.left);
        const V in_b = t == 0 ? b.left : V(b.whole - b.left);
        const V share = (in_a + rho[t] * rows) * (1 / (a.whole + rows));
        const V other = (in_b + rho[t] * rows) * (1 / (b.whole + rows));
        const V min = select(share > other, other, share);
        const V tiny = spread<V>(1e-300);
        const V value = (share - other) * log2_of(larger(share, tiny) / larger(other, tiny)) * ln2;
        // A cell that is empty on one side only is infinitely far from the other: rejected.
        const V refused = spread<V>(-std::numeric_limits<double>::infinity());
        sum += select(min > spread<V>(0), value,
                      select(larger(share, other) > spread<V>(0), refused, spread<V>(0)));
      }
      return sum;
    });
  }
};

struct Angle {
  double mode = static_cast<double>(Mode::ovo_mean);
  static constexpr auto fields = std::tuple(&Angle::mode);
  static constexpr CriterionInfo info{
      .name = "angle",
      .summary =
          "Angle between class-conditional branch distributions, as sqrt(1 - cosine); the mean "
          "over pairs of "
          "classes, "
          "or another mode.",
      .formula = "mean over pairs i, j of sqrt(1 - cos((r_Li, r_Ri), (r_Lj, r_Rj)))",
      .reference =
          "Robnik-Šikonja, Savicky (2013), CORElearn: Classification, Regression and Feature "
          "Evaluation",
      .family = "branch distributions",
      .advice =
          "When class sizes should not matter, like `ks` and `hellinger`: it compares pairs of "
          "classes by the angle between their branch distributions. It is not quasi-convex for "
          "more than two classes, and compares all pairs, so it is slow with many classes.",
      .parameters = {mode_parameter(Mode::ovo_mean)}};
  static bool ignores_class_weights_with(const CriterionSettings& settings) {
    return is_pairwise(settings.values[0]);
  }
  /// The angle of two groups is at most sqrt 2 times the distance of the shares u, v that go left,
  /// since m (m + u.v) >= 1/2; a mean is at most the root of the mean of squares.
  struct Bound {
    static double factor(const BoundNode& node, int k) {
      const double share = node.share(k);
      if (node.n_classes == 2) return 0.5 / (share * (1 - share) * share * (1 - share));
      if (is_pairwise(node.settings->values[0])) return 1 / (share * share);
      return 1 / (share * (1 - share) * share * (1 - share));
    }
    /// Divided by n^2.
    static double min_share(const BoundNode& node, double score) {
      const double mode = node.settings->values[0], square = score > 0 ? score * score : 0;
      if (node.n_classes == 2) return square / 2;
      if (mode == static_cast<double>(Mode::ovo_mean)) return square * (node.n_classes - 1) / 4;
      if (mode == static_cast<double>(Mode::ovo_max)) return square / 4;
      return mode == static_cast<double>(Mode::ovr_mean) ? square * node.n_classes / 2 : square / 2;
    }
    static double min(const BoundNode& node, double score) { return 4 * min_share(node, score); }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double min = min_share(node, score) * node.total * node.total;
      for (int i = rows.begin; i < rows.end; ++i) needed[i] = min;
    }
  };

  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    return over_groups(cut, mode, [](const Group<V>& a, const Group<V>& b) {
      const V u = a.left * (1 / a.whole), v = b.left * (1 / b.whole);
      const V x = 1.0 - u, y = 1.0 - v;
      // 1 - cos without cancellation: (u y - x v)^2 / (m (m + u.v)), and u y - x v = u - v.
      const V m = square_root((u * u + x * x) * (v * v + y * y));
      return V(magnitude(V(u - v)) / square_root(m * (m + (u * v + x * y))));
    });
  }
};

struct Ort {
  static constexpr CriterionInfo info{
      .name = "ort",
      .aliases = "orthogonality",
      .summary =
          "One minus the cosine of the children's class weights: 1 for disjoint sets of classes, "
          "however unbalanced; ties, which are frequent, are broken by the Gini gain (Ramify's).",
      .formula = "1 - sum_k n_Lk n_Rk / sqrt(sum_k n_Lk^2 sum_k n_Rk^2)",
      .reference =
          "Fayyad, Irani (1992), The Attribute Selection Problem in Decision Tree Generation",
      .family = "branch distributions",
      .advice =
          "When children with different classes matter more than their sizes: two disjoint sets "
          "of classes score 1, however unbalanced. Ties are frequent, and the Gini gain breaks "
          "them; trees get large.",
      .is_quasi_convex_of_two = true};  // points that see a segment under an obtuse angle
  using TieBreak = Gini;
  /// One minus a cosine is at most the squared sine, |D x N|^2 / (|L| |R|)^2, and |L| is at least
  /// rho_L |N| - |D|. So a score s needs |D| |N| >= sqrt(s) (rho_L |N| - |D|) (rho_R |N| - |D|).
  struct Bound {
    static double factor(const BoundNode&, int) { return 1; }
    static void find_statistics(BoundNode& node) { node.statistics[0] = node.squares(); }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double n = node.total, root = square_root(larger(score, 0.0)), sum = 1 + root;
      for (int i = rows.begin; i < rows.end; ++i) {
        const double left = i / n, product = left * (1 - left);
        // The smaller root of |D|^2 - |D| (1 + 1 / root) + product = 0, without cancellation.
        const double q =
            2 * root * product / (sum + square_root(larger(sum * sum - 4 * score * product, 0.0)));
        needed[i] = q * q * node.statistics[0];
      }
    }
  };

  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    V left = spread<V>(0), right = left, both = left;
    for (int k = 0; k < cut.size(); ++k) {
      const V l = cut.left[k], r = cut.right[k];
      left += l * l;
      right += r * r;
      both += l * r;
    }
    return V(1.0 - both / (square_root(left) * square_root(right)));
  }
};

}  // namespace ramify::RAMIFY_KERNELS

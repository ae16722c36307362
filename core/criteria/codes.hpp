// SPDX-License-Identifier: BSD-3-Clause
// Code lengths of the labels in bits, and estimates for small samples. Weights are counts of rows
// here, and only the classes of the node matter.
#pragma once

#include "criteria/power.hpp"

namespace ramify::RAMIFY_KERNELS {

inline constexpr Parameter cost_of_thresholds{.name = "threshold_cost",
                                              .kind = Parameter::Kind::flag};

/// Upper bound of M + n H for a child of x rows with prior a; behind it, the contribution of a
/// class of x rows in a node with prior `of_node`.
inline void fill_dirichlet(double a, double of_node, int n_classes, int n, double* out) {
  const double per_class = 1.0 / n_classes, of_prior = n_classes * log_gamma_of(a),
               none = log_gamma_of(n_classes * a), log_classes = log2_of(1.0 * n_classes) * ln2,
               no_row = log_gamma_of(of_node);
  for (int i = 0; i < n; i += pack_width) {
    const double first = i;
    const Pack x{first, first + 1, first + 2, first + 3};
    const Pack side = x * log_classes + log_gamma_of(x * per_class + a) * (1.0 * n_classes) -
                      of_prior - log_gamma_of(x + n_classes * a) + none;
    const Pack term = log_gamma_of(x + of_node) - no_row - ComputedLog()(x) * ln2;
    for (int lane = 0; lane < pack_width && i + lane < n; ++lane) {
      out[i + lane] = side[lane];
      out[n + i + lane] = term[lane];
    }
  }
}

/// M + n H of a node.
inline void find_dirichlet(BoundNode& node, double a) {
  const double n = node.total;
  double sum = log_gamma_of(node.n_classes * a) - log_gamma_of(n + node.n_classes * a) +
               ComputedLog()(n) * ln2;
  for (int k = 0; k < node.n_classes; ++k) sum += look_up(node.terms, node.parent[k]);
  node.statistics[0] = sum;
}

/// The log Bayes factor of two distributions against one, with Dirichlet priors.
struct Bayes {
  double alpha = 1, equivalent = 0;
  double threshold_cost = 0;  // matters only for the choice among columns; see Plan
  double unit = 1, n_classes = 2, of_prior = 0;
  double none = 0, whole = 0;  // code lengths of no rows and of the node, in nats
  static constexpr auto fields =
      std::tuple(&Bayes::alpha, &Bayes::equivalent, &Bayes::threshold_cost);
  static constexpr CriterionInfo info{
      .name = "bayes",
      .aliases = "bd k2",
      .summary =
          "Log Bayes factor, in bits per row, of a distribution for each child against one for "
          "the node, with Dirichlet priors; not above 0 says leaf. equivalent=True halves the "
          "prior in children (BDeu with alpha = e / K); threshold_cost=True (Ramify's) pays for "
          "the cuts tried.",
      .formula =
          "(M(L) + M(R) - M(S)) / (n ln 2)\n"
          "M = lnG(K a) - lnG(n + K a) + sum_k (lnG(n_k + a) - lnG(a))",
      .reference =
          "Buntine (1992), Learning Classification Trees; Cooper, Herskovits (1992), A Bayesian "
          "Method for the Induction of Probabilistic Networks from Data",
      .family = "Bayesian and MDL scores",
      .advice =
          "For trees with a built-in stopping rule: a node becomes a leaf if one distribution "
          "explains it better than two (scores of at most 0). `alpha` is the Dirichlet prior of "
          "each class (1 is uniform, 1/2 Jeffreys'). With many columns set `threshold_cost=True`: "
          "without it the search itself finds splits in noise.",
      .is_quasi_convex_of_two =
          true,  // the logarithm of the mean, over priors, of exponentials of weights
      .counts = true,
      .parameters = {
          Parameter{.name = "alpha", .otherwise = 1, .max = 100, .min_is_allowed = false},
          Parameter{.name = "equivalent", .kind = Parameter::Kind::flag}, cost_of_thresholds}};
  static constexpr bool is_multiway = true;
  /// With G(x) = lnG(x + a) - lnG(a) - x ln x + x, concave for a >= 1/2, M is -n H and a sum of G
  /// over classes, at most K G(n / K), and what depends on n.
  struct Bound : InformationBound {
    static void fill_sides(const CriterionSettings& settings, int n_classes, int n, double* out) {
      const double a = settings.values[0];
      fill_dirichlet(settings.values[1] != 0 ? a / 2 : a, a, n_classes, n, out);
    }
    static void find_statistics(BoundNode& node) { find_dirichlet(node, node.settings->values[0]); }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double each = 1 / (node.total * ln2);
      fill_by_sides(node, rows, score + node.statistics[0] * each, -each, needed);
    }
    static bool holds(const CriterionSettings& settings) {
      return (settings.values[1] != 0 ? settings.values[0] / 2 : settings.values[0]) >= 0.5;
    }
  };

  double in_children() const { return equivalent != 0 ? alpha / 2 : alpha; }

  void prepare(const NodeStatistics& node) {
    unit = node.unit;
    n_classes = node.n_classes;
    of_prior = log_gamma_of(in_children());
    none = log_gamma_of(n_classes * in_children());
    if (!node.parent) return;
    whole = log_gamma_of(n_classes * alpha) - log_gamma_of(node.total * unit + n_classes * alpha);
    for (int k = 0; k < node.n_classes; ++k)
      whole += log_gamma_of(node.parent[k] * unit + alpha) - log_gamma_of(alpha);
  }
  auto of_weight(auto weight) const {
    return log_gamma_of(weight * unit + in_children()) - of_prior;
  }
  static constexpr bool totals_know_classes = true;
  auto of_total(auto total) const {
    return none - log_gamma_of(total * unit + n_classes * in_children());
  }
  auto combine(const auto& s) const {
    const auto children = s.over_sides([](auto, auto sum, auto at) { return at + sum; });
    return (children - whole) * (1 / (s.total * unit * ln2));
  }
};

struct Mdl : Bayes {
  static constexpr auto fields = std::tuple(&Mdl::threshold_cost);
  static constexpr CriterionInfo info{
      .name = "mdl",
      .summary =
          "Minimum description length: bits per row that a cut saves, when labels and class "
          "counts are coded; the same as bayes(alpha=1). threshold_cost=True (Ramify's) pays for "
          "the cuts tried. Classes are those of the node (Ramify's reading).",
      .formula =
          "(M(S) - M(L) - M(R)) / n\n"
          "M = log2 multinomial(n; n_1, ..., n_K) + log2 C(n + K - 1, K - 1)",
      .reference = "Kononenko (1995), On Biases in Estimating Multi-Valued Attributes",
      .family = "Bayesian and MDL scores",
      .advice =
          "For trees with a built-in stopping rule: a split must save more bits than it costs to "
          "encode the class counts of its children. Set `threshold_cost=True` to include the cost "
          "of the search; then pure noise gives a single leaf.",
      .is_quasi_convex_of_two = true,
      .counts = true,
      .parameters = {cost_of_thresholds}};
  struct Bound : Bayes::Bound {
    static void fill_sides(const CriterionSettings&, int n_classes, int n, double* out) {
      fill_dirichlet(1, 1, n_classes, n, out);
    }
    static void find_statistics(BoundNode& node) { find_dirichlet(node, 1); }
    static bool holds(const CriterionSettings&) { return true; }
  };
};

struct StochasticComplexity {
  double unit = 1, each = 0, half = 0, extra = 0;
  static constexpr CriterionInfo info{
      .name = "stochastic_complexity",
      .summary =
          "Information gain less what it takes to state the class shares of both children, in "
          "bits per row; the form of mdl for many rows.",
      .formula =
          "IG + [(K-1)/2 (ln(n/2) - ln(n_L/2) - ln(n_R/2)) - ln(pi^(K/2) / G(K/2))] / (n ln 2)",
      .reference =
          "Krichevsky, Trofimov (1981), The Performance of Universal Encoding; Rissanen (1995), "
          "Stochastic Complexity in Learning",
      .family = "Bayesian and MDL scores",
      .advice =
          "Like `mdl` with a simpler formula, for nodes with many rows: information gain minus "
          "the cost of encoding the children's class shares.",
      .is_quasi_convex_of_two = true,  // the gain is, and so are -log n_L and -log n_R
      .counts = true};
  static constexpr bool is_multiway = true;
  /// Everything besides the information gain is known exactly.
  struct Bound : InformationBound {
    static void fill_sides(const CriterionSettings&, int n_classes, int n, double* out) {
      NodeStatistics node;
      node.n_classes = n_classes;
      StochasticComplexity own;
      own.prepare(node);
      out[0] = 0;
      for (int i = 1; i < n; ++i)
        out[i] = own.each * (log2_of(static_cast<double>(i)) + own.half) + own.extra;
    }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double each = 1 / node.total;
      fill_by_sides(node, rows, score - node.sides[static_cast<int>(node.total)] * each, each,
                    needed);
    }
  };

  void prepare(const NodeStatistics& node) {
    constexpr double log2_pi = 1.651496129472318798043279295108;
    unit = node.unit;
    each = (node.n_classes - 1) / 2.0;
    half = log2_of(unit) - 1;  // log2(n unit / 2) = log2 n + half
    extra = node.n_classes / 2.0 * log2_pi - log_gamma_of(node.n_classes / 2.0) / ln2;
  }
  auto of_weight(auto weight) const { return ComputedLog()(weight); }
  template <class V>
  V of_total(V total) const {
    return log2_of(larger(total, spread<V>(1e-300)));
  }
  auto combine(const auto& s) const {
    // Each further branch needs a further set of class shares.
    const auto cost = s.over_sides([&](auto, auto, auto at) { return each * (at + half) + extra; });
    const auto children = s.over_sides([](auto n, auto sum, auto at) { return n * at - sum; });
    const double whole = s.total * s.at_total - s.parent;
    const double paid = each * (s.at_total + half) + extra;
    return (whole - children) * (1 / s.total) + (paid - cost) * (1 / (s.total * unit));
  }
};

struct ExactProbability {
  double unit = 1;
  static constexpr CriterionInfo info{
      .name = "exact_probability",
      .aliases = "fisher_exact",
      .summary =
          "Minus the logarithm of the probability of the table, given its margins, in bits per "
          "row. Always above 0: limit growth by min_impurity_decrease.",
      .formula = "-log2( prod_k n_k! prod_t n_t! / (n! prod_tk n_tk!) ) / n",
      .reference =
          "Martin (1997), An Exact Probability Metric for Decision Tree Splitting and Stopping",
      .family = "Bayesian and MDL scores",
      .advice =
          "When the exact probability of a table matters, in small nodes. It is above 0 for every "
          "cut, even an uninformative one, so limit growth by `min_impurity_decrease` or by size.",
      .counts = true};
  static constexpr bool is_multiway = true;
  /// The logarithm of a multinomial coefficient is n H + G(n) - sum_k G(n_k), with the concave G(x)
  /// = ln x! - x ln x + x.
  struct Bound : InformationBound {
    template <class V>
    static V g(V x) {
      return log_gamma_of(x + 1.0) - ComputedLog()(x) * ln2 + x;
    }
    static void fill_sides(const CriterionSettings&, int n_classes, int n, double* out) {
      const double per_class = 1.0 / n_classes;
      for (int i = 0; i < n; i += pack_width) {
        const double first = i;
        const Pack x{first, first + 1, first + 2, first + 3};
        const Pack term = g(x), side = term - g(Pack(x * per_class)) * (1.0 * n_classes);
        for (int lane = 0; lane < pack_width && i + lane < n; ++lane) {
          out[i + lane] = side[lane];
          out[n + i + lane] = term[lane];
        }
      }
    }
    static void find_statistics(BoundNode& node) {
      double sum = look_up(node.terms, node.total);
      for (int k = 0; k < node.n_classes; ++k) sum -= look_up(node.terms, node.parent[k]);
      node.statistics[0] = sum;
    }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double each = 1 / (node.total * ln2);
      fill_by_sides(node, rows, score - node.statistics[0] * each, each, needed);
    }
  };

  void prepare(const NodeStatistics& node) { unit = node.unit; }
  auto of_weight(auto weight) const { return log_gamma_of(weight * unit + 1.0); }
  auto of_total(auto total) const { return log_gamma_of(total * unit + 1.0); }
  auto combine(const auto& s) const {
    const auto children = s.over_sides([](auto, auto sum, auto at) { return at - sum; });
    return ((s.at_total - s.parent) - children) * (1 / (s.total * unit * ln2));
  }
};

struct UnbiasedGini {
  double unit = 1;
  static constexpr CriterionInfo info{
      .name = "unbiased_gini",
      .summary =
          "Gini gain of unbiased estimates: 0 in the mean where a cut has no information. The "
          "factor of small sides is at most 2 (Ramify's).",
      .formula = "G'(S) - rho_L G'(L) - rho_R G'(R),  G'(t) = G(t) min(2, n_t / (n_t - 1))",
      .reference = "Strobl (2005), Statistical Sources of Variable Selection Bias",
      .family = "Bayesian and MDL scores",
      .advice =
          "When columns with many cuts win too often in small nodes: the expected gain of an "
          "uninformative cut is 0. Trees are somewhat smaller.",
      .counts = true};
  static constexpr bool is_multiway = true;
  /// G' is G plus a non-negative term. In rows, that term of the children is at least (G(S) - gain)
  /// / n.
  struct Bound {
    static double factor(const BoundNode&, int) { return 1; }
    static void find_statistics(BoundNode& node) {
      const double n = node.total, rows = n * node.unit;
      const double gini = 1 - node.squares() / (n * n);
      node.statistics[0] = gini * (rows > 2 ? 1 / (rows - 1) : 1);
      node.statistics[1] = gini / n;
    }
    static double min(const BoundNode& node, double score) { return score - node.statistics[0]; }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double min = (score - node.statistics[0] + node.statistics[1]) / (1 + 1 / node.total);
      fill_by(node, rows, needed, [=](double, double) { return min; });
    }
  };

  void prepare(const NodeStatistics& node) { unit = node.unit; }
  auto of_weight(auto weight) const { return weight * weight; }
  template <class V>
  V of_total(V total) const {
    const V rows = total * unit;
    return select(rows > spread<V>(2), rows / larger(rows - 1.0, spread<V>(1)), spread<V>(2));
  }
  auto combine(const auto& s) const {
    const auto children =
        s.over_sides([](auto n, auto sum, auto at) { return (n - sum / n) * at; });
    return ((s.total - s.parent / s.total) * s.at_total - children) * (1 / s.total);
  }
};

struct MillerMadow {
  double unit = 1;
  static constexpr CriterionInfo info{
      .name = "miller_madow",
      .summary =
          "Information gain with Miller and Madow's correction of each entropy for the rows it "
          "is estimated from.",
      .formula =
          "H'(S) - rho_L H'(L) - rho_R H'(R),  H'(t) = H(t) + (D_t - 1) / (2 n_t ln 2),  D_t "
          "classes of t",
      .reference = "Miller (1955), Note on the Bias of Information Estimates",
      .family = "Bayesian and MDL scores",
      .advice =
          "Like `entropy`, for small nodes: each entropy estimate is corrected for its number of "
          "rows. It mostly matters near the leaves.",
      .is_quasi_convex_of_two =
          true,  // the gain is, and the term jumps up where a class becomes absent
      .counts = true};
  static constexpr bool is_multiway = true;
  /// Every class is on at least one side: the children together have at least as many classes as
  /// the node.
  struct Bound : InformationBound {
    static double min(const BoundNode& node, double score) {
      return score - 1 / (2 * ln2 * node.unit * node.total);
    }
  };

  void prepare(const NodeStatistics& node) { unit = node.unit; }
  double each() const { return 1 / (2 * ln2 * unit); }
  template <class V>
  V of_weight(V weight) const {
    return ComputedLog()(weight) - select(weight > spread<V>(0), spread<V>(each()), spread<V>(0));
  }
  auto of_total(auto total) const { return ComputedLog()(total) - each(); }
  auto combine(const auto& s) const {
    const auto children = s.over_sides([](auto, auto sum, auto at) { return at - sum; });
    return ((s.at_total - s.parent) - children) * (1 / s.total);
  }
};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Gains of upper entropies: the highest entropy that the class shares can have after adding s rows
// of unknown class (the imprecise Dirichlet model). Weights are counts of rows.
#pragma once

#include "criteria/impurity.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Two classes: the smaller one is raised, at most to the level of the larger.
template <class S, class V, class Logs>
V upper_entropy_of_two(const S& side, double s, V even, const Logs& logs) {
  const V more = larger(side[0], side[1]);
  const V raised = select(side[0] > side[1], side[1], side[0]) + s;
  // An integer level below the larger class is a possible node weight, and so in the table.
  if (logs.terms && s == std::floor(s) && !any_above(raised, more)) {
    const V sum = look_up(logs.terms, raised) + look_up(logs.terms, more);
    return V(look_up(logs.totals, side.total) - sum / (side.total + s));
  }
  const V level = select(even > raised, raised, even), at_level = ComputedLog()(level);
  const V sum = select(level > side[0], at_level, logs.of_weight(side[0])) +
                select(level > side[1], at_level, logs.of_weight(side[1]));
  return V(logs.of_total(side.total) - sum / (side.total + s));
}

/// The upper entropy of a side in bits: s raises the smallest weights to a common level.
template <class S, class Logs>
auto upper_entropy(const S& side, double s, const Logs& logs) {
  using V = decltype(side[0] + side[0]);
  const int n = side.size();
  // The level, from above: first as if all classes were below it, then with only those that are.
  V level = (side.total + s) * (1.0 / n);
  if (n == 2) return upper_entropy_of_two(side, s, level, logs);
  for (int round = 1; round < n; ++round) {
    V below = spread<V>(s), count = spread<V>(0);
    for (int k = 0; k < n; ++k) {
      const V weight = side[k];
      below += select(level > weight, weight, spread<V>(0));
      count += select(level > weight, spread<V>(1), spread<V>(0));
    }
    const V lower = below / larger(count, spread<V>(1));
    const V next = select(count > spread<V>(0), lower, level);
    if (!any_above(level, next)) break;
    level = next;
  }
  // Classes raised to the level all weigh the same: one logarithm for them, the others from a
  // table.
  const V at_level = ComputedLog()(level);
  V sum = spread<V>(0);
  for (int k = 0; k < n; ++k) sum += select(level > side[k], at_level, logs.of_weight(side[k]));
  return V(logs.of_total(side.total) - sum / (side.total + s));
}

/// x log2 x of weights and log2(n + s) of sides, from tables where weights are integers.
struct CredalLogs {
  double s = 1;
  const double *terms = nullptr, *totals = nullptr;

  auto of_weight(auto weight) const {
    return terms ? look_up(terms, weight) : ComputedLog()(weight);
  }
  template <class V>
  V of_total(V total) const {
    return totals ? look_up(totals, total) : log2_of(larger(total + s, spread<V>(1e-300)));
  }
};

/// Distributed by the shares p of the node, s moves those of a side towards p, and so the upper
/// entropy of a side is at least H(p + l_t (p_t - p)), l_t = n_t / (n_t + s). With X, the bound of
/// n_L n_R / n times the information gain, the credal gain is at most H*(S) - H(S) + (|l_L - l_R| V
/// sqrt(2 ln 2 X) + max(l_t)^2 X n / (n_L n_R)) / n, where V is the deviation of log2 p_k.
struct CredalBound : InformationBound {
  static void find_statistics(BoundNode& node) {
    constexpr double root_of_two_ln2 = 1.177410022515474691011569326459699;
    const double n = node.total;
    double logs = 0, squares = 0;
    for (int k = 0; k < node.n_classes; ++k) {
      const double p = node.parent[k] / n, log = log2_of(p);
      logs += p * log;
      squares += p * log * log;
    }
    const Side<double, 0> parent{node.parent, 1, node.n_classes, n};
    const double s = node.settings->values[0];
    node.statistics[0] = n * (upper_entropy(parent, s, CredalLogs{s, nullptr, nullptr}) + logs);
    node.statistics[1] =
        root_of_two_ln2 * (square_root(larger(squares - logs * logs, 0.0)) + 1e-12);
  }
  static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
    const double n = node.total, s = node.settings->values[0];
    const double min = score * n - node.statistics[0];
    for (int i = rows.begin; i < rows.end; ++i) {
      const double left = i, right = n - left;
      const double kept_left = left / (left + s), kept_right = right / (right + s);
      const double skew = magnitude(kept_left - kept_right) * node.statistics[1];
      const double kept = larger(kept_left, kept_right);
      const double curve = kept * kept * n / (left * right);
      const double root =
          (square_root(larger(skew * skew + 4 * curve * min, 0.0)) - skew) / (2 * curve);
      needed[i] = root > 0 ? root * root : -1;
    }
  }
};

struct CredalGain {
  double s = 1;
  double unit = 1;
  CredalLogs logs;
  static constexpr auto fields = std::tuple(&CredalGain::s);
  static constexpr CriterionInfo info{
      .name = "credal_gain",
      .aliases = "imprecise_information_gain",
      .summary =
          "Drop of the upper entropy when s rows of unknown class are added to each node: small "
          "noisy nodes are not split. Absent classes of the node take no part (Ramify's).",
      .formula =
          "H*(S) - rho_L H*(L) - rho_R H*(R),  H* = highest entropy of (n_k + s_k) / (n + s), "
          "sum_k s_k = s",
      .reference =
          "Abellán, Moral (2003), Building Classification Trees Using the Total Uncertainty "
          "Criterion",
      .family = "Bayesian and MDL scores",
      .advice =
          "For noisy labels and small samples: nodes in which `s` more rows could change the "
          "result are not split, so trees are smaller. A larger `s` splits less. It does not "
          "correct for the number of cuts tried.",
      .counts = true,
      .parameters = {Parameter{.name = "s", .otherwise = 1, .max = 10}}};
  static bool counts_with(const CriterionSettings& settings) { return settings.values[0] > 0; }
  using Bound = CredalBound;

  void prepare(const NodeStatistics& node) {
    unit = node.unit;
    logs = {s / unit, node.terms, node.totals};
  }
  auto of_weight(auto weight) const { return logs.of_weight(weight); }
  auto of_total(auto total) const { return logs.of_total(total); }
  auto weighted_impurity(const auto& side) const {
    return side.total * upper_entropy(side, s / unit, logs);
  }
};

struct CredalRatio {
  double s = 1;
  double unit = 1, whole = 0;
  CredalLogs logs;
  static constexpr auto fields = std::tuple(&CredalRatio::s);
  static constexpr CriterionInfo info{
      .name = "credal_ratio",
      .aliases = "credal_c45",
      .summary =
          "Credal gain ratio (Credal-C4.5): the drop of the upper entropy, the s rows given to the "
          "branch that is worse for it, over the entropy of the branch sizes.",
      .formula =
          "(H*(S) - m_L H*(L) - m_R H*(R)) / SI,  m_t = n_t / (n + s), the larger H* with s more",
      .reference =
          "Mantas, Abellán (2014), Credal-C4.5: Decision Tree Based on Imprecise Probabilities to "
          "Classify Noisy Data",
      .family = "Bayesian and MDL scores",
      .advice =
          "Credal-C4.5: like `credal_gain`, divided by the entropy of the branch sizes like the "
          "gain ratio. For noisy labels, where you would use C4.5.",
      .counts = true,
      .parameters = {Parameter{.name = "s", .otherwise = 1, .max = 10}}};
  static bool counts_with(const CriterionSettings& settings) { return settings.values[0] > 0; }

  void prepare(const NodeStatistics& node) {
    unit = node.unit;
    logs = {s / unit, node.terms, node.totals};
    if (!node.parent) return;
    const Side<double, 0> parent{node.parent, 1, node.n_classes, node.total};
    whole = upper_entropy(parent, s / unit, logs);
  }
  auto of_weight(auto weight) const { return logs.of_weight(weight); }
  auto of_total(auto total) const { return logs.of_total(total); }
  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    const double rows = s / unit;
    const V left = upper_entropy(cut.left, rows, logs),
            right = upper_entropy(cut.right, rows, logs);
    const V worse = larger(left, right);
    const V children =
        (cut.left.total * left + cut.right.total * right + worse * rows) * (1 / (cut.total + rows));
    const V branches = logs.of_weight(cut.total) - logs.of_weight(cut.left.total) -
                       logs.of_weight(cut.right.total);
    return V((whole - children) / branches * cut.total);
  }
};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Where a treatment works: differences between treated and untreated rows, from their sums.
#pragma once

#include "criteria/power.hpp"

namespace ramify::RAMIFY_KERNELS {

/// Two classes, of which the second is the outcome of interest; each row adds whether it was
/// treated, and whether it was treated and had the outcome.
struct Uplift {
  enum class Kind { kl, ed, chi };
  double kind = 0, prior_weight = 10, normalise = 0;
  NodeStatistics node = {};
  static constexpr auto fields =
      std::tuple(&Uplift::kind, &Uplift::prior_weight, &Uplift::normalise);
  static constexpr int n_extra = 2;
  static constexpr CriterionInfo info{
      .name = "uplift",
      .summary =
          "Rise of the divergence between the outcomes of treated and untreated rows; needs "
          "fit(..., treatment=) and two classes, of which the second is the outcome. Shares are "
          "drawn to those of the node by `prior_weight` rows (Ramify's).",
      .formula =
          "rho_L D(L) + rho_R D(R) - D(S),  p treated, q untreated share of the outcome\n"
          "kl: p ln(p/q) + (1-p) ln((1-p)/(1-q));  ed: 2 (p-q)^2;  chi: (p-q)^2/q + (p-q)^2/(1-q)",
      .reference =
          "Rzepakowski, Jaroszewicz (2012), Decision Trees for Uplift Modeling with Single and "
          "Multiple Treatments",
      .family = "uplift",
      .advice =
          "To find who benefits from a treatment, not who has the outcome: pass `fit(X, y, "
          "treatment=...)` of a randomised trial with two outcomes. `kind='kl'` is the default; "
          "'ed' is more stable with rare outcomes. `predict_uplift` returns the difference in the "
          "leaf of a row. Set `min_samples_leaf` high: differences of shares are noisy.",
      .counts = true,
      .parameters = {Parameter{.name = "kind", .kind = Parameter::Kind::word, .words = "kl ed chi"},
                     Parameter{.name = "prior_weight", .otherwise = 10, .max = 1e9},
                     Parameter{.name = "normalise", .kind = Parameter::Kind::flag}}};
  static bool counts_with(const CriterionSettings& settings) { return settings.values[1] > 0; }

  void prepare(const NodeStatistics& statistics) { node = statistics; }

  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    const V refused = spread<V>(-std::numeric_limits<double>::infinity());
    if (!node.extra || cut.size() != 2) return refused;
    const double treated = node.extra[0], treated_yes = node.extra[1];
    const double control = node.total - treated, control_yes = node.parent[1] - treated_yes;
    if (!(treated > 0) || !(control > 0)) return refused;
    const double p = treated_yes / treated, q = control_yes / control;
    if (kind != static_cast<double>(Kind::ed) && !(q > 0 && q < 1)) return refused;
    const std::ptrdiff_t at = cut.left.weight - node.left;
    const V left_treated = load<V>(node.extra_left + at);
    const V left_yes = load<V>(node.extra_left + cut.left.stride + at);
    const V left_control = cut.left.total - left_treated;
    const V left_control_yes = cut.left[1] - left_yes;
    const double m = prior_weight / node.unit;
    const auto side = [&](V n_treated, V yes, V n_control, V yes_control) {
      const V tiny = spread<V>(1e-300);
      return divergence(V((yes + m * p) / larger(V(n_treated + m), tiny)),
                        V((yes_control + m * q) / larger(V(n_control + m), tiny)));
    };
    const V left = side(left_treated, left_yes, left_control, left_control_yes);
    const V right = side(treated - left_treated, treated_yes - left_yes, control - left_control,
                         control_yes - left_control_yes);
    V score =
        (cut.left.total * left + cut.right.total * right) * (1 / node.total) - divergence(p, q);
    if (normalise != 0) score = score / correction(left_treated, treated, left_control, control);
    const V min = smaller(smaller(left_treated, V(treated - left_treated)),
                          smaller(left_control, V(control - left_control)));
    return select(min > spread<V>(0), score, refused);
  }

 private:
  template <class V>
  static V smaller(V a, V b) {
    return select(a > b, b, a);
  }
  template <class V>
  V divergence(V p, V q) const {
    const V gap = p - q, tiny = spread<V>(1e-300);
    if (kind == static_cast<double>(Kind::ed)) return V(2.0 * gap * gap);
    const V no = 1.0 - q;
    if (kind == static_cast<double>(Kind::chi))
      return V(gap * gap / larger(q, tiny) + gap * gap / larger(no, tiny));
    const auto part = [&](V a, V b) {
      const V logs = log2_of(larger(a, tiny)) - log2_of(larger(b, tiny));
      return select(a > spread<V>(0), V(a * logs * ln2), spread<V>(0));
    };
    return part(p, q) + part(V(1.0 - p), no);
  }
  /// Entropy of a share and the rest in nats; Gini where distances are squared.
  template <class V>
  V mixed(V share) const {
    const V rest = 1.0 - share;
    if (kind != static_cast<double>(Kind::kl)) return V(2.0 * share * rest);
    const ComputedLog xlogx;
    return V((xlogx(share) + xlogx(rest)) * -ln2);
  }
  /// Penalises cuts that separate the treated from the others.
  template <class V>
  V correction(V left_treated, double treated, V left_control, double control) const {
    const double of_treated = treated / node.total, of_control = control / node.total;
    const V a = left_treated * (1 / treated), b = left_control * (1 / control);
    return mixed(of_treated) * divergence(a, b) + of_treated * mixed(a) + of_control * mixed(b) +
           0.5;
  }
};

}  // namespace ramify::RAMIFY_KERNELS

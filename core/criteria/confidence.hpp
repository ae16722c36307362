// SPDX-License-Identifier: BSD-3-Clause
// Criteria of class confidence proportions (CCP): impurities of the share of each class that a
// child receives, rather than of its share in the child. Proofs of the bounds are in
// docs/design/bounds.md.
#pragma once

#include "criteria/distance.hpp"

namespace ramify::RAMIFY_KERNELS {

/// What replaces p(k | child) with more than two classes. One against the rest is eq. 8 of Akash et
/// al. (2019); the proportions of a child do not add up to 1 then, so that the Gini index sum q (1
/// - q) and the literal 1 - sum q^2 differ. Normalised ones add up.
enum class Multiclass { one_vs_rest, literal, normalised };
inline constexpr Parameter multiclass_parameter{
    .name = "multiclass", .kind = Parameter::Kind::word, .words = "one_vs_rest literal normalised"};
inline bool is_literal(double multiclass) {
  return multiclass == static_cast<double>(Multiclass::literal);
}
inline bool is_normalised(double multiclass) {
  return multiclass == static_cast<double>(Multiclass::normalised);
}

/// For class k against the rest: q = r_tk / (r_tk + r_t,rest) with r the share of a group that goes
/// to this side.
template <class C, class S>
auto confidence(const C& cut, const S& side, int k) {
  const double odds = cut.parent[k] / (cut.total - cut.parent[k]);
  return side[k] / (side[k] + (side.total - side[k]) * odds);
}

/// Normalised over the classes: q_tk = r_tk / sum_j r_tj with r_tk = n_tk / n_k. With two classes
/// this is one against the rest.
template <class C, class S>
struct NormalisedConfidence {
  const C& cut;
  const S& side;
  typename C::Value per_sum;

  NormalisedConfidence(const C& whole, const S& part) : cut(whole), side(part) {
    auto sum = side[0] * (1 / cut.parent[0]);
    for (int k = 1; k < cut.size(); ++k) sum += side[k] * (1 / cut.parent[k]);
    per_sum = 1.0 / sum;
  }
  auto operator[](int k) const { return side[k] * (1 / cut.parent[k]) * per_sum; }
};

/// The weighted sum over both sides and all classes of a term of q.
template <class C, class Term>
auto sum_normalised(const C& cut, Term term) {
  const auto of_side = [&](const auto& side) {
    const NormalisedConfidence q{cut, side};
    auto sum = term(q[0]);
    for (int k = 1; k < cut.size(); ++k) sum += term(q[k]);
    return side.total * sum;
  };
  return of_side(cut.left) + of_side(cut.right);
}
template <class C, class Term>
auto sum_one_vs_rest(const C& cut, Term term) {
  const auto of_side = [&](const auto& side) {
    auto sum = term(confidence(cut, side, 0));
    for (int k = 1; k < cut.size(); ++k) sum += term(confidence(cut, side, k));
    return side.total * sum;
  };
  return of_side(cut.left) + of_side(cut.right);
}

/// What the bounds of both criteria share. For one class against the rest, 2 q - 1 = (x - p) / (p +
/// x (1 - 2p)) with x = p_tk and p = p_k, so that a term over (x - p)^2 is not constant between x =
/// p and x = 0. With two classes both terms are equal: the rarer class stands for both.
struct ConfidenceBound {
  /// A factor, and its relative growth towards where the class is absent.
  struct Bent {
    double factor, bend = 0;
  };

  static bool is_normalised_of_many(const BoundNode& node) {
    return is_normalised(node.settings->values[0]) && node.n_classes > 2;
  }
  static bool is_spoken_for(const BoundNode& node, int k) {
    const double own = node.parent[k], other = node.parent[1 - k];
    return own > other || (own == other && k == 1);
  }

  /// Normalised: with Q^2 = sum_k (D_k / N_k)^2 and y = Q^2 / K, the squared distance of q_t from
  /// equal shares is at most y / (rho_t^2 - y) / K: r_tk is rho_t + D_k / N_k on the left, and the
  /// more the deviations add up to, the less they differ. The weighted sum is at most (y / K) (a /
  /// b) / (a^2 - y), where a is the smaller of rho_L and rho_R, and b the other. It is also at most
  /// (max p)^2 Q^2 / (a b), since the sum of r_tk is at least rho_t / max p.
  static Bent of_distance(double p) { return {1 / (p * p)}; }
  static void find_statistics(BoundNode& node) {
    double largest = 0;
    for (int k = 0; k < node.n_classes; ++k) largest = std::fmax(largest, node.parent[k]);
    node.statistics[0] = (node.total / largest) * (node.total / largest);
  }
  static void fill_distances(const BoundNode& node, double score, RowRange rows, double* needed) {
    const double n = node.total, wanted = larger(score, 0.0) * node.n_classes;
    for (int i = rows.begin; i < rows.end; ++i) {
      const double left = i / n, a = left < 0.5 ? left : 1 - left;
      const double by_sum = n * n * node.n_classes * wanted * a * a / (a / (1 - a) + wanted);
      needed[i] = larger(by_sum, n * n * a * (1 - a) * score * node.statistics[0]);
    }
  }
};

/// The members of a bound, from those of a criterion: `of_pair(p)` for two classes, `of_rest(p,
/// multiclass)` for a class against the rest, and `distance(node, score)`, the normalised distance
/// that a score needs.
template <class Own>
struct ConfidenceBoundOf : ConfidenceBound {
  static Bent at(const BoundNode& node, int k) {
    const double p = node.share(k);
    if (node.n_classes == 2) return is_spoken_for(node, k) ? Bent{0} : Own::of_pair(p);
    if (is_normalised_of_many(node)) return of_distance(p);
    return Own::of_rest(p, node.settings->values[0]);
  }
  static double factor(const BoundNode& node, int k) { return at(node, k).factor; }
  static double bend(const BoundNode& node, int k) { return at(node, k).bend; }
  static double min(const BoundNode& node, double score) {
    return is_normalised_of_many(node) ? Own::distance(node, score) * node.statistics[0] : score;
  }
  static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
    if (is_normalised_of_many(node))
      fill_distances(node, Own::distance(node, score), rows, needed);
    else
      fill_by(node, rows, needed, [&](double, double) { return score; });
  }
};

struct ConfidenceEntropy {
  double multiclass = 0;
  static constexpr auto fields = std::tuple(&ConfidenceEntropy::multiclass);
  static constexpr CriterionInfo info{
      .name = "ccp_entropy",
      .summary =
          "Entropy of class confidence proportions, which discount the priors; ties by Hellinger "
          "distance. Many classes: each against the rest, or normalised over the classes.",
      .formula =
          "K/2 + sum_t rho_t sum_k q_tk log2 q_tk,  q_tk = r_tk / (r_tk + (n_t - n_tk) / (n - "
          "n_k)),  r_tk = n_tk / n_k",
      .reference =
          "Liu, Chawla, Cieslak, Chawla (2010), A Robust Decision Tree Algorithm for Imbalanced "
          "Data Sets; as in Akash, Kadir, Ali, Shoyaib (2019), Inter-node Hellinger Distance "
          "based Decision Tree, eqs. 8 and 9",
      .family = "branch distributions",
      .advice =
          "On imbalanced data, when rare classes should count as much as frequent ones without "
          "weights or resampling. The branch sizes still depend on the priors, so it is less "
          "extreme than `hellinger`. With more than two classes the confidence of a class is "
          "compared with that of all the others, as in eq. 8 of Akash et al. (2019): the "
          "proportions of a child do not add up to 1, and the entropy is computed from them "
          "unchanged (`multiclass=\"literal\"` is the same). `multiclass=\"normalised\"` divides "
          "by their sum over the classes, which was the definition up to 0.1 and ranks about one "
          "pair of cuts in twenty differently. With two classes all variants are equal.",
      .parameters = {multiclass_parameter}};
  using TieBreak = Hellinger;
  struct Bound : ConfidenceBoundOf<Bound> {
    static constexpr double half_bits = 0.721347520444481703679962340503;  // 1 / (2 ln 2)
    static constexpr double lean = half_bits - 0.5;  // half the slope of q log2 q at q = 1/2

    /// 1 - H(q) over (2q - 1)^2 grows from 1 / (2 ln 2) to 1, along a convex curve.
    static Bent of_pair(double p) {
      const double middle = 2 * p * (1 - p), at_absent = 1 / (p * p);
      const double factor = (p < 0.4 ? half_bits : 1) / (middle * middle);
      return {factor, at_absent / factor - 1};
    }
    static Bent of_rest(double p, double) {
      const double middle = 2 * p * (1 - p), rest = 1 - p;
      if (p >= 0.5)
        return {larger(half_bits / 2 / (rest * rest), half_bits / (p * p)) +
                lean * (2 * p - 1) / (middle * rest)};
      const double factor = (half_bits / 2 - lean * (1 - 2 * p)) / (middle * middle);
      return {factor, (half_bits - lean * (1 - 2 * p) / (2 * rest)) / (p * p * factor) - 1};
    }
    /// The divergence of q from equal shares is at most log2(1 + K times their squared distance).
    static double distance(const BoundNode& node, double score) {
      return (exp2_of(larger(score, 0.0)) - 1) / node.n_classes;
    }
  };

  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    const ComputedLog xlogx;
    if (cut.size() == 2 || is_normalised(multiclass))
      return V(log2_of(static_cast<double>(cut.size())) + sum_normalised(cut, xlogx) / cut.total);
    return V(0.5 * cut.size() + sum_one_vs_rest(cut, xlogx) / cut.total);
  }
};

struct ConfidenceGini {
  double multiclass = 0;
  static constexpr auto fields = std::tuple(&ConfidenceGini::multiclass);
  static constexpr CriterionInfo info{
      .name = "ccp_gini",
      .summary =
          "Gini of class confidence proportions, which discount the priors; ties by Hellinger "
          "distance. Many classes: each against the rest, or normalised over the classes.",
      .formula =
          "K/4 - sum_t rho_t sum_k q_tk (1 - q_tk),  q_tk = r_tk / (r_tk + (n_t - n_tk) / (n - "
          "n_k)),  r_tk = n_tk / n_k",
      .reference =
          "Liu, Chawla, Cieslak, Chawla (2010), A Robust Decision Tree Algorithm for Imbalanced "
          "Data Sets; as in Akash, Kadir, Ali, Shoyaib (2019), Inter-node Hellinger Distance "
          "based Decision Tree, eqs. 8 and 9",
      .family = "branch distributions",
      .advice =
          "Like `ccp_entropy`, with the Gini impurity instead of entropy, and without logarithms. "
          "One-against-rest proportions do not add up to 1, so the two forms of the Gini index "
          "differ with more than two classes. The default is `sum_k q_k (1 - q_k)`, which is "
          "never negative. `multiclass=\"literal\"` is `1 - sum_k q_k^2`: of the two splits in "
          "the example of Akash et al. (2019) it prefers the less exclusive one, and a cut may "
          "score below zero. `multiclass=\"normalised\"`, the definition up to 0.1, normalises "
          "the proportions, so both forms are equal. With two classes all variants are equal.",
      .parameters = {multiclass_parameter}};
  using TieBreak = Hellinger;
  struct Bound : ConfidenceBoundOf<Bound> {
    static Bent of_pair(double p) {
      const double middle = 2 * p * (1 - p);
      return {0.5 / (middle * middle), 4 * (1 - p) * (1 - p) - 1};
    }
    static Bent of_rest(double p, double multiclass) {
      const double middle = 2 * p * (1 - p), rest = 1 - p;
      if (is_literal(multiclass))
        return {p <= 0.5 ? 0.5 / middle : (3 * p - 1) / (2 * middle * rest)};
      if (p >= 0.5) return {0.25 / (rest * rest)};
      return {0.25 / (middle * middle), 4 * rest * rest - 1};
    }
    static double distance(const BoundNode&, double score) { return score; }
  };

  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    if (cut.size() == 2 || is_normalised(multiclass))
      return V(sum_normalised(cut, [](V q) { return q * q; }) / cut.total - 1.0 / cut.size());
    if (is_literal(multiclass))
      return V(sum_one_vs_rest(cut, [](V q) { return q * q - 0.25; }) / cut.total);
    return V(sum_one_vs_rest(cut, [](V q) { return (q - 0.5) * (q - 0.5); }) / cut.total);
  }
};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Criteria that measure how far apart the class distributions of the children are, from each other
// or from the parent.
#pragma once

#include "criteria/impurity.hpp"

namespace ramify::RAMIFY_KERNELS {

/// sum_k |p_Lk - p_Rk|
template <class C>
auto mixture_distance(const C& cut) {
  const auto per_left = 1.0 / cut.left.total, per_right = 1.0 / cut.right.total;
  auto sum = magnitude(cut.left[0] * per_left - cut.right[0] * per_right);
  for (int k = 1; k < cut.size(); ++k)
    sum += magnitude(cut.left[k] * per_left - cut.right[k] * per_right);
  return sum;
}

struct Twoing {
  static constexpr CriterionInfo info{
      .name = "twoing",
      .summary = "Rewards children that differ in class mixture, and balance between them.",
      .formula = "(rho_L rho_R / 4) (sum_k |p_Lk - p_Rk|)^2",
      .reference = "Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees",
      .family = "distance times balance",
      .advice =
          "With many classes, when the upper levels should separate groups of similar classes. "
          "With two classes it is exactly half the Gini gain and grows the same tree.",
      .is_quasi_convex = true};
  struct Bound : ScoreBound {
    static constexpr auto norm = DeviationNorm::magnitudes;
    static double factor(const BoundNode&, int) { return 0.25; }
  };

  auto gain(const auto& cut) const {
    const auto distance = mixture_distance(cut);
    return cut.left.total * cut.right.total / (4 * cut.total * cut.total) * (distance * distance);
  }
};

struct CartMeasure {
  static constexpr CriterionInfo info{
      .name = "cart_measure",
      .summary = "Like twoing, with the distance not squared.",
      .formula = "2 rho_L rho_R sum_k |p_Lk - p_Rk|",
      .reference = "Zaki, Meira (2020), Data Mining and Machine Learning, chapter 19",
      .family = "distance times balance",
      .advice =
          "To follow the textbook it comes from. With two classes it ranks cuts by the difference "
          "between the shares of the two classes that go left. Unlike `twoing` it does not square "
          "the distance, so other cuts win.",
      .is_quasi_convex = true};
  struct Bound {
    static constexpr auto norm = DeviationNorm::magnitudes;
    static double factor(const BoundNode&, int) { return 4; }
    /// n^2 is at least 4 n_L n_R.
    static double min(const BoundNode&, double score) {
      return score > 0 ? 4 * score * score : score;
    }
    static void fill(const BoundNode& node, double score, RowRange rows, double* needed) {
      const double min = score > 0 ? score * node.total : 0;
      for (int i = rows.begin; i < rows.end; ++i) needed[i] = min * min;
    }
  };

  auto gain(const auto& cut) const {
    return cut.left.total * cut.right.total / (cut.total * cut.total / 2) * mixture_distance(cut);
  }
};

/// How more than two classes become comparisons of two groups: one against the others pooled, or
/// against another one; the best comparison, or the mean.
enum class Mode { ovr_max, ovo_max, ovr_mean, ovo_mean };
constexpr Parameter mode_parameter(Mode otherwise) {
  return {.name = "mode",
          .kind = Parameter::Kind::word,
          .otherwise = static_cast<double>(otherwise),
          .words = "ovr_max ovo_max ovr_mean ovo_mean"};
}
inline bool is_mean(double mode) {
  return mode == static_cast<double>(Mode::ovr_mean) || mode == static_cast<double>(Mode::ovo_mean);
}
inline bool is_pairwise(double mode) {
  return mode == static_cast<double>(Mode::ovo_max) || mode == static_cast<double>(Mode::ovo_mean);
}

/// A group of classes: its weight on the left, and in the node.
template <class V>
struct Group {
  V left;
  double whole;
};

/// distance(group, group) over the comparisons of a mode.
template <class C, class Distance>
auto over_groups(const C& cut, double mode, Distance distance) {
  using V = typename C::Value;
  const int n = cut.size();
  const auto class_of = [&](int k) { return Group<V>{cut.left[k], cut.parent[k]}; };
  const auto rest_of = [&](int k) {
    return Group<V>{cut.left.total - cut.left[k], cut.total - cut.parent[k]};
  };
  // With two classes there is one comparison.
  if (n == 2) return V(distance(class_of(0), rest_of(0)));
  V best = spread<V>(0), sum = best;
  const auto add = [&](V value, bool is_first) {
    best = is_first ? value : larger(best, value);
    sum += value;
  };
  int n_comparisons = n;
  if (is_pairwise(mode)) {
    n_comparisons = n * (n - 1) / 2;
    for (int k = 0; k < n; ++k)
      for (int l = k + 1; l < n; ++l) add(distance(class_of(k), class_of(l)), k == 0 && l == 1);
  } else {
    for (int k = 0; k < n; ++k) add(distance(class_of(k), rest_of(k)), k == 0);
  }
  return is_mean(mode) ? V(sum * (1.0 / n_comparisons)) : best;
}

struct Hellinger {
  double mode = 0;
  static constexpr auto fields = std::tuple(&Hellinger::mode);
  static constexpr CriterionInfo info{
      .name = "hellinger",
      .summary =
          "Hellinger distance between class-conditional branch distributions; priors cancel. Many "
          "classes: the best "
          "one against the rest, or another mode; only those of pairs (ovo) ignore the priors "
          "then.",
      .formula = "max_k sqrt( sum_t (sqrt(n_tk / n_k) - sqrt((n_t - n_tk) / (n - n_k)))^2 )",
      .reference =
          "Cieslak, Hoens, Chawla, Kegelmeyer (2012), Hellinger distance decision trees are robust "
          "and skew-insensitive",
      .family = "branch distributions",
      .advice =
          "On imbalanced data. With two classes, multiplying the weight of one class changes no "
          "score, so class weights and resampling do not affect the splits. With many classes the "
          "best class against the rest decides, and cuts that differ only in other classes tie.",
      .is_quasi_convex = true,
      .parameters = {mode_parameter(Mode::ovr_max)}};
  static bool is_quasi_convex_with(const CriterionSettings& settings) {
    return !is_mean(settings.values[0]);
  }
  static bool ignores_class_weights_with(const CriterionSettings& settings) {
    return is_pairwise(settings.values[0]);
  }
  struct Bound {
    static constexpr auto norm = DeviationNorm::largest;
    /// With u and v, the shares of the class and of the rest that go to a side, over that of all: 1
    /// / (sqrt u + sqrt v)^2 is convex, 1/4 where they are equal, 1 - p or p where one is 0.
    static double at_equal(double p) { return p > 0.25 ? p : 0.25; }
    static double factor(const BoundNode& node, int k) {
      const double p = node.share(k);
      return at_equal(p) / (p * (1 - p) * p * (1 - p));
    }
    static double bend(const BoundNode& node, int k) {
      const double p = node.share(k);
      return std::fmax(0, (1 - p) / at_equal(p) - 1);
    }
    static double min(const BoundNode&, double score) { return score > 0 ? score * score : score; }
    /// A mean is at most the best; pairs of classes are different comparisons.
    static bool holds(const CriterionSettings& settings) {
      return !is_pairwise(settings.values[0]);
    }
  };

  template <class C>
  auto gain(const C& cut) const {
    using V = typename C::Value;
    const auto squared = [](const Group<V>& a, const Group<V>& b) {
      const double per_a = 1 / a.whole, per_b = 1 / b.whole;
      const V left = square_root(a.left * per_a) - square_root(b.left * per_b);
      const V right =
          square_root((a.whole - a.left) * per_a) - square_root((b.whole - b.left) * per_b);
      return V(left * left + right * right);
    };
    if (!is_mean(mode)) return square_root(over_groups(cut, mode, squared));
    return over_groups(cut, mode, [&](const Group<V>& a, const Group<V>& b) {
      return square_root(squared(a, b));
    });
  }
};

/// Affinity of a side to its parent: sum_k sqrt(n_k n_tk).
template <class C, class S>
auto affinity(const C& cut, const S& side) {
  auto sum = square_root(cut.parent[0] * side[0]);
  for (int k = 1; k < cut.size(); ++k) sum += square_root(cut.parent[k] * side[k]);
  return sum;
}

struct InterNodeHellinger {
  static constexpr CriterionInfo info{
      .name = "ihd",
      .summary = "Squared Hellinger distance of the children's class mixtures from the parent's.",
      .formula = "rho_L D2(L) + rho_R D2(R),  D2(t) = 1 - sum_k sqrt(p_tk p_k)",
      .reference =
          "Akash, Kadir, Ali, Shoyaib (2019), Inter-node Hellinger Distance based Decision Tree",
      .family = "children against the parent",
      .advice =
          "With several classes, balanced or not: it uses the mixture of all classes, where "
          "`hellinger` compares one with the rest.",
      .is_quasi_convex = true};
  struct Bound : ScoreBound {
    static double factor(const BoundNode& node, int k) { return node.total / node.parent[k] / 8; }
    static double bend(const BoundNode&, int) { return 3; }
  };

  auto term(auto weight, double in_parent) const { return square_root(in_parent * weight); }
  template <class V>
  V combine(const ClassSums<V>& s) const {
    const V both = square_root(s.total_left) * s.left + square_root(s.total_right) * s.right;
    return 1 - both / (s.total * square_root(s.total));
  }
};

struct WeightedInterNodeHellinger {
  static constexpr CriterionInfo info{
      .name = "ihdw",
      .summary = "iHD, with less credit for a child that keeps a large part of every class.",
      .formula = "sum_t rho_t D2(t) (1 - prod_k n_tk / n_k),  D2(t) = 1 - sum_k sqrt(p_tk p_k)",
      .reference =
          "Akash, Kadir, Ali, Shoyaib (2019), Inter-node Hellinger Distance based Decision Tree",
      .family = "children against the parent",
      .advice =
          "Like `ihd`, to avoid splitting small pieces off a large node: a child that keeps most "
          "of every class gets less credit."};
  using Bound = InterNodeHellinger::Bound;  // the penalty only lowers the score

  auto gain(const auto& cut) const { return part(cut, cut.left) + part(cut, cut.right); }

 private:
  template <class C, class S>
  static auto part(const C& cut, const S& side) {
    auto kept = side[0] * (1 / cut.parent[0]);
    for (int k = 1; k < cut.size(); ++k) kept = kept * (side[k] * (1 / cut.parent[k]));
    const auto distance = 1 - affinity(cut, side) / square_root(side.total * cut.total);
    return side.total / cut.total * distance * (1 - kept);
  }
};

}  // namespace ramify::RAMIFY_KERNELS

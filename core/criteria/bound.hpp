// SPDX-License-Identifier: BSD-3-Clause
// A cheap upper bound of a score, from how far the class weights on the left of a cut deviate from
// their expected share. The proofs are in docs/design/bounds.md.
#pragma once

#include <cstdint>

#include "criteria/parameter.hpp"
#include "simd/pack.hpp"

namespace ramify {

/// How the deviations D_k = L_k - n_L N_k / n of all classes become one number.
enum class DeviationNorm {
  squares,     // sum_k factor_k D_k^2
  magnitudes,  // (sum_k sqrt(factor_k) |D_k|)^2
  largest      // max_k factor_k D_k^2
};

/// A node as a bound sees it.
struct BoundNode {
  const double* parent = nullptr;  // weights of the classes that occur
  int n_classes = 2;
  double total = 0;
  double unit = 1;  // number of rows that a weight of 1 stands for
  const CriterionSettings* settings = nullptr;
  // Only where weights are counts: the tables of `fill_sides` for 0, 1, ... rows of a side, and of
  // a class.
  const double *sides = nullptr, *terms = nullptr;
  const std::uint32_t* classes = nullptr;  // the index of each among the classes of the data
  double statistics[4] = {};               // set by `find_statistics`

  double share(int k) const { return parent[k] / total; }
  /// The sum of the squared class weights.
  double squares() const {
    double sum = 0;
    for (int k = 0; k < n_classes; ++k) sum += parent[k] * parent[k];
    return sum;
  }
};

/// Numbers of rows on the left of cuts: begin .. end - 1.
struct RowRange {
  int begin, end;
};

/// A score of at least s needs norm(D) >= min(s) n_L n_R; and, where weights are counts, what
/// `fill` writes for each number of rows on the left. A criterion with such a bound has a member
/// `Bound`; cuts that cannot matter are not scored then.
struct DeviationBound {
  DeviationNorm norm = DeviationNorm::squares;
  bool is_cumulative = false;   // D_k is that of the classes up to the k-th
  bool of_all_classes = false;  // it holds for cuts with all classes on both sides
  /// Factor of the k-th class.
  double (*factor)(const BoundNode&, int k) = nullptr;
  /// Relative growth of the factor on the side where a class is rarer, linear from where the class
  /// is as frequent as in the node to where it is absent. Null: none.
  double (*bend)(const BoundNode&, int k) = nullptr;
  double (*min)(const BoundNode&, double score) = nullptr;  // null: there is no simple form
  /// Writes what a score needs, by the number of rows on the left. Null: as given by `min`.
  void (*fill)(const BoundNode&, double score, RowRange, double* needed) = nullptr;
  /// The same for a criterion that breaks ties by a second measure: to exceed a score, or to tie
  /// with it and reach that measure. Null: to reach the score.
  void (*fill_tied)(const BoundNode&, double score, double tie, RowRange, double* needed) = nullptr;
  /// Called once per node to compute `statistics`. Null: none are needed.
  void (*find_statistics)(BoundNode&) = nullptr;
  /// Called once per number of classes: the table that `fill` needs for sides of 0 .. n - 1 rows;
  /// behind it follows one of the same size for classes.
  void (*fill_sides)(const CriterionSettings&, int n_classes, int n, double* out) = nullptr;
  /// Whether the bound holds with these parameters. Null: always.
  bool (*holds)(const CriterionSettings& settings) = nullptr;

  explicit operator bool() const { return factor != nullptr; }
};

namespace RAMIFY_KERNELS {

/// For criteria whose score is at most norm(D) / (n_L n_R).
struct ScoreBound {
  static double min(const BoundNode&, double score) { return score; }
};

/// Writes n_L n_R min(n_L, n_R).
template <class Min>
void fill_by(const BoundNode& node, RowRange rows, double* needed, Min min) {
  const double n = node.total;
  for (int i = rows.begin; i < rows.end; ++i) {
    const double left = i, right = n - left;
    needed[i] = left * right * min(left, right);
  }
}

/// The same with constant + slope (sides[n_L] + sides[n_R]).
inline void fill_by_sides(const BoundNode& node, RowRange rows, double constant, double slope,
                          double* needed) {
  const double n = node.total, *sides = node.sides, *others = sides + static_cast<int>(n);
  for (int i = rows.begin; i < rows.end; ++i) {
    const double left = i;
    needed[i] = left * (n - left) * (constant + slope * (sides[i] + *(others - i)));
  }
}

/// For information gains: x log2 x over (x - p)^2 is highest at x = 0, where it is 1 / (p ln 2),
/// and half of it at p.
struct InformationBound {
  static double factor(const BoundNode& node, int k) {
    return 0.721347520444481703679962340503 * node.total / node.parent[k];
  }
  static double bend(const BoundNode&, int) { return 1; }
};

}  // namespace RAMIFY_KERNELS
}  // namespace ramify

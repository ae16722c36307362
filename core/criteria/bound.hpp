// SPDX-License-Identifier: BSD-3-Clause
// A cheap bound of a score, by how far the classes on the left of a cut are from their share. The
// proofs are in docs/design/bounds.md.
#pragma once

#include <cstdint>

#include "criteria/parameter.hpp"
#include "simd/pack.hpp"

namespace ramify {

/// How the deviations D_k = L_k - n_L N_k / n of all classes become one number.
enum class DeviationNorm {
  squares,     // sum_k factor_k D_k^2
  magnitudes,  // (sum_k sqrt(factor_k) |D_k|)^2
  largest,     // max_k factor_k D_k^2
  evidence     // see InformationValue: of more than two classes, and of numbers of rows only
};

/// A node as a bound sees it.
struct BoundNode {
  const double* parent = nullptr;  // weights of the classes that occur
  int n_classes = 2;
  double total = 0;
  double unit = 1;  // what a weight of 1 is worth
  const CriterionSettings* settings = nullptr;
  // Only where weights are numbers of rows: what `fill_sides` made of 0, 1, ... rows of a side, and
  // of a class.
  const double *sides = nullptr, *terms = nullptr;
  const std::uint32_t* classes = nullptr;  // the place of each among the classes of the data
  double statistics[4] = {};               // what `find_facts` found
};

/// Numbers of rows on the left of cuts: from `begin` up to the one before `end`.
struct RowRange {
  int begin, end;
};

/// A score of at least s needs norm(D) >= least(s) n_L n_R; and, where weights are numbers of rows,
/// what `fill` says for each number of them on the left. A criterion that has such a bound says so
/// by a member `Bound`; cuts that cannot matter are not scored then.
struct DeviationBound {
  DeviationNorm norm = DeviationNorm::squares;
  bool is_cumulative = false;   // D_k is that of the classes up to the k-th
  bool of_all_classes = false;  // it holds for cuts with all classes on both sides
  /// Of the k-th class.
  double (*factor)(const BoundNode&, int k) = nullptr;
  /// By how much the factor grows, as a share of itself, on the side that a class is rarer on, from
  /// where it is as frequent as in the node to where it is absent: linearly. Null: not at all.
  double (*bend)(const BoundNode&, int k) = nullptr;
  double (*min)(const BoundNode&, double score) = nullptr;  // null: there is no simple form
  /// Writes what is needed by the number of rows on the left. Null: as `least` says.
  void (*fill)(const BoundNode&, double score, RowRange, double* needed) = nullptr;
  /// The same for a criterion that settles ties by a second measure: to reach more than a score, or
  /// to tie with it and reach that measure. Null: to reach the score.
  void (*fill_tied)(const BoundNode&, double score, double tie, RowRange, double* needed) = nullptr;
  /// Once per node: what the others want to know of it. Null: nothing.
  void (*find_statistics)(BoundNode&) = nullptr;
  /// Once per number of classes: what `fill` wants to know of a side of 0 .. n - 1 rows; behind it
  /// is room for as much about a class.
  void (*fill_sides)(const CriterionSettings&, int n_classes, int n, double* out) = nullptr;
  /// Does it hold with these parameters? Null: it always does.
  bool (*holds)(const CriterionSettings& settings) = nullptr;

  explicit operator bool() const { return factor != nullptr; }
};

namespace RAMIFY_KERNELS {

/// Writes n_L n_R least(n_L, n_R).
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

/// Of information gains: x log2 x over (x - p)^2 is highest at x = 0, where it is 1 / (p ln 2), and
/// half of it at p.
struct InformationBound {
  static double factor(const BoundNode& node, int k) {
    return 0.721347520444481703679962340503 * node.total / node.parent[k];
  }
  static double bend(const BoundNode&, int) { return 1; }
};

}  // namespace RAMIFY_KERNELS
}  // namespace ramify

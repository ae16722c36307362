// SPDX-License-Identifier: BSD-3-Clause
// When is a split certainly not chance, and when is a column certainly the best? The bounds of
// docs/design/online_bounds.md. Gains are in the units of their criterion, information in nats.
#pragma once

#include <cstddef>
#include <span>

namespace ramify::online {

/// Which deviation of a gain from its expectation is bounded: from that of gains of n rows (I), or
/// of all rows (II), which the gains of n rows exceed on average.
enum class GainType { of_n_rows = 1, of_all_rows = 2 };

/// The impurities whose gains change by a bounded amount when one row is replaced.
enum class BoundedImpurity { gini, entropy, misclassification };

/// Weights by side and class: n rows of a node, on the left and on the right.
struct SideTable {
  std::span<const double> left, right;
};

/// n I, the information of side and class in the table of n rows, times n.
double information(const SideTable& table);

/// The x above m with exp(-x) (e x / m)^m = p, given log p: theorem 1. At most m if p is 1.
double tail(double log_p, double m);

/// What a leaf has to spend on one column at its j-th attempt: log(delta / (j (j + 1) d)).
double log_share(double delta, double attempt, double n_columns);

/// What `information` must exceed for a cut of a column with so many cuts; K' classes are present.
double needed_for_cut(double log_p, double n_classes, double n_cuts, bool has_missing);
/// The same for a subset of categories, one of which may be "missing".
double needed_for_subset(double log_p, double n_classes, double n_categories);

/// Domingos and Hulten (2000): a heuristic, since a gain is no mean of independent terms.
double hoeffding(double range, double log_p, double n);

/// How much n times the difference of two gains can change when one of n rows is replaced.
double largest_change(BoundedImpurity impurity, double n);
/// What the difference of two gains must exceed, by McDiarmid's inequality.
double mcdiarmid(BoundedImpurity impurity, GainType type, double log_p, double n, double n_classes);

/// The z that a normal variable exceeds with this probability.
double normal_quantile(double log_p);

/// Sums of numbers on one side of a split.
struct NumberSums {
  double n = 0, sum = 0, squares = 0;
};
/// Theorem 2: the logarithm of half the bound on the chance that sums of numbers differ as much as
/// those of two sides, if sides are independent of the numbers, which lie in a range.
double log_chance(const NumberSums& left, const NumberSums& right, double range);

}  // namespace ramify::online

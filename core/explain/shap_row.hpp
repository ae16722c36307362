// SPDX-License-Identifier: BSD-3-Clause
// One row through all of a tree, by direct evaluation of the formulas in shap_paths.cpp: for rows
// that go down every branch somewhere, in shares, and for interactions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "explain/shap.hpp"

namespace ramify {

/// A quadrature that is exact on the paths of a tree, with a multiple of 4 points.
Quadrature quadrature_for(const ShapTree& tree);

/// Computes the share in which a row passes each edge, including those above that test the same
/// column.
void find_shares(const ShapTree& tree, const double* x, std::vector<double>& shares);

class ShapRow {
 public:
  ShapRow(const ShapTree& shap, const Quadrature& rule)
      : shap_(shap),
        rule_(rule),
        n_points_(rule.point.size()),
        factor_((shap.max_depth + 1) * n_points_),
        gain_(shap.tree.size() * n_points_),
        ends_(shap.used.size(), 0),
        with_(n_points_) {
    std::copy(rule.weight.begin(), rule.weight.end(), factor_.begin());
  }

  /// Adds the Shapley values of a row that passes each edge in the share `inside`, times `weight`;
  /// `outside` is the share in which the row's replacement passes.
  void explain(const double* inside, const double* outside, double weight, std::size_t row,
               const ShapSums& sums);

 private:
  void take(std::size_t leaf, const double* reach, double weight, std::size_t row,
            const ShapSums& sums);

  const ShapTree& shap_;
  const Quadrature& rule_;
  std::size_t n_points_;
  std::vector<double> factor_;  // [depth][point]
  std::vector<double> gain_;    // [edge][point]
  std::vector<std::size_t> ends_, path_, different_;
  std::vector<double> with_;
};

}  // namespace ramify

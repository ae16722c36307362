// SPDX-License-Identifier: BSD-3-Clause
#include "explain/shap_row.hpp"

#include <cmath>

namespace ramify {

Quadrature quadrature_for(const ShapTree& tree) {
  // The integrand is a polynomial of degree m - 1 that is no steeper than t^(m - 1), whose
  // Chebyshev coefficients fall like exp(-k^2 / m): beyond k = 2 n = 6.4 sqrt(m) they vanish in a
  // double.
  const std::size_t m = tree.n_on_path, exact = (m + 1) / 2;
  const auto enough = static_cast<std::size_t>(std::ceil(3.2 * std::sqrt(static_cast<double>(m))));
  return Quadrature((std::max<std::size_t>(1, std::min(exact, enough)) + 3) / 4 * 4);
}

void find_shares(const ShapTree& tree, const double* x, std::vector<double>& shares) {
  shares.assign(tree.tree.size(), 1.0);
  for (const std::size_t node : tree.order) {
    if (tree.is_leaf(node)) continue;
    const std::int64_t goes = tree.branch(node, x[tree.tree.feature[node]]);
    tree.tree.each_child(node, [&](std::size_t child, std::int64_t number) {
      const double here = goes == ShapTree::every_branch ? tree.share[child] : goes == number;
      shares[child] = here * shares[tree.above[child]];
    });
  }
}

void ShapRow::explain(const double* inside, const double* outside, double weight, std::size_t row,
                      const ShapSums& sums) {
  std::fill(ends_.begin(), ends_.end(), 0);
  path_.clear();
  std::size_t dead = 0;  // depth from which on nothing passes; 0: the whole path does
  for (const std::size_t node : shap_.order) {
    if (node == 0) continue;
    const std::size_t depth = shap_.depth[node];
    for (; path_.size() > depth - 1; path_.pop_back())
      ends_[shap_.column[path_.back()]] = shap_.above[path_.back()];
    if (dead != 0 && depth > dead) continue;
    dead = 0;
    const std::size_t above = shap_.above[node];
    if (inside[node] == 0 && outside[node] == 0) {
      dead = depth;
      continue;
    }
    const double* upper = factor_.data() + (depth - 1) * n_points_;
    double *own = factor_.data() + depth * n_points_, *gain = gain_.data() + node * n_points_;
    for (std::size_t p = 0; p < n_points_; ++p) {
      const double t = rule_.point[p];
      const double passes = t * inside[node] + (1 - t) * outside[node];
      own[p] = upper[p] * passes / (t * inside[above] + (1 - t) * outside[above]);
      gain[p] = (inside[node] - outside[node]) / passes;
    }
    ends_[shap_.column[node]] = node;
    path_.push_back(node);
    if (shap_.is_leaf(node)) take(node, own, weight, row, sums);
  }
}

/// Adds the contribution of a leaf to the columns on the way to it, and to each pair of them.
void ShapRow::take(std::size_t leaf, const double* reach, double weight, std::size_t row,
                   const ShapSums& sums) {
  const double* value = shap_.value_of(leaf);
  different_.clear();
  for (const std::size_t edge : path_)
    if (ends_[shap_.column[edge]] == edge) different_.push_back(edge);
  for (std::size_t i = 0; i < different_.size(); ++i) {
    const std::size_t edge = different_[i];
    const double* gain = gain_.data() + edge * n_points_;
    double sum = 0;
    for (std::size_t p = 0; p < n_points_; ++p) sum += with_[p] = reach[p] * gain[p];
    double* own = sums.of(row, shap_.used[shap_.column[edge]]);
    for (std::size_t k = 0; k < shap_.n_values; ++k) own[k] += weight * sum * value[k];
    for (std::size_t j = 0; sums.interactions && j < i; ++j) {
      const double* other = gain_.data() + different_[j] * n_points_;
      double both = 0;
      for (std::size_t p = 0; p < n_points_; ++p) both += with_[p] * other[p];
      sums.add(row, shap_.used[shap_.column[edge]], shap_.used[shap_.column[different_[j]]],
               weight * both / 2, value, shap_.n_values);
    }
  }
}

}  // namespace ramify

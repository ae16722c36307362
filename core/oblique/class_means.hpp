// SPDX-License-Identifier: BSD-3-Clause
// Class means of a node.
#pragma once

#include <vector>

#include "oblique/problem.hpp"

namespace ramify {

/// The weighted mean of each class, [label][column]; for row-major matrices of doubles.
inline std::vector<double> class_means(const ObliqueProblem& problem) {
  const std::size_t d = problem.n_columns;
  std::vector<double> means(problem.class_weight.size() * d);
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    const double* x = problem.values + row * d;
    double* sum = means.data() + problem.label[row] * d;
    const double weight = problem.weight_of(row);
    for (std::size_t j = 0; j < d; ++j) sum[j] += weight * x[j];
  }
  for (std::size_t k = 0; k < problem.class_weight.size(); ++k)
    for (std::size_t j = 0; j < d; ++j) means[k * d + j] /= problem.class_weight[k];
  return means;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Standardised columns of a node, and hyperplanes in terms of the original columns: what the
// one-against-rest methods share.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "oblique/class_means.hpp"
#include "oblique/scatter.hpp"

namespace ramify {

/// Location and width of the columns of a node.
struct Standard {
  std::vector<double> class_mean;  // [label][column]
  std::vector<double> mean, deviation;

  explicit Standard(const ObliqueProblem& problem)
      : class_mean(class_means(problem)),
        mean(mean_of_all(problem, class_mean)),
        deviation(problem.n_columns) {
    const std::size_t d = problem.n_columns;
    for (std::size_t row = 0; row < problem.n_rows; ++row)
      for (std::size_t j = 0; j < d; ++j) {
        const double away = problem.values[row * d + j] - mean[j];
        deviation[j] += problem.weight_of(row) * away * away;
      }
    for (double& each : deviation) each = each > 0 ? std::sqrt(each / problem.total()) : 1;
  }

  /// The hyperplane of standardised columns, w . z + b, in terms of the original columns.
  Direction back(std::span<const double> w, double b, bool has_cut) const {
    Direction direction{std::vector<double>(w.size()), b, has_cut};
    for (std::size_t j = 0; j < w.size(); ++j) {
      direction.weight[j] = w[j] / deviation[j];
      direction.bias -= direction.weight[j] * mean[j];
    }
    return direction;
  }
};

/// One against the rest: how many hyperplanes that makes, and the class that each has on its side.
inline std::size_t n_against_rest(const ObliqueProblem& problem) {
  return problem.n_classes() == 2 ? 1 : static_cast<std::size_t>(problem.n_classes());
}
inline std::size_t class_against_rest(const ObliqueProblem& problem, std::size_t i) {
  return problem.n_classes() == 2 ? 1 : i;
}

}  // namespace ramify

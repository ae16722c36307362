// SPDX-License-Identifier: BSD-3-Clause
// The dominant eigenvector of a symmetric matrix.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace ramify {

/// Power iteration on a positive semidefinite n x n matrix, from the row of its largest diagonal
/// entry; zero if the matrix is.
inline std::vector<double> main_direction(std::span<const double> matrix, std::size_t n,
                                          int max_steps, double precision) {
  std::size_t widest = 0;
  for (std::size_t j = 0; j < n; ++j)
    if (matrix[j * n + j] > matrix[widest * n + widest]) widest = j;
  const auto row = matrix.subspan(widest * n, n);
  std::vector<double> direction(row.begin(), row.end()), image(n);
  for (int step = 0; step < max_steps; ++step) {
    double norm = 0, change = 0;
    for (std::size_t j = 0; j < n; ++j) {
      image[j] = 0;
      for (std::size_t k = 0; k < n; ++k) image[j] += matrix[j * n + k] * direction[k];
      norm += image[j] * image[j];
    }
    if (norm <= 0) break;
    for (std::size_t j = 0; j < n; ++j) {
      const double next = image[j] / std::sqrt(norm);
      change = std::fmax(change, std::abs(next - direction[j]));
      direction[j] = next;
    }
    if (change < precision) break;
  }
  return direction;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Linear equations with a symmetric positive definite matrix.
#pragma once

#include <cmath>
#include <cstddef>

#include "linear_algebra/products.hpp"

namespace ramify {

/// Factors a matrix A, given by its lower triangle with rows `stride` apart, into L with L L^T = A.
/// Returns false, and leaves A undefined, if A is not positive definite by more than rounding.
inline bool factor_cholesky(double* a, std::size_t n, std::size_t stride) {
  constexpr double slack = 1e-12;  // relative pivots below this count as zero
  for (std::size_t i = 0; i < n; ++i) {
    double* row = a + i * stride;
    for (std::size_t j = 0; j < i; ++j)
      row[j] = (row[j] - long_dot(row, a + j * stride, j)) / a[j * stride + j];
    const double pivot = row[i] - long_dot(row, row, i);
    if (!(pivot > slack * row[i])) return false;
    row[i] = std::sqrt(pivot);
  }
  return true;
}

/// Solves L y = b, where x holds b before and y after.
inline void solve_lower(const double* factor, std::size_t n, std::size_t stride, double* x) {
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = factor + i * stride;
    x[i] = (x[i] - long_dot(row, x, i)) / row[i];
  }
}

/// Solves L^T x = y.
inline void solve_upper(const double* factor, std::size_t n, std::size_t stride, double* x) {
  for (std::size_t i = n; i-- > 0;) {
    const double* row = factor + i * stride;
    x[i] /= row[i];
    for (std::size_t j = 0; j < i; ++j) x[j] -= row[j] * x[i];
  }
}

/// Solves L L^T x = b, where x holds b before.
inline void solve_cholesky(const double* factor, std::size_t n, std::size_t stride, double* x) {
  solve_lower(factor, n, stride, x);
  solve_upper(factor, n, stride, x);
}

}  // namespace ramify

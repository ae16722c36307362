// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues and eigenvectors of a symmetric matrix.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ramify {

struct SymmetricEigen {
  std::vector<double> value;   // in descending order
  std::vector<double> vector;  // [value][coordinate], of length one

  std::span<const double> of(std::size_t k) const {
    return std::span(vector).subspan(k * value.size(), value.size());
  }
};

/// For an n x n matrix with rows `stride` apart, of which only the lower triangle is read.
/// Householder reflections make it tridiagonal, QL steps diagonal: about 9 n^3 operations.
SymmetricEigen symmetric_eigen(const double* matrix, std::size_t n, std::size_t stride);

/// Flips the sign of a unit vector so that its first non-zero coordinate is positive.
void make_first_positive(std::span<double> unit);

}  // namespace ramify

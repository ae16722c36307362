// SPDX-License-Identifier: BSD-3-Clause
// The directions in which a symmetric matrix stretches, and how much.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ramify {

struct SymmetricEigen {
  std::vector<double> value;   // from the largest on
  std::vector<double> vector;  // [value][coordinate], of length one

  std::span<const double> of(std::size_t k) const {
    return std::span(vector).subspan(k * value.size(), value.size());
  }
};

/// Of an n x n matrix with rows `stride` apart, of which the lower triangle counts. Householder's
/// reflections make it tridiagonal, QL steps diagonal: about 9 n^3 operations.
SymmetricEigen symmetric_eigen(const double* matrix, std::size_t n, std::size_t stride);

/// Turns a vector of length one so that its first coordinate that is not zero is positive.
void make_first_positive(std::span<double> unit);

}  // namespace ramify

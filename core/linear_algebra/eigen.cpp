// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ramify {
namespace {

/// Maximum number of steps per eigenvalue; three are usual.
constexpr int max_ql_steps = 100;

class EigenSolver {
 public:
  EigenSolver(const double* matrix, std::size_t n, std::size_t stride)
      : n_(n), a_(n * n), turn_(n * n), diagonal_(n), beside_(n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) a_[i * n + j] = a_[j * n + i] = matrix[i * stride + j];
      turn_[i * n + i] = 1;
    }
  }

  SymmetricEigen solve() {
    for (std::size_t k = 0; k + 2 < n_; ++k) reflect(k);
    for (std::size_t i = 0; i < n_; ++i) {
      diagonal_[i] = a_[i * n_ + i];
      if (i + 1 < n_) beside_[i] = a_[(i + 1) * n_ + i];
    }
    for (std::size_t i = 0; i < n_; ++i) diagonalise(i);
    std::vector<std::size_t> order(n_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return diagonal_[i]; });
    SymmetricEigen found;
    for (const std::size_t i : order) {
      found.value.push_back(diagonal_[i]);
      found.vector.insert(found.vector.end(), &turn_[i * n_], &turn_[i * n_] + n_);
    }
    return found;
  }

 private:
  /// Householder reflection that clears column k below the subdiagonal.
  void reflect(std::size_t k) {
    std::vector<double> v(n_), q(n_);
    double squares = 0;
    for (std::size_t i = k + 1; i < n_; ++i) {
      v[i] = a_[i * n_ + k];
      squares += v[i] * v[i];
    }
    v[k + 1] += std::copysign(std::sqrt(squares), v[k + 1]);
    squares = 0;
    for (const double x : v) squares += x * x;
    if (!(squares > 0)) return;
    const double length = std::sqrt(squares);
    for (double& x : v) x /= length;
    double along = 0;  // A - v q' - q v' with q = 2 A v - (2 v' A v) v
    for (std::size_t i = k; i < n_; ++i) {
      for (std::size_t j = k + 1; j < n_; ++j) q[i] += 2 * a_[i * n_ + j] * v[j];
      along += q[i] * v[i];
    }
    for (std::size_t i = k; i < n_; ++i) q[i] -= along * v[i];
    for (std::size_t i = k; i < n_; ++i)
      for (std::size_t j = k; j < n_; ++j) a_[i * n_ + j] -= v[i] * q[j] + q[i] * v[j];
    std::ranges::fill(q, 0);
    for (std::size_t i = k + 1; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) q[j] += v[i] * turn_[i * n_ + j];
    for (std::size_t i = k + 1; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) turn_[i * n_ + j] -= 2 * v[i] * q[j];
  }

  /// The first index from `i` on where the tridiagonal matrix decouples.
  std::size_t end_of_block(std::size_t i) const {
    for (; i + 1 < n_; ++i) {
      const double size = std::abs(diagonal_[i]) + std::abs(diagonal_[i + 1]);
      if (!(std::abs(beside_[i]) > std::numeric_limits<double>::epsilon() * size)) break;
    }
    return i;
  }

  /// QL steps with an implicit shift until eigenvalue `first` is decoupled.
  void diagonalise(std::size_t first) {
    for (int step = 0; step < max_ql_steps; ++step) {
      const std::size_t last = end_of_block(first);
      if (last == first) return;
      const double half = (diagonal_[first + 1] - diagonal_[first]) / (2 * beside_[first]);
      const double shift = beside_[first] / (half + std::copysign(std::hypot(half, 1), half));
      double g = diagonal_[last] - diagonal_[first] + shift, s = 1, c = 1, p = 0;
      bool is_integer = true;
      for (std::size_t i = last; i-- > first;) {
        const double f = s * beside_[i], b = c * beside_[i];
        const double r = std::hypot(f, g);
        beside_[i + 1] = r;
        if (r == 0) {  // the block has decoupled already
          diagonal_[i + 1] -= p;
          is_integer = false;
          break;
        }
        s = f / r;
        c = g / r;
        g = diagonal_[i + 1] - p;
        const double t = (diagonal_[i] - g) * s + 2 * c * b;
        p = s * t;
        diagonal_[i + 1] = g + p;
        g = c * t - b;
        rotate(&turn_[i * n_], &turn_[(i + 1) * n_], c, s);
      }
      if (is_integer) {
        diagonal_[first] -= p;
        beside_[first] = g;
      }
      beside_[last] = 0;
    }
  }

  void rotate(double* low, double* high, double c, double s) const {
    for (std::size_t j = 0; j < n_; ++j) {
      const double up = high[j];
      high[j] = s * low[j] + c * up;
      low[j] = c * low[j] - s * up;
    }
  }

  std::size_t n_;
  std::vector<double> a_, turn_;  // turn_ holds the vectors by row
  std::vector<double> diagonal_, beside_;
};

}  // namespace

SymmetricEigen symmetric_eigen(const double* matrix, std::size_t n, std::size_t stride) {
  return EigenSolver(matrix, n, stride).solve();
}

void make_first_positive(std::span<double> unit) {
  const auto first = std::ranges::find_if(unit, [](double x) { return std::abs(x) > 1e-12; });
  if (first == unit.end() || *first > 0) return;
  for (double& x : unit) x = -x;
}

}  // namespace ramify

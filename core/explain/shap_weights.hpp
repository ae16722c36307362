// SPDX-License-Identifier: BSD-3-Clause
// Weights of a coalition's orders of arrival: integrals of t^u (1 - t)^l.
#pragma once

#include <cstddef>
#include <vector>

namespace ramify {

/// For a leaf that needs u columns of one row and l columns of another.
class ShapWeights {
 public:
  explicit ShapWeights(std::size_t max) : n_(max + 1), beta_(n_ * n_) {
    // B(u, l) = u! l! / (u + l + 1)!, from B(0, l) = 1 / (l + 1) on.
    for (std::size_t l = 0; l < n_; ++l) {
      beta_[l] = 1 / static_cast<double>(l + 1);
      for (std::size_t u = 1; u < n_; ++u)
        beta_[u * n_ + l] =
            beta_[(u - 1) * n_ + l] * static_cast<double>(u) / static_cast<double>(u + l + 1);
    }
  }

  /// The share of the leaf's value that each of the u columns gains.
  double gained(std::size_t u, std::size_t l) const { return u > 0 ? beta(u - 1, l) : 0; }
  /// The share that each of the l columns loses.
  double lost(std::size_t u, std::size_t l) const { return l > 0 ? beta(u, l - 1) : 0; }
  /// The share that a pair gains together: two of the u, two of the l, or one of each.
  double both(std::size_t u, std::size_t l, bool one_is_u, bool other_is_u) const {
    if (one_is_u && other_is_u) return beta(u - 2, l);
    if (!one_is_u && !other_is_u) return beta(u, l - 2);
    return -beta(u - 1, l - 1);
  }

 private:
  double beta(std::size_t u, std::size_t l) const { return beta_[u * n_ + l]; }

  std::size_t n_;
  std::vector<double> beta_;
};

}  // namespace ramify

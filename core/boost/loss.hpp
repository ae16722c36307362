// SPDX-License-Identifier: BSD-3-Clause
// The loss of a row, and its first two derivatives with respect to the score.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "boost/loss_kernels.hpp"
#include "boost/pair.hpp"
#include "boost/total.hpp"

namespace ramify {

/// Sums over rows, times their weights. Losses are summed exactly; derivatives too, unless rough
/// sums suffice.
struct LossSums {
  struct Score {
    Total gradient, hessian;  // of the magnitudes of gradients
    double rough_gradient = 0, rough_hessian = 0;
  };
  std::vector<Score> of;  // each score
  Total loss;
  bool is_rough;

  explicit LossSums(std::size_t n_scores, bool rough = false) : of(n_scores), is_rough(rough) {}
  LossSums& operator+=(const LossSums& other);
};

/// The loss of all rows. Scores are stored score by score: scores[k * n_rows + row].
struct LossRows {
  Loss loss = Loss::squared_error;
  double quantile = 0.5;
  std::size_t n_scores = 1;        // per row
  std::span<const double> target;  // a regression value, or the index of the class
  std::span<const double> weight;  // empty if every row weighs one
  std::size_t score_stride = 0;    // from score to score; 0: these are all rows

  std::size_t n_rows() const { return target.size(); }
  /// Whether leaf values are fitted to the residuals of their rows, as derivatives carry little
  /// information.
  bool fits_residuals() const { return loss == Loss::absolute_error || loss == Loss::quantile; }

  /// Some of the rows; scores then start at the first of them.
  LossRows some(std::size_t first, std::size_t size) const {
    return {loss,
            quantile,
            n_scores,
            target.subspan(first, size),
            weight.empty() ? weight : weight.subspan(first, size),
            n_rows()};
  }

  /// Writes the derivatives, without weights, of rows first .. last - 1 for all scores, and adds to
  /// the sums, if any.
  void differentiate(const double* scores, std::size_t first, std::size_t last, double* gradient,
                     double* hessian, LossSums* sums) const;
  /// Rounds the derivatives of one score of these rows to integer multiples of a unit. With integer
  /// weights, a row of weight two equals the row twice.
  void make_pairs(std::size_t score, std::size_t first, std::size_t last, double* gradient,
                  double* hessian, const Scales& scale, bool has_integer_weights,
                  Pair* pairs) const;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// What is minimised: the loss of a row, and its first two derivatives by the score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boost/kernels.hpp"

namespace ramify {

enum class Loss {
  log_loss,     // two classes: the score is in log odds
  multinomial,  // more: one score per class, of which the softmax is taken
  squared_error,
  absolute_error,
  quantile,
  poisson,  // the score is the logarithm of what is expected
  gamma
};

/// The loss of all rows. Scores lie score after score: scores[k * n_rows + row].
struct LossRows {
  Loss loss = Loss::squared_error;
  double quantile = 0.5;
  std::size_t n_scores = 1;        // per row
  std::span<const double> target;  // a number, or the number of the class
  std::span<const double> weight;  // empty if every row weighs one

  std::size_t n_rows() const { return target.size(); }
  /// Are the values of leaves found from the residuals of their rows, as derivatives say little?
  bool fits_residuals() const { return loss == Loss::absolute_error || loss == Loss::quantile; }

  /// Writes the derivatives, without weights, of rows first .. last - 1 for all scores. Sums are
  /// weighted; those of derivatives are one per score, in `sums`, and the loss is in the first.
  void differentiate(const double* scores, std::size_t first, std::size_t last, double* gradient,
                     double* hessian, LossSums* sums) const;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Losses of many rows, their derivatives and exact sums, as plain functions over plain memory. They
// are compiled once per instruction set; `loss_kernels()` returns those for this processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramify {

enum class Loss {
  log_loss,     // two classes: the score is in log odds
  multinomial,  // more: one score per class, of which the softmax is taken
  squared_error,
  absolute_error,
  quantile,
  poisson,  // the score is the logarithm of the mean
  gamma
};

/// Where losses, unless null, and derivatives of rows are written.
struct Slopes {
  double *gradient, *hessian, *loss;
};

struct LossKernels {
  /// For losses with one score per row.
  void (*differentiate)(Loss loss, double quantile, const double* score, const double* target,
                        std::size_t n, Slopes to);
  /// For the multinomial loss. Scores of a row lie `stride` apart, its derivatives `to_stride`.
  void (*softmax)(const double* score, const double* target, std::size_t n, std::size_t n_scores,
                  std::size_t stride, std::size_t to_stride, Slopes to);
  /// Adds values, or their magnitudes, times weights to the digits of a `Total`. `weight` may be
  /// null.
  void (*add_exactly)(const double* x, const double* weight, bool is_magnitude, std::size_t n,
                      std::int64_t* digits);
  /// The sum of magnitudes times weights, with the usual rounding.
  double (*add_roughly)(const double* x, const double* weight, std::size_t n);
};

const LossKernels& loss_kernels();

}  // namespace ramify

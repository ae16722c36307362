// SPDX-License-Identifier: BSD-3-Clause
#include "boost/loss.hpp"

#include <algorithm>
#include <cmath>

namespace ramify {
namespace {

struct Slope {
  double gradient, hessian, loss;
};

/// Loss and derivatives of one score.
Slope slope_of(Loss loss, double quantile, double y, double score) {
  const double rest = y - score;
  switch (loss) {
    case Loss::absolute_error:
      return {rest > 0 ? -1.0 : rest < 0 ? 1.0 : 0.0, 1, std::abs(rest)};
    case Loss::quantile:
      return {rest > 0 ? -quantile : 1 - quantile, 1,
              rest > 0 ? quantile * rest : (quantile - 1) * rest};
    case Loss::poisson: {  // without what does not depend on the score
      const double mean = std::exp(std::min(score, 700.0));
      return {mean - y, mean, mean - y * score};
    }
    case Loss::gamma: {
      const double share = y * std::exp(-std::max(score, -700.0));
      return {1 - share, share, score + share};
    }
    default:
      return {-rest, 1, rest * rest / 2};
  }
}

}  // namespace

void LossRows::differentiate(const double* scores, std::size_t first, std::size_t last,
                             double* gradient, double* hessian, LossSums* sums) const {
  const double* w = weight.empty() ? nullptr : weight.data();
  if (loss == Loss::log_loss) {
    *sums = boost_kernels().log_loss(scores + first, target.data() + first, w ? w + first : w,
                                     last - first, gradient + first, hessian + first);
    return;
  }
  std::fill_n(sums, n_scores, LossSums{});
  const std::size_t n = n_rows();
  const auto add = [&](std::size_t k, std::size_t row, Slope slope) {
    const double weight_here = w ? w[row] : 1;
    gradient[k * n + row] = slope.gradient;
    hessian[k * n + row] = slope.hessian;
    sums[k].gradient += weight_here * std::abs(slope.gradient);
    sums[k].hessian += weight_here * slope.hessian;
    sums[0].loss += weight_here * slope.loss;
  };
  if (loss != Loss::multinomial) {
    for (std::size_t row = first; row < last; ++row)
      add(0, row, slope_of(loss, quantile, target[row], scores[row]));
    return;
  }
  for (std::size_t row = first; row < last; ++row) {
    double highest = scores[row], total = 0;
    for (std::size_t k = 1; k < n_scores; ++k) highest = std::max(highest, scores[k * n + row]);
    for (std::size_t k = 0; k < n_scores; ++k)
      total += gradient[k * n + row] = std::exp(scores[k * n + row] - highest);
    const auto own = static_cast<std::size_t>(target[row]);
    for (std::size_t k = 0; k < n_scores; ++k) {
      const double p = gradient[k * n + row] / total;
      const double loss_here = k == own ? std::log(total) + highest - scores[k * n + row] : 0;
      add(k, row, {k == own ? p - 1 : p, p * (1 - p), loss_here});
    }
  }
}

}  // namespace ramify

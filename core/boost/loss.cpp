// SPDX-License-Identifier: BSD-3-Clause
#include "boost/loss.hpp"

#include <algorithm>
#include <array>

#include "boost/kernels.hpp"

namespace ramify {

LossSums& LossSums::operator+=(const LossSums& other) {
  for (std::size_t k = 0; k < of.size(); ++k) {
    of[k].gradient += other.of[k].gradient;
    of[k].hessian += other.of[k].hessian;
    of[k].rough_gradient += other.of[k].rough_gradient;
    of[k].rough_hessian += other.of[k].rough_hessian;
  }
  loss += other.loss;
  return *this;
}

void LossRows::differentiate(const double* scores, std::size_t first, std::size_t last,
                             double* gradient, double* hessian, LossSums* sums) const {
  constexpr std::size_t cache_local_rows =
      1024;  // rows that stay in the first-level cache until they are summed
  const LossKernels& kernels = loss_kernels();
  const std::size_t n = n_rows();
  std::array<double, cache_local_rows> losses;
  for (std::size_t row = first; row < last; row += cache_local_rows) {
    const std::size_t size = std::min(cache_local_rows, last - row);
    const Slopes to{gradient + row, hessian + row, sums ? losses.data() : nullptr};
    const double* y = target.data() + row;
    if (loss == Loss::multinomial)
      kernels.softmax(scores + row, y, size, n_scores, score_stride ? score_stride : n, n, to);
    else
      kernels.differentiate(loss, quantile, scores + row, y, size, to);
    if (!sums) continue;
    const double* w = weight.empty() ? nullptr : weight.data() + row;
    for (std::size_t k = 0; k < n_scores; ++k) {
      LossSums::Score& own = sums->of[k];
      if (sums->is_rough) {
        own.rough_gradient += kernels.add_roughly(to.gradient + k * n, w, size);
        own.rough_hessian += kernels.add_roughly(to.hessian + k * n, w, size);
        continue;
      }
      kernels.add_exactly(to.gradient + k * n, w, true, size, own.gradient.digits.data());
      kernels.add_exactly(to.hessian + k * n, w, false, size, own.hessian.digits.data());
    }
    kernels.add_exactly(losses.data(), w, false, size, sums->loss.digits.data());
  }
}

void LossRows::make_pairs(std::size_t score, std::size_t first, std::size_t last, double* gradient,
                          double* hessian, const Scales& scale, bool has_integer_weights,
                          Pair* pairs) const {
  const std::size_t from = score * n_rows() + first, n = last - first;
  double *g = gradient + from, *h = hessian + from;
  const double* w = weight.empty() ? nullptr : weight.data() + first;
  for (std::size_t i = 0; i < n && w && !has_integer_weights; ++i) {
    g[i] *= w[i];
    h[i] *= w[i];
  }
  boost_kernels().make_pairs(g, h, has_integer_weights ? w : nullptr, n, scale.gradient,
                             scale.hessian, pairs + first);
}

}  // namespace ramify

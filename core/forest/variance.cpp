// SPDX-License-Identifier: BSD-3-Clause
#include "forest/variance.hpp"

#include <algorithm>
#include <vector>

#include "util/parallel.hpp"

namespace ramify {

void jackknife_variance(std::span<const double> drawn, std::size_t n_trees,
                        std::span<const double> votes, double* variance, int n_threads,
                        Stop& stop) {
  if (n_trees == 0) return;
  const std::size_t n = drawn.size() / n_trees, n_new = votes.size() / n_trees;
  const double trees = static_cast<double>(n_trees);
  // Counts less their mean, so that the covariances are plain sums of products.
  std::vector<double> centred(drawn.begin(), drawn.end()), mean(n);
  for (std::size_t t = 0; t < n_trees; ++t)
    for (std::size_t i = 0; i < n; ++i) mean[i] += drawn[t * n + i] / trees;
  for (std::size_t t = 0; t < n_trees; ++t)
    for (std::size_t i = 0; i < n; ++i) centred[t * n + i] -= mean[i];
  constexpr std::size_t together = 16;
  const int n_blocks = static_cast<int>((n_new + together - 1) / together);
  Pool pool(std::max(1, std::min(n_threads, n_blocks)));
  pool.run(n_blocks, [&](int block, int worker) {
    if (stop.is_wanted(worker)) return;
    std::vector<double> sum(n);
    const std::size_t begin = static_cast<std::size_t>(block) * together;
    for (std::size_t row = begin; row < std::min(n_new, begin + together); ++row) {
      const double* own = votes.data() + row * n_trees;
      double center = 0, squares = 0, total = 0;
      for (std::size_t t = 0; t < n_trees; ++t) center += own[t];
      center /= trees;
      std::fill(sum.begin(), sum.end(), 0.0);
      for (std::size_t t = 0; t < n_trees; ++t) {
        const double away = own[t] - center;
        squares += away * away;
        for (std::size_t i = 0; i < n; ++i) sum[i] += away * centred[t * n + i];
      }
      for (std::size_t i = 0; i < n; ++i) total += sum[i] / trees * (sum[i] / trees);
      // What so few trees add by chance.
      const double by_chance = static_cast<double>(n) / (trees * trees) * squares;
      variance[row] = std::max(0.0, total - by_chance);
    }
  });
}

}  // namespace ramify

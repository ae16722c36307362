// SPDX-License-Identifier: BSD-3-Clause
#include "forest/jackknife.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "util/parallel.hpp"

namespace ramify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The smallest value up to which a weight of `rank` lies.
class Rank {
 public:
  Rank(std::span<const double> weight, double rank) : weight_(weight), rank_(rank) {}

  double smallest(std::vector<double>& values) {
    if (!weight_.empty()) return weighted(values);
    const double place = std::ceil(rank_) - 1;
    if (place >= static_cast<double>(values.size())) return infinity;
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::max(place, 0.0));
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
  }

 private:
  double weighted(const std::vector<double>& values) {
    pairs_.clear();
    for (std::size_t i = 0; i < values.size(); ++i) pairs_.emplace_back(values[i], weight_[i]);
    std::sort(pairs_.begin(), pairs_.end());  // by weights, too: sums know no order of rows
    double sum = 0;
    for (const auto& [value, weight] : pairs_)
      if ((sum += weight) >= rank_) return value;
    return infinity;
  }

  std::span<const double> weight_;
  double rank_;
  std::vector<std::pair<double, double>> pairs_;
};

}  // namespace

void jackknife_plus(const LeftOutRows& rows, std::span<const double> votes, double* ends,
                    int n_threads, Stop& stop) {
  const std::size_t n = rows.error.size(), n_trees = rows.n_trees;
  const std::size_t n_new = n_trees == 0 ? 0 : votes.size() / n_trees;
  // As numbers, so that sums over many rows at once have no branches; products with 0 and 1 are
  // exact.
  std::vector<double> mask(rows.unseen.begin(), rows.unseen.end()), share(n);
  for (std::size_t t = 0; t < n_trees; ++t)
    for (std::size_t i = 0; i < n; ++i) share[i] += mask[t * n + i];
  constexpr std::size_t together = 16;
  const int n_blocks = static_cast<int>((n_new + together - 1) / together);
  Pool pool(std::max(1, std::min(n_threads, n_blocks)));
  pool.run(n_blocks, [&](int block, int worker) {
    if (stop.is_wanted(worker)) return;
    std::vector<double> sum(n), value(n);
    Rank rank(rows.weight, rows.rank);
    const std::size_t begin = static_cast<std::size_t>(block) * together;
    for (std::size_t row = begin; row < std::min(n_new, begin + together); ++row) {
      std::fill(sum.begin(), sum.end(), 0.0);
      for (std::size_t t = 0; t < n_trees; ++t) {
        const double vote = votes[row * n_trees + t];
        const double* own = mask.data() + t * n;
        for (std::size_t i = 0; i < n; ++i) sum[i] += vote * own[i];
      }
      for (std::size_t i = 0; i < n; ++i) {
        sum[i] /= share[i];
        value[i] = rows.error[i] - sum[i];
      }
      ends[2 * row] = -rank.smallest(value);
      for (std::size_t i = 0; i < n; ++i) value[i] = rows.error[i] + sum[i];
      ends[2 * row + 1] = rank.smallest(value);
    }
  });
}

}  // namespace ramify

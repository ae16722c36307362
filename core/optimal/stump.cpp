// SPDX-License-Identifier: BSD-3-Clause
// Leaves and stumps, plainly: at the last level of a tree that is written, where few are needed.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "optimal/problem.hpp"

namespace ramify::optimal {
namespace {

/// What rows lose by each answer; or, of numbers, weight, sum and sum of squares. Sums are exact.
class LeafSums {
 public:
  explicit LeafSums(const Problem& problem)
      : problem_(problem),
        sums_(problem.loss == Loss::numbers ? 3 : static_cast<std::size_t>(problem.n_classes)) {}

  void add(std::uint32_t row) {
    const Problem& p = problem_;
    switch (p.loss) {
      case Loss::two:
        sums_[p.value[row] > 0 ? 0 : 1] += std::abs(p.value[row]);
        break;
      case Loss::classes:
        sums_[p.class_code[row]] += p.value.empty() ? 1 : p.value[row];
        break;
      case Loss::costs:
        for (std::size_t k = 0; k < sums_.size(); ++k)
          sums_[k] += p.costs[p.class_code[row] * sums_.size() + k];
        break;
      case Loss::numbers:
        sums_[0] += p.weight[row];
        sums_[1] += p.value[row];
        sums_[2] += p.square[row];
        break;
    }
  }
  void clear() { std::ranges::fill(sums_, 0.0); }
  /// These rows without some of them.
  void set_rest(const LeafSums& all, const LeafSums& some) {
    for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] = all.sums_[k] - some.sums_[k];
  }
  Leaf leaf() const {
    switch (problem_.loss) {
      case Loss::numbers:
        if (!(sums_[0] > 0)) return {};
        return {std::max(0.0, sums_[2] - sums_[1] * sums_[1] / sums_[0]), 0};
      case Loss::classes: {
        const auto top = std::ranges::max_element(sums_);
        return {std::accumulate(sums_.begin(), sums_.end(), 0.0) - *top,
                static_cast<int>(top - sums_.begin())};
      }
      default: {
        const auto least = std::ranges::min_element(sums_);
        return {*least, static_cast<int>(least - sums_.begin())};
      }
    }
  }

 private:
  const Problem& problem_;
  std::vector<double> sums_;
};

}  // namespace

Leaf leaf_of(const Problem& problem, std::span<const std::uint32_t> rows) {
  if (problem.loss == Loss::two) {  // of every set of rows that is searched
    double sums[2] = {};
    for (const std::uint32_t row : rows) {
      const double x = problem.value[row];
      sums[0] += std::max(x, 0.0);
      sums[1] += std::max(-x, 0.0);
    }
    return sums[1] < sums[0] ? Leaf{sums[1], 1} : Leaf{sums[0], 0};
  }
  LeafSums sums(problem);
  for (const std::uint32_t row : rows) sums.add(row);
  return sums.leaf();
}

Stump stump(const Problem& problem, std::span<const std::uint32_t> rows) {
  LeafSums all(problem), left(problem), right(problem);
  for (const std::uint32_t row : rows) all.add(row);
  Stump best{.cost = all.leaf().loss, .cut = {}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted(rows.size());
  for (std::uint32_t j = 0; j < problem.columns.size(); ++j) {
    const auto& codes = problem.columns[j].codes;
    for (std::size_t i = 0; i < rows.size(); ++i) sorted[i] = {codes[rows[i]], rows[i]};
    std::ranges::sort(sorted);
    left.clear();
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
      left.add(sorted[i].second);
      if (sorted[i].first == sorted[i + 1].first) continue;
      if (i + 1 < problem.min_rows || sorted.size() - i - 1 < problem.min_rows) continue;
      right.set_rest(all, left);
      const double cost = left.leaf().loss + right.leaf().loss + problem.penalty;
      if (cost < best.cost - problem.tolerance) best = {cost, {j, sorted[i].first}};
    }
  }
  return best;
}

}  // namespace ramify::optimal

// SPDX-License-Identifier: BSD-3-Clause
#include "forest/quantiles.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace ramify {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Finds quantiles of weighted ranks. Ranks are put into buckets by size, and only the bucket that
/// holds a level is sorted.
class QuantileFinder {
 public:
  explicit QuantileFinder(const RankedTarget& target) : target_(target) {
    while ((target.value.size() >> shift_) > n_buckets) ++shift_;
  }

  void take(std::span<const ForestRows::Entry> entries) {
    begin_.fill(0);
    ranks_.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      ranks_[i] = target_.rank[entries[i].row];
      ++begin_[bucket_of(ranks_[i]) + 1];
    }
    for (std::size_t b = 0; b < n_buckets; ++b) begin_[b + 1] += begin_[b];
    std::array<std::uint32_t, n_buckets> next;
    std::copy_n(begin_.begin(), n_buckets, next.begin());
    ranked_.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
      ranked_[next[bucket_of(ranks_[i])]++] = {ranks_[i], entries[i].weight};
    // Sums of sorted weights would be sums in another order: each bucket is summed as it came, and
    // a level is looked for from the sum of the buckets before.
    double sum = 0;
    for (std::size_t b = 0; b < n_buckets; ++b) {
      before_[b] = sum;
      for (std::uint32_t i = begin_[b]; i < begin_[b + 1]; ++i) sum += ranked_[i].second;
    }
    before_[n_buckets] = sum;
    is_sorted_.fill(false);
  }

  /// The quantile at which a weight of `wanted` is reached; `slack` is what counts as equal.
  double at(double wanted, double slack, bool is_lower) {
    std::size_t bucket = 0;
    while (bucket + 1 < n_buckets && before_[bucket + 1] < wanted - slack) ++bucket;
    while (begin_[bucket] == begin_[bucket + 1] && bucket + 1 < n_buckets) ++bucket;
    double sum = before_[bucket];
    for (; bucket < n_buckets; ++bucket) {
      sort(bucket);
      for (std::uint32_t i = begin_[bucket]; i < begin_[bucket + 1];) {
        const std::uint32_t rank = ranked_[i].first;
        for (; i < begin_[bucket + 1] && ranked_[i].first == rank; ++i) sum += ranked_[i].second;
        if (sum < wanted - slack) continue;
        const double value = target_.value[rank];
        if (is_lower || sum > wanted + slack) return value;
        return (value + next_value(bucket, i, value)) / 2;
      }
    }
    return target_.value[last_rank()];  // rounding left a little less than all of the weight
  }

 private:
  static constexpr std::size_t n_buckets = 256;

  std::size_t bucket_of(std::uint32_t rank) const { return rank >> shift_; }

  void sort(std::size_t bucket) {
    if (std::exchange(is_sorted_[bucket], true)) return;
    std::sort(ranked_.begin() + begin_[bucket], ranked_.begin() + begin_[bucket + 1]);
  }

  /// The number after place i of a bucket; the one before it if there is none.
  double next_value(std::size_t bucket, std::uint32_t i, double otherwise) {
    if (i < begin_[bucket + 1]) return target_.value[ranked_[i].first];
    for (++bucket; bucket < n_buckets; ++bucket) {
      if (begin_[bucket] == begin_[bucket + 1]) continue;
      sort(bucket);
      return target_.value[ranked_[begin_[bucket]].first];
    }
    return otherwise;
  }

  std::uint32_t last_rank() const {
    std::uint32_t last = 0;
    for (const auto& [rank, weight] : ranked_) last = std::max(last, rank);
    return last;
  }

  RankedTarget target_;
  int shift_ = 0;
  std::array<std::uint32_t, n_buckets + 1> begin_{};
  std::array<double, n_buckets + 1> before_{};
  std::array<bool, n_buckets> is_sorted_{};
  std::vector<std::uint32_t> ranks_;  // of the entries, as they come
  std::vector<std::pair<std::uint32_t, double>> ranked_;
};

}  // namespace

void forest_quantiles(const ForestRows& forest, const AskedRows& rows,
                      std::span<const RankedTarget> targets, std::span<const double> levels,
                      bool is_lower, double* out, Stop& stop) {
  const std::size_t n_outputs = targets.size(), width = levels.size() * n_outputs;
  std::vector<std::vector<QuantileFinder>> finders(std::max(1, rows.n_threads));
  for (auto& own : finders)
    for (const RankedTarget& target : targets) own.emplace_back(target);
  forest.each_row(
      rows.X, rows.has_missing, rows.skip, rows.n_threads, stop,
      [&](std::size_t row, std::span<const ForestRows::Entry> entries, double n, int worker) {
        double* own = out + row * width;
        if (entries.empty()) {
          std::fill_n(own, width, nan);
          return;
        }
        for (std::size_t k = 0; k < n_outputs; ++k) {
          QuantileFinder& finder = finders[worker][k];
          finder.take(entries);
          for (std::size_t i = 0; i < levels.size(); ++i)
            own[i * n_outputs + k] = finder.at(levels[i] * n, 1e-10 * n, is_lower);
        }
      });
}

void forest_cdf(const ForestRows& forest, const AskedRows& rows,
                std::span<const RankedTarget> targets, std::span<const double> points, double* out,
                Stop& stop) {
  const std::size_t n_outputs = targets.size(), n_points = points.size();
  // The first of the sorted points that is not below each rank's number.
  std::vector<std::uint32_t> order(n_points);
  for (std::uint32_t i = 0; i < n_points; ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return points[a] < points[b]; });
  std::vector<std::vector<std::uint32_t>> first(n_outputs);
  for (std::size_t k = 0; k < n_outputs; ++k) {
    std::uint32_t at = 0;
    for (const double value : targets[k].value) {
      while (at < n_points && points[order[at]] < value) ++at;
      first[k].push_back(at);
    }
  }
  std::vector<std::vector<double>> sums(std::max(1, rows.n_threads),
                                        std::vector<double>(n_points + 1));
  forest.each_row(
      rows.X, rows.has_missing, rows.skip, rows.n_threads, stop,
      [&](std::size_t row, std::span<const ForestRows::Entry> entries, double n, int worker) {
        std::vector<double>& sum = sums[worker];
        for (std::size_t k = 0; k < n_outputs; ++k) {
          std::fill(sum.begin(), sum.end(), 0.0);
          for (const auto& entry : entries)
            sum[first[k][targets[k].rank[entry.row]]] += entry.weight;
          double below = 0;
          for (std::size_t i = 0; i < n_points; ++i) {
            below += sum[i];
            out[(row * n_points + order[i]) * n_outputs + k] =
                entries.empty() ? nan : std::min(1.0, below / n);
          }
        }
      });
}

SparseWeights forest_weights(const ForestRows& forest, const AskedRows& rows, Stop& stop) {
  const auto n_rows = static_cast<std::size_t>(rows.X.n_rows);
  std::vector<std::vector<std::pair<std::uint32_t, double>>> found(n_rows);
  forest.each_row(rows.X, rows.has_missing, rows.skip, rows.n_threads, stop,
                  [&](std::size_t row, std::span<const ForestRows::Entry> entries, double n, int) {
                    auto& own = found[row];
                    for (const auto& entry : entries) own.emplace_back(entry.row, entry.weight);
                    // Equal rows stay in the order of the trees, so that sums do not depend on
                    // threads.
                    std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) {
                      return a.first < b.first;
                    });
                    std::size_t last = 0;
                    for (std::size_t i = 1; i < own.size(); ++i) {
                      if (own[i].first == own[last].first)
                        own[last].second += own[i].second;
                      else
                        own[++last] = own[i];
                    }
                    if (!own.empty()) own.resize(last + 1);
                    own.shrink_to_fit();
                    for (auto& entry : own) entry.second /= n;
                  });
  SparseWeights weights;
  weights.begin.push_back(0);
  for (auto& own : found) {
    for (const auto& [row, weight] : own) {
      weights.row.push_back(static_cast<std::int32_t>(row));
      weights.weight.push_back(weight);
    }
    weights.begin.push_back(static_cast<std::int64_t>(weights.row.size()));
    own = {};
  }
  return weights;
}

}  // namespace ramify

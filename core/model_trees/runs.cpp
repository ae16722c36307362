// SPDX-License-Identifier: BSD-3-Clause
#include "model_trees/runs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ramify {

double Runs::known_weight() const { return std::accumulate(weight.begin(), weight.end(), 0.0); }

void Runs::read(const LineSample& sample, std::uint32_t column, Segment node,
                const NodeParts& parts, bool needs_squares) {
  const std::span<const std::uint32_t> rows = sample.sorted(column, node);
  const double *x = sample.x[column].data(), *w = sample.weight.data();
  for (auto* list : {&value, &weight, &sum, &squares}) list->resize(rows.size());
  missing_weight = missing_sum = missing_squares = 0;
  std::size_t n = 0, i = 0;
  double own_weight = 0, own_sum = 0, own_squares = 0;
  const auto close = [&](double last) {
    value[n] = last;
    weight[n] = own_weight;
    sum[n] = own_sum;
    squares[n++] = own_squares;
    own_weight = own_sum = own_squares = 0;
  };
  for (; i < rows.size() && x[rows[i]] == x[rows[i]]; ++i) {
    const std::uint32_t row = rows[i];
    if (i > 0 && x[row] != x[rows[i - 1]]) close(x[rows[i - 1]]);
    own_weight += w[row];
    own_sum += parts.sum[row];
    if (needs_squares) own_squares += parts.square[row];
  }
  if (i > 0) close(x[rows[i - 1]]);
  n_missing = rows.size() - i;
  for (; i < rows.size(); ++i) {
    missing_weight += w[rows[i]];
    missing_sum += parts.sum[rows[i]];
    missing_squares += parts.square[rows[i]];
  }
  for (auto* list : {&value, &weight, &sum, &squares}) list->resize(n);
}

void Runs::sort_by_mean() {
  order_.resize(size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::stable_sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    return sum[a] / weight[a] < sum[b] / weight[b];
  });
  for (auto* list : {&value, &weight, &sum, &squares}) {
    copy_ = *list;
    for (std::size_t i = 0; i < order_.size(); ++i) (*list)[i] = copy_[order_[i]];
  }
}

double between(double low, double high) {
  double middle = low / 2 + high / 2;  // each half first: the difference may overflow
  if (high - low <= std::numeric_limits<double>::max()) middle = low + (high - low) / 2;
  return middle < high ? middle : low;
}

DrawnColumns::DrawnColumns(std::uint32_t n_columns, std::uint32_t n_wanted, std::uint64_t key)
    : columns_(n_columns),
      wanted_(n_wanted == 0 ? n_columns : std::min(n_wanted, n_columns)),
      rng_(key) {
  std::iota(columns_.begin(), columns_.end(), 0U);
}

std::span<const std::uint32_t> DrawnColumns::next() {
  const std::size_t first = drawn_;
  drawn_ = std::min(first + wanted_, columns_.size());
  wanted_ = 1;
  const auto drawn = std::span(columns_).subspan(first, drawn_ - first);
  if (drawn.size() == columns_.size()) return drawn;
  for (std::size_t i = first; i < drawn_; ++i) {
    std::swap(columns_[i],
              columns_[i + rng_.below(static_cast<std::uint32_t>(columns_.size() - i))]);
  }
  std::ranges::sort(drawn);
  return drawn;
}

}  // namespace ramify

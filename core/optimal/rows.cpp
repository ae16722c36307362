// SPDX-License-Identifier: BSD-3-Clause
#include "optimal/rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ramify::optimal {

/// Heights, the width and the leaf, once the rows are known.
void RowSet::measure() {
  n_rows_ = n_rows();
  stride_ = std::size_t{n_rows_} + 1;
  const Problem& problem = *problem_;
  heights_.clear();
  leaf_ = leaf_of(problem, ids_).loss;
  width_ = n_rows_;
  if (problem.is_plain()) return;
  heights_.resize(n_rows_);
  if (problem.loss == Loss::numbers) {
    // The answers of a tree of these rows lie in the range of their values.
    double lowest = INFINITY, highest = -INFINITY;
    for (const std::uint32_t id : ids_) {
      const double y = problem.value[id] / problem.weight[id];
      lowest = std::min(lowest, y);
      highest = std::max(highest, y);
    }
    for (std::uint32_t i = 0; i < n_rows_; ++i) {
      const double w = problem.weight[ids_[i]], y = problem.value[ids_[i]] / w;
      const double far = std::max(y - lowest, highest - y);
      heights_[i] = (std::floor(w * far * far / problem.height_unit) + 1) * problem.height_unit;
    }
  } else {
    for (std::uint32_t i = 0; i < n_rows_; ++i) heights_[i] = problem.height[ids_[i]];
  }
  width_ = std::accumulate(heights_.begin(), heights_.end(), 0.0);
}

/// Lists the ends of the runs of the column that was written last; forgets it if it is constant.
void RowSet::finish_column(std::uint32_t column, std::uint32_t place) {
  const std::uint32_t* order = order_.data() + 1 + place * stride_;
  std::uint32_t* ends = ends_.data() + std::size_t{place} * n_rows_;
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < n_rows_; ++i) {
    ends[n] = i;
    n += order[i] >> 31;
  }
  if (n < 2) return;
  columns_.push_back(column);
  n_runs_.push_back(n);
  if (heights_.empty()) return;
  positions_.resize(ends_.size());
  double* positions = positions_.data() + std::size_t{place} * n_rows_;
  double sum = 0;
  for (std::uint32_t i = 0, run = 0; i < n_rows_; ++i) {
    sum += heights_[order[i] & ~run_end];
    positions[run] = sum;
    run += order[i] >> 31;
  }
}

void RowSet::assign(const Problem& problem) {
  problem_ = &problem;
  ids_.resize(problem.n_rows);
  std::iota(ids_.begin(), ids_.end(), 0u);
  measure();
  columns_.clear();
  n_runs_.clear();
  positions_.clear();
  order_.resize(problem.columns.size() * stride_ + 1);
  ends_.resize(problem.columns.size() * n_rows_ + 1);
  std::vector<std::uint32_t> first;
  for (std::uint32_t j = 0; j < problem.columns.size(); ++j) {
    const auto& codes = problem.columns[j].codes;
    const std::uint32_t place = n_columns();
    std::uint32_t* order = order_.data() + 1 + place * stride_;
    first.assign(*std::ranges::max_element(codes) + 2, 0);
    for (const std::uint32_t code : codes) ++first[code + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    for (std::uint32_t row = 0; row < n_rows_; ++row) order[first[codes[row]]++] = row;
    for (std::size_t code = 0; code + 1 < first.size(); ++code)
      if (first[code] > 0) order[first[code] - 1] |= run_end;
    finish_column(j, place);
  }
}

void RowSet::assign(const RowSet& from, std::uint32_t column, std::uint32_t cut, bool left) {
  problem_ = from.problem_;
  const std::uint32_t n_from = from.n_rows_, end = from.end(column, cut) + 1;
  const std::uint32_t *const sorted = from.order(column), begin = left ? 0 : end,
                             stop = left ? end : n_from;
  constexpr std::uint32_t out = run_end;
  number_.assign(n_from, out);
  for (std::uint32_t i = begin; i < stop; ++i) number_[sorted[i] & ~run_end] = 0;
  ids_.resize(stop - begin);
  for (std::uint32_t row = 0, n = 0; row < n_from; ++row)
    if (number_[row] != out) {
      number_[row] = n;
      ids_[n++] = from.ids_[row];
    }
  measure();
  columns_.clear();
  n_runs_.clear();
  positions_.clear();
  order_.resize(from.n_columns() * stride_ + 2);
  ends_.resize(std::size_t{from.n_columns()} * n_rows_ + 1);
  for (std::uint32_t j = 0; j < from.n_columns(); ++j) {
    const std::uint32_t* const own = from.order(j);
    const std::uint32_t place = n_columns();
    // Each row is written; the next one overwrites it if it is not of this set. The last one of
    // the set gets the marks of those that are not.
    std::uint32_t* const to = order_.data() + 1 + place * stride_ - 1;
    std::uint32_t n = 0, last = 0;
    for (std::uint32_t i = 0; i < n_from; ++i) {
      const std::uint32_t entry = own[i], number = number_[entry & ~run_end], is_in = ~number >> 31;
      n += is_in;
      last = (is_in ? number : last) | (entry & run_end);
      to[n] = last;
    }
    finish_column(from.columns_[j], place);
  }
}

}  // namespace ramify::optimal

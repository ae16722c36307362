// SPDX-License-Identifier: BSD-3-Clause
#include "tree/leaf_values.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace ramify {

std::size_t LeafValues::Hash::operator()(std::uint32_t line) const {
  const auto* bytes = reinterpret_cast<const char*>(own->lines_.data() + line * own->n_values_);
  return std::hash<std::string_view>{}({bytes, own->n_values_ * sizeof(double)});
}

bool LeafValues::Equal::operator()(std::uint32_t a, std::uint32_t b) const {
  const double* lines = own->lines_.data();
  const std::size_t n = own->n_values_;
  return std::memcmp(lines + a * n, lines + b * n, n * sizeof(double)) == 0;
}

LeafValues::LeafValues(const Predictor& predictor, std::size_t n_values, std::size_t n_votes,
                       std::size_t n_parts)
    : predictor_(predictor),
      n_values_(n_values),
      n_votes_(n_votes),
      n_parts_(n_parts),
      distinct_(16, Hash{this}, Equal{this}) {}

void LeafValues::append(std::span<const double> of_nodes, const LinesView* given) {
  if (given) {
    of_tree_.resize(n_trees_ + 1);
    OfTree& own = of_tree_.back();
    own.y_low = given->y_low;
    own.y_high = given->y_high;
    own.begin.push_back(terms_.size());
    for (const std::int64_t column : given->column) n_columns_ = std::max(n_columns_, column + 1);
    for (const std::size_t node : predictor_.leaf_nodes(n_trees_)) {
      for (auto i = given->begin[node]; i < given->begin[node + 1]; ++i)
        terms_.push_back({.column = given->column[i],
                          .slope = given->slope[i],
                          .low = given->low[i],
                          .high = given->high[i],
                          .fill = given->fill[i]});
      own.begin.push_back(terms_.size());
    }
  }
  for (const std::size_t node : predictor_.leaf_nodes(n_trees_)) {
    const std::span<const double> values = of_nodes.subspan(node * n_values_, n_values_);
    lines_.insert(lines_.end(), values.begin(), values.end());
    if (n_values_ == 1) continue;
    // Most leaves of a large forest are pure: few lines differ.
    const auto own = static_cast<std::uint32_t>(lines_.size() / n_values_ - 1);
    const auto [found, is_new] = distinct_.insert(own);
    if (!is_new) lines_.resize(lines_.size() - n_values_);
    line_of_leaf_.push_back(*found);
  }
  ++n_trees_;
}

/// Adds the values of a leaf, or votes.
inline void LeafValues::take(const double* values, double* sum) const {
  if (n_votes_ == 0) {
    for (std::size_t k = 0; k < n_values_; ++k) sum[k] += values[k];
    return;
  }
  const std::size_t n_classes = n_values_ / n_votes_;
  for (std::size_t first = 0; first < n_values_; first += n_classes)
    sum[std::max_element(values + first, values + first + n_classes) - values] += 1;
}

/// What a leaf with a line predicts: products are rounded, and added in the order of the terms.
double LeafValues::on_line(const RawMatrix& X, std::int64_t row, std::size_t tree,
                           std::size_t leaf) const {
  const OfTree& own = of_tree_[tree];
  double sum = lines_[predictor_.leaf_begin(tree) + leaf];
  const char* cells = X.row(row);
  for (std::size_t i = own.begin[leaf]; i < own.begin[leaf + 1]; ++i) {
    const std::int64_t offset = terms_[i].column * X.column_stride;
    sum += terms_[i].value(X.is_float() ? static_cast<double>(value_at<float>(cells, offset))
                                        : value_at<double>(cells, offset));
  }
  return std::clamp(sum, own.y_low, own.y_high);
}

/// Adds the weighted average of the leaves of a row that goes down every branch.
void LeafValues::add_average(const RawMatrix& X, std::int64_t row, std::size_t tree,
                             double* sum) const {
  std::vector<double> average(n_values_);
  for (const auto [leaf, share] : predictor_.reached(tree, X, row)) {
    const double* values = line(predictor_.leaf_begin(tree) + leaf);
    for (std::size_t k = 0; k < n_values_; ++k) average[k] += share * values[k];
  }
  take(average.data(), sum);
}

/// One row, all trees interleaved.
void LeafValues::add_row(const RawMatrix& X, std::int64_t row, bool has_missing, std::size_t first,
                         std::size_t last, Skip skip, double* sums) const {
  constexpr std::size_t together = 256;
  std::uint32_t leaves[together];
  for (std::size_t begin = first; begin < last; begin += together) {
    const std::size_t end = std::min(last, begin + together);
    predictor_.find_in_trees(X, row, has_missing, begin, end, leaves);
    for (std::size_t t = begin; t < end; ++t) {
      if (!skip.empty() && skip[t * X.n_rows + row]) continue;
      double* sum = sums + t % n_parts_ * n_values_;
      if (!of_tree_.empty())
        *sum += on_line(X, row, t, leaves[t - begin]);
      else if (has_missing && predictor_.is_fractional(t))
        add_average(X, row, t, sum);
      else
        take(line(predictor_.leaf_begin(t) + leaves[t - begin]), sum);
    }
  }
}

void LeafValues::add(const RawMatrix& X, bool has_missing, std::size_t first, std::size_t last,
                     Skip skip, double* sums, int n_threads, Stop& stop) const {
  const std::size_t width = n_parts_ * n_values_;
  constexpr std::int64_t few = 12;  // as many walk side by side
  if (X.n_rows < few) {
    for (std::int64_t row = 0; row < X.n_rows; ++row)
      add_row(X, row, has_missing, first, last, skip, sums + row * width);
    return;
  }
  const int n_workers = std::max(1, n_threads);
  std::vector<RowBlock> blocks(n_workers);
  std::vector<std::vector<std::uint32_t>> found(n_workers);
  const auto add_block = [&](std::int64_t begin, std::int64_t end, int worker) {
    const RawMatrix rows = blocks[worker].rows(X, begin, end);
    const std::size_t n = rows.n_rows;
    std::vector<std::uint32_t>& leaves = found[worker];
    leaves.resize(n);
    double* own = sums + begin * width;
    for (std::size_t t = first; t < last && !stop.is_wanted(worker); ++t) {
      const std::uint8_t* skipped = skip.empty() ? nullptr : skip.data() + t * X.n_rows + begin;
      double* sum = own + t % n_parts_ * n_values_;
      if (!of_tree_.empty()) {
        predictor_.find_leaves(t, rows, has_missing, leaves.data());
        for (std::size_t row = 0; row < n; ++row)
          if (!skipped || !skipped[row])
            sum[row * width] += on_line(rows, static_cast<std::int64_t>(row), t, leaves[row]);
        continue;
      }
      if (has_missing && predictor_.is_fractional(t)) {
        for (std::size_t row = 0; row < n; ++row)
          if (!skipped || !skipped[row]) add_average(rows, row, t, sum + row * width);
        continue;
      }
      predictor_.find_leaves(t, rows, has_missing, leaves.data());
      const std::size_t begin_of_leaves = predictor_.leaf_begin(t);
      if (n_values_ == 1 && n_votes_ == 0 && !skipped) {
        const double* values = lines_.data() + begin_of_leaves;
        for (std::size_t row = 0; row < n; ++row) sum[row * width] += values[leaves[row]];
        continue;
      }
      if (n_values_ == 2 && n_votes_ == 0 && !skipped) {
        const std::uint32_t* own_line = line_of_leaf_.data() + begin_of_leaves;
        for (std::size_t row = 0; row < n; ++row) {
          const double* values = lines_.data() + 2 * std::size_t{own_line[leaves[row]]};
          sum[row * width] += values[0];
          sum[row * width + 1] += values[1];
        }
        continue;
      }
      for (std::size_t row = 0; row < n; ++row)
        if (!skipped || !skipped[row]) take(line(begin_of_leaves + leaves[row]), sum + row * width);
    }
  };
  each_block(X.n_rows, predictor_.rows_together(), n_threads, stop, add_block);
}

}  // namespace ramify

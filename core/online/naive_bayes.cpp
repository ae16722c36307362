// SPDX-License-Identifier: BSD-3-Clause
#include "online/naive_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "simd/clones.hpp"

namespace ramify::online {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Welford's update, column by column; n is a multiple of four. A missing value changes nothing.
RAMIFY_CLONES void add_row(const double* x, double weight, double* weights, double* means,
                           double* squares, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 4)
    for (std::size_t lane = i; lane < i + 4; ++lane) {
      const bool is_known = x[lane] == x[lane];
      const double own = is_known ? x[lane] : means[lane];
      const double all = weights[lane] + (is_known ? weight : 0);
      const double from_mean = own - means[lane];
      const double mean = means[lane] + from_mean * (weight / (all > 0 ? all : 1));
      squares[lane] += weight * from_mean * (own - mean);
      weights[lane] = all;
      means[lane] = mean;
    }
}

/// Returns whether a value was outside.
RAMIFY_CLONES bool widen(const double* x, double* low, double* high, std::size_t n) {
  std::int64_t outside[4] = {};
  for (std::size_t i = 0; i < n; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double value = x[i + lane];
      outside[lane] += (value < low[i + lane]) | (value > high[i + lane]) ? 1 : 0;
      low[i + lane] = value < low[i + lane] ? value : low[i + lane];
      high[i + lane] = value > high[i + lane] ? value : high[i + lane];
    }
  return outside[0] + outside[1] + outside[2] + outside[3] > 0;
}

RAMIFY_CLONES double distance(const double* x, const double* means, const double* inverses,
                              std::size_t n) {
  double sum[4] = {};
  for (std::size_t i = 0; i < n; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double from_mean = x[i + lane] - means[i + lane];
      sum[lane] += from_mean * from_mean * inverses[i + lane];
    }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// The sum of the logarithms of some positive numbers, few of which are taken: of products.
class LogSum {
 public:
  void add(double x) {
    product_ *= x;
    if (product_ > 1e-200 && product_ < 1e200) return;
    sum_ += std::log(product_);
    product_ = 1;
  }
  double total() const { return sum_ + std::log(product_); }

 private:
  double sum_ = 0, product_ = 1;
};

}  // namespace

NaiveBayes::NaiveBayes(const Columns& columns, std::size_t n_classes)
    : n_classes_(n_classes),
      width_((columns.numeric.size() + 3) / 4 * 4),
      n_category_cells_(columns.category_cells.n_cells),
      low_(width_, infinity),
      high_(width_, -infinity),
      moments_(n_classes * 4 * width_),
      per_class_(2 * n_classes),
      categories_(n_category_cells_ * n_classes),
      is_stale_(n_classes, 1) {}

void NaiveBayes::learn(const Columns& columns, const BayesRow& row, std::uint32_t label,
                       double weight) {
  is_weighted_ = is_weighted_ || weight != 1;
  rows_of(label) += weight;
  is_stale_[label] = 1;
  add_row(row.numbers, weight, weights(label), means(label), squares(label), width_);
  // The least variances follow from the range.
  if (widen(row.numbers, low_.data(), high_.data(), width_))
    std::ranges::fill(is_stale_, std::uint8_t{1});
  for (std::size_t i = 0; i < columns.categorical.size(); ++i) {
    const std::uint8_t cell = row.cells[columns.categorical[i]];
    if (cell == 0) continue;
    double* counts = categories_.data() + columns.category_cells.first[i] * n_classes_ + label;
    counts[cell * n_classes_] += weight;
    counts[0] += weight;
  }
}

/// A column without any spread in the leaf says nothing. A class without a value in a column is as
/// likely anywhere in the range of the leaf.
void NaiveBayes::refresh(std::size_t k, double class_weight) {
  is_stale_[k] = 0;
  LogSum logs;
  for (std::size_t j = 0; j < width_; ++j) {
    const double n = weights(k)[j];
    const double degrees = is_weighted_ ? n : n - 1;
    const double own = degrees > 0 ? squares(k)[j] / degrees : 0;
    const double variance = std::max(own, least_variance(j));
    inverses(k)[j] = n > 0 && variance > 0 ? 1 / variance : 0;
    if (n > 0 && variance > 0)
      logs.add(2 * std::numbers::pi * variance);
    else if (high_[j] > low_[j])
      logs.add((high_[j] - low_[j]) * (high_[j] - low_[j]));
  }
  log_of(k) = std::log(class_weight) - logs.total() / 2;
}

double NaiveBayes::log_density(std::size_t k, const BayesRow& row, double class_weight) {
  if (!row.has_missing) return log_of(k) - distance(row.numbers, means(k), inverses(k), width_) / 2;
  double sum = 0;  // only the columns with a value
  LogSum logs;
  for (std::size_t j = 0; j < width_; ++j) {
    const double x = row.numbers[j], inverse = inverses(k)[j];
    if (std::isnan(x)) continue;
    const double from_mean = x - means(k)[j];
    sum += from_mean * from_mean * inverse;
    if (inverse > 0)
      logs.add(2 * std::numbers::pi / inverse);
    else if (high_[j] > low_[j])
      logs.add((high_[j] - low_[j]) * (high_[j] - low_[j]));
  }
  return std::log(class_weight) - (logs.total() + sum) / 2;
}

double NaiveBayes::log_categories(const Columns& columns, std::size_t k,
                                  const BayesRow& row) const {
  LogSum logs;
  for (std::size_t i = 0; i < columns.categorical.size(); ++i) {
    const std::uint32_t j = columns.categorical[i];
    const std::uint8_t cell = row.cells[j];
    if (cell == 0 || cell >= columns.category_cells.capacity[i]) continue;
    const double* counts = categories_.data() + columns.category_cells.first[i] * n_classes_ + k;
    logs.add((counts[cell * n_classes_] + 1) / (counts[0] + columns.all[j].n_categories));
  }
  return logs.total();
}

void NaiveBayes::log_posteriors(const Columns& columns, const BayesRow& row,
                                std::span<const double> class_weights, double* to) {
  for (std::size_t k = 0; k < n_classes_; ++k) {
    if (!(class_weights[k] > 0)) {
      to[k] = -infinity;
      continue;
    }
    if (is_stale_[k]) refresh(k, class_weights[k]);
    to[k] = log_density(k, row, class_weights[k]);
    if (!columns.categorical.empty()) to[k] += log_categories(columns, k, row);
  }
}

std::uint32_t NaiveBayes::answer(const Columns& columns, const BayesRow& row,
                                 std::span<const double> class_weights) {
  double best = -infinity;
  std::uint32_t answer = 0;
  constexpr std::size_t few = 64;
  double few_posteriors[few];
  std::vector<double> many(n_classes_ > few ? n_classes_ : 0);
  double* posteriors = many.empty() ? few_posteriors : many.data();
  log_posteriors(columns, row, class_weights, posteriors);
  for (std::uint32_t k = 0; k < n_classes_; ++k)
    if (posteriors[k] > best) {
      best = posteriors[k];
      answer = k;
    }
  return answer;
}

NaiveBayes NaiveBayes::scaled(double n_rows) const {
  NaiveBayes child = *this;
  std::ranges::fill(child.low_, infinity);
  std::ranges::fill(child.high_, -infinity);
  std::ranges::fill(child.is_stale_, 1);
  for (std::size_t k = 0; k < n_classes_; ++k) {
    const double rows = child.rows_of(k);
    if (!(rows > n_rows)) continue;
    const double share = n_rows / rows;
    child.rows_of(k) = n_rows;
    for (std::size_t j = 0; j < width_; ++j) {
      child.weights(k)[j] *= share;
      child.squares(k)[j] *= share;
    }
    for (std::size_t cell = 0; cell < n_category_cells_; ++cell)
      child.categories_[cell * n_classes_ + k] *= share;
  }
  return child;
}

void NaiveBayes::rearrange(const Columns& columns, const Cells& old, std::size_t n_classes) {
  if (empty()) return;
  NaiveBayes wider(columns, n_classes);
  wider.is_weighted_ = is_weighted_;
  wider.low_ = low_;
  wider.high_ = high_;
  std::ranges::copy(moments_, wider.moments_.begin());
  std::ranges::copy(per_class_, wider.per_class_.begin());
  for (std::size_t i = 0; i < old.first.size(); ++i)
    for (std::size_t cell = 0; cell < old.capacity[i]; ++cell)
      std::ranges::copy_n(
          categories_.begin() + (old.first[i] + cell) * n_classes_, n_classes_,
          wider.categories_.begin() + (columns.category_cells.first[i] + cell) * n_classes);
  *this = std::move(wider);
}

void NaiveBayes::forget_caches() {
  std::ranges::fill(is_stale_, std::uint8_t{1});
  for (std::size_t k = 0; k < n_classes_ && !empty(); ++k) {
    std::fill_n(inverses(k), width_, 0.0);
    log_of(k) = 0;
  }
}

bool NaiveBayes::fits(const Columns& columns, std::size_t n_classes) const {
  if (empty()) return true;
  const NaiveBayes like(columns, n_classes);
  return n_classes_ == n_classes && width_ == like.width_ &&
         n_category_cells_ == like.n_category_cells_ && low_.size() == width_ &&
         high_.size() == width_ && moments_.size() == like.moments_.size() &&
         per_class_.size() == like.per_class_.size() &&
         categories_.size() == like.categories_.size() && is_stale_.size() == n_classes;
}

}  // namespace ramify::online

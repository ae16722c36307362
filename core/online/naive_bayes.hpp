// SPDX-License-Identifier: BSD-3-Clause
// Naive Bayes in a leaf: moments of numbers and counts of categories, class by class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "online/columns.hpp"

namespace ramify::online {

/// The cells of a row as naive Bayes reads them.
struct BayesRow {
  const double* numbers;      // of the numeric columns, padded to a multiple of four with zeros
  const std::uint8_t* cells;  // of all columns
  bool has_missing;           // whether a number is missing
};

class NaiveBayes {
 public:
  NaiveBayes() = default;
  NaiveBayes(const Columns& columns, std::size_t n_classes);

  void learn(const Columns& columns, const BayesRow& row, std::uint32_t label, double weight);
  /// The class of the highest posterior, given the class weights of the leaf.
  std::uint32_t answer(const Columns& columns, const BayesRow& row,
                       std::span<const double> class_weights);
  /// The posteriors themselves, as logarithms; minus infinity of classes that never came.
  void log_posteriors(const Columns& columns, const BayesRow& row,
                      std::span<const double> class_weights, double* to);

  /// What the leaf knows as if it came from so many rows of each class, at most.
  NaiveBayes scaled(double n_rows) const;
  void forget_caches();
  /// Makes room for more categories or classes.
  void rearrange(const Columns& columns, const Cells& old, std::size_t n_classes);

  /// Whether everything has the size that it should have.
  bool fits(const Columns& columns, std::size_t n_classes) const;
  bool empty() const { return n_classes_ == 0; }
  std::size_t n_bytes() const {
    return (moments_.size() + categories_.size() + per_class_.size()) * sizeof(double);
  }

  template <class Bytes>
  void transfer(Bytes& bytes) {
    forget_caches();  // so that bytes do not depend on who asked what
    bytes.wide(n_classes_, width_, n_category_cells_);
    bytes(is_weighted_, low_, high_, moments_, per_class_, categories_, is_stale_);
  }

 private:
  // By class a stretch of numbers by column: weight, mean, squared deviations, inverse variance.
  double* weights(std::size_t k) { return moments_.data() + k * 4 * width_; }
  double* means(std::size_t k) { return weights(k) + width_; }
  double* squares(std::size_t k) { return weights(k) + 2 * width_; }
  double* inverses(std::size_t k) { return weights(k) + 3 * width_; }
  double& rows_of(std::size_t k) { return per_class_[2 * k]; }     // weight of the class
  double& log_of(std::size_t k) { return per_class_[2 * k + 1]; }  // of prior and variances
  double least_variance(std::size_t j) const {
    const double step = (high_[j] - low_[j]) / 64;
    return high_[j] > low_[j] ? step * step : 0;
  }
  void refresh(std::size_t k, double class_weight);
  double log_density(std::size_t k, const BayesRow& row, double class_weight);
  double log_categories(const Columns& columns, std::size_t k, const BayesRow& row) const;

  std::size_t n_classes_ = 0, width_ = 0, n_category_cells_ = 0;
  bool is_weighted_ = false;
  std::vector<double> low_, high_;  // of the values of each numeric column in the leaf
  std::vector<double> moments_, per_class_;
  std::vector<double> categories_;      // [cell][class]; those of "missing" count the others
  std::vector<std::uint8_t> is_stale_;  // classes whose inverse variances are to be made anew
};

}  // namespace ramify::online

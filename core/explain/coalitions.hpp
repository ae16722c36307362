// SPDX-License-Identifier: BSD-3-Clause
// The coalitions of a row x and a background row b on the way down a tree: a column at which the
// two diverge belongs to x or to b from then on. A leaf behind u columns of x and l of b is reached
// by the coalitions that hold the former and none of the latter, and adds to each of them a share
// of its value, the integral of t^u (1 - t)^l with one factor less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/shap.hpp"

namespace ramify {

class Coalitions {
 public:
  enum Side : std::uint8_t { none, of_x, of_b };

  /// For up to `n_on_path` different columns on a path, and `max_values` values of a leaf.
  Coalitions(std::size_t n_columns, std::size_t n_on_path, std::size_t max_values)
      : n_(n_on_path + 1),
        beta_(n_ * n_),
        side_(n_columns, none),
        sums_(n_ * 4 * max_values),
        values_(n_columns * max_values) {
    // B(u, l) = u! l! / (u + l + 1)!, from B(0, l) = 1 / (l + 1) on.
    for (std::size_t l = 0; l < n_; ++l) {
      beta_[l] = 1 / static_cast<double>(l + 1);
      for (std::size_t u = 1; u < n_; ++u)
        beta_[u * n_ + l] =
            beta_[(u - 1) * n_ + l] * static_cast<double>(u) / static_cast<double>(u + l + 1);
    }
  }

  /// Begins a walk. Interactions, if requested, are added directly to the sums of `row`, times
  /// `factor`; names[i] is the column that is called i here, which is i itself if there are none.
  void start(std::size_t n_values, std::span<const std::uint32_t> names, double factor,
             std::size_t row, const ShapSums& out) {
    n_values_ = n_values, names_ = names, factor_ = factor, row_ = row, out_ = &out;
  }
  Side side(std::size_t column) const { return side_[column]; }
  /// What each column gains, [column][k], added up over walks.
  std::vector<double>& values() { return values_; }
  /// Memory for the result of a walk: what each column of x gains and each of b loses, twice k.
  double* result() { return sums_.data(); }

  /// Sets the result to that of a leaf.
  void reach(const double* value, double* result) const {
    const double gained = u_ > 0 ? beta(u_ - 1, l_) : 0, lost = l_ > 0 ? beta(u_, l_ - 1) : 0;
    for (std::size_t k = 0; k < n_values_; ++k) {
      result[k] = gained * value[k];
      result[n_values_ + k] = lost * value[k];
    }
    if (out_->interactions) add_interactions(value);
  }

  /// Gives a column to x and then to b, and adds up the results of what either calls.
  template <class WithX, class WithB>
  void part(std::size_t column, double* result, WithX with_x, WithB with_b) {
    double *mine = sums_.data() + (u_ + l_) * 4 * n_values_, *other = mine + 2 * n_values_;
    diverged_.push_back(static_cast<std::uint32_t>(column));
    side_[column] = of_x, ++u_;
    with_x(mine);
    side_[column] = of_b, --u_, ++l_;
    with_b(other);
    side_[column] = none, --l_;
    diverged_.pop_back();
    double* value = values_.data() + column * n_values_;
    for (std::size_t k = 0; k < n_values_; ++k) value[k] += mine[k] - other[n_values_ + k];
    for (std::size_t k = 0; k < 2 * n_values_; ++k) result[k] = mine[k] + other[k];
  }

 private:
  double beta(std::size_t u, std::size_t l) const { return beta_[u * n_ + l]; }
  /// What a pair gains together: two columns of x, two of b, or one of each.
  double both(bool one_is_of_x, bool other_is_of_x) const {
    if (one_is_of_x && other_is_of_x) return beta(u_ - 2, l_);
    if (!one_is_of_x && !other_is_of_x) return beta(u_, l_ - 2);
    return -beta(u_ - 1, l_ - 1);
  }
  std::size_t name(std::size_t column) const { return names_.empty() ? column : names_[column]; }
  void add_interactions(const double* value) const {
    for (std::size_t i = 0; i < diverged_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const std::size_t one = diverged_[i], other = diverged_[j];
        out_->add(row_, name(one), name(other),
                  factor_ * both(side_[one] == of_x, side_[other] == of_x) / 2, value, n_values_);
      }
  }

  std::size_t n_;
  std::vector<double> beta_;
  std::size_t n_values_ = 1, u_ = 0, l_ = 0, row_ = 0;
  std::span<const std::uint32_t> names_;
  double factor_ = 1;
  const ShapSums* out_ = nullptr;
  std::vector<Side> side_;
  std::vector<std::uint32_t> diverged_;
  std::vector<double> sums_;    // [columns that have diverged][of x and b][two sums][k]
  std::vector<double> values_;  // [column][k]
};

}  // namespace ramify

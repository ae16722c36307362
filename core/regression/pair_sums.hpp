// SPDX-License-Identifier: BSD-3-Clause
// The sum of distances over all pairs of a shrinking set of target values.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "regression/ordered.hpp"

namespace ramify {

/// Factor that makes half the mean distance of pairs among n rows unbiased; at most 2.
inline double unbiased_factor(double n_rows) { return n_rows > 2 ? n_rows / (n_rows - 1) : 2; }

/// The weight times half the mean distance of a pair. `unit`: the number of rows that a weight of 1
/// stands for, or 0 for no small-sample correction.
inline double loss_of_pairs(double pairs, double total, double unit) {
  if (total <= 0 || pairs <= 0) return 0;
  return pairs / total * (unit > 0 ? unbiased_factor(total * unit) : 1);
}

/// A sum of products in twice the precision of a double, so that the order in which rows leave does
/// not matter.
class LongSum {
 public:
  void add(double x) {
    const double sum = high_ + x, part = sum - high_;
    low_ += (high_ - (sum - part)) + (x - part);
    high_ = sum;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    low_ += std::fma(a, b, -product);
  }
  void add_product(double a, const LongSum& b) {
    add_product(a, b.high_);
    low_ += a * b.low_;
  }
  double value() const { return high_ + low_; }

 private:
  double high_ = 0, low_ = 0;
};

/// Two Fenwick trees over the places of the target values, of weights and of weights times values:
/// they yield the distance of a value from all that remain.
class PairSums {
 public:
  /// weight(i) is that of the target value at place i, sum(i) their product, rounded so that sums
  /// are exact. For `unit` see loss_of_pairs.
  template <class Weight, class Sum>
  PairSums(std::span<const double> ascending, OrderBuffers& room, Weight weight, Sum sum,
           double unit)
      : regression_(ascending), unit_(unit), weight_(room.weight), sum_(room.sum) {
    const std::size_t n = ascending.size();
    weight_.assign(n + 1, 0);
    sum_.assign(n + 1, 0);
    for (std::size_t i = 1; i <= n; ++i) {
      const double own = weight(i - 1), y = ascending[i - 1];
      LongSum distance;
      distance.add_product(y, total_);
      distance.add(-all_);
      pairs_.add_product(own, distance);
      total_ += own;
      all_ += sum(i - 1);
      weight_[i] += own;
      sum_[i] += sum(i - 1);
      const std::size_t parent = i + (i & (~i + 1));
      if (parent > n) continue;
      weight_[parent] += weight_[i];
      sum_[parent] += sum_[i];
    }
  }

  void prefetch_at(std::uint32_t) const {}

  void remove(std::uint32_t place, double weight, double sum) {
    const double y = regression_[place];
    double before = 0, sum_before = 0;
    for (std::size_t i = place; i > 0; i -= i & (~i + 1)) {
      before += weight_[i];
      sum_before += sum_[i];
    }
    // A value has distance 0 from itself, so it may count among those above.
    LongSum distance;
    distance.add_product(y, 2 * before - total_);
    distance.add(all_ - sum_before);
    distance.add(-sum_before);
    pairs_.add_product(-weight, distance);
    for (std::size_t i = place + std::size_t{1}; i < weight_.size(); i += i & (~i + 1)) {
      weight_[i] -= weight;
      sum_[i] -= sum;
    }
    total_ -= weight;
    all_ -= sum;
  }

  double loss() const { return loss_of_pairs(pairs_.value(), total_, unit_); }
  double value() const { return total_ > 0 ? all_ / total_ : 0; }

 private:
  std::span<const double> regression_;
  double unit_;
  std::vector<double>&weight_, &sum_;
  double total_ = 0, all_ = 0;
  LongSum pairs_;
};

}  // namespace ramify

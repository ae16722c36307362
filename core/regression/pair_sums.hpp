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

/// The sums of the values that remain yield the distance of a value from all of them.
class PairSums {
 public:
  /// `sums` are rounded so that they are exact. For `unit` see loss_of_pairs.
  template <class Weight>
  PairSums(std::span<const double> ascending, Weight weight, RemainingSums sums, double unit)
      : ascending_(ascending), unit_(unit), sums_(sums) {
    for (std::size_t i = 0; i < ascending.size(); ++i) {
      const auto [_, before, sum_before] = sums_.before(i);
      LongSum distance;
      distance.add_product(ascending[i], before);
      distance.add(-sum_before);
      pairs_.add_product(weight(i), distance);
    }
  }

  void prefetch_at(std::uint32_t) const {}

  void remove(std::uint32_t place, double weight, double sum) {
    const auto [_, before, sum_before] = sums_.before(place);
    // A value has distance 0 from itself, so it may count among those above.
    LongSum distance;
    distance.add_product(ascending_[place], 2 * before - sums_.all().weight);
    distance.add(sums_.all().sum - sum_before);
    distance.add(-sum_before);
    pairs_.add_product(-weight, distance);
    sums_.remove(place, weight, sum);
  }

  double loss() const { return loss_of_pairs(pairs_.value(), sums_.all().weight, unit_); }
  double value() const {
    const auto [_, total, sum] = sums_.all();
    return total > 0 ? sum / total : 0;
  }

 private:
  std::span<const double> ascending_;
  double unit_;
  RemainingSums sums_;
  LongSum pairs_;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "model_trees/node_parts.hpp"

#include <algorithm>
#include <cmath>

#include "util/exact_sum.hpp"

namespace ramify {
namespace {

/// Rounds terms, times their weights, to multiples of a power of two.
class Steps {
 public:
  Steps(double total, double n, double largest, double heaviest) : repeats_(total < max_repeats) {
    const Rounding rounding(repeats_ ? largest : largest * heaviest, repeats_ ? total : n);
    up_ = power_of_two(rounding.bits - rounding.exponent);
    down_ = power_of_two(rounding.exponent - rounding.bits);
  }
  double part(double term, double times) const {
    return repeats_ ? nearest_integer(term * up_) * down_ * times
                    : nearest_integer(term * times * up_) * down_;
  }

 private:
  bool repeats_;
  double up_, down_;
};

}  // namespace

void NodeParts::read(const LineSample& sample, Segment node, std::span<const double> number) {
  const std::span<const std::uint32_t> rows = sample.rows(node);
  sum.resize(sample.n_rows());
  square.resize(sample.n_rows());
  term_.resize(rows.size());
  times_.resize(rows.size());
  double total = 0, heaviest = 0, largest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    term_[i] = number[rows[i]];
    times_[i] = sample.times[rows[i]];
    total += times_[i];
    heaviest = std::max(heaviest, times_[i]);
  }
  mean = exact_sum(term_, times_) / total;
  for (double& term : term_) {
    term -= mean;
    largest = std::max(largest, std::abs(term));
  }
  const auto n = static_cast<double>(rows.size());
  const Steps once(total, n, largest, heaviest), twice(total, n, largest * largest, heaviest);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sum[rows[i]] = once.part(term_[i], times_[i]) * sample.unit;
    term_[i] *= term_[i];
    square[rows[i]] = twice.part(term_[i], times_[i]) * sample.unit;
  }
  weight = total * sample.unit;
  squares = exact_sum(term_, times_) * sample.unit;
}

}  // namespace ramify

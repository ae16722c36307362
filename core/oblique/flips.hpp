// SPDX-License-Identifier: BSD-3-Clause
// Where the rows change sides along a line of hyperplanes, value + t * slope.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "oblique/problem.hpp"

namespace ramify {

/// A row that changes sides at `place`.
struct Flip {
  double place;
  std::uint32_t row, label;
  bool to_left;
};

/// Distributes the positions of the rows to ascending buckets, and sorts those of any buckets.
class FlipOrder {
 public:
  explicit FlipOrder(const ObliqueProblem& problem) : problem_(problem), key_(problem.n_rows) {}

  /// Finds the bucket of every row. Returns false if no row ever flips.
  bool locate(const double* value, const double* slope, std::size_t n_buckets);

  /// For each row 2 * bucket, plus 1 if it is on the right for very low t. Rows that never flip are
  /// behind the last bucket.
  std::span<const std::uint16_t> keys() const { return key_; }
  std::size_t n_buckets() const { return n_buckets_; }

  /// The flips in order, of those buckets whose `size` (number of rows) is not 0. Valid until the
  /// next call.
  std::span<const Flip> sorted(std::span<const std::uint32_t> size);

  /// Whether two positions are further apart than rounding may put them.
  bool are_apart(double low, double high) const {
    const double gap = high - low;
    return gap > 1e-12 * (reach_ + std::fabs(low) + std::fabs(high)) &&
           gap < std::numeric_limits<double>::max();
  }

 private:
  bool find_scale();

  const ObliqueProblem& problem_;
  const double *value_ = nullptr, *slope_ = nullptr;
  double reach_ = 1;  // the size of a usual position
  double flat_ = 0;   // slopes up to here count as zero
  std::size_t n_buckets_ = 0;
  std::vector<std::uint16_t> key_;
  std::vector<std::uint32_t> end_;
  std::vector<Flip> flips_;
};

}  // namespace ramify

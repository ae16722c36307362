// SPDX-License-Identifier: BSD-3-Clause
// ADWIN (Bifet, Gavalda 2007): the mean of the most recent values, of as many as have not changed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ramify::online {

/// A window of values as buckets of 1, 2, 4 ... of them, at most five of a size. Every so many
/// values the oldest buckets go for as long as their mean differs from that of the rest.
class Adwin {
 public:
  explicit Adwin(double delta = 0.002) : delta_(delta) {}

  /// Adds a value in [0, 1]. Returns whether the mean has changed.
  bool add(double value) {
    if (rows_.empty()) rows_.emplace_back();
    if (n_ > 0) {
      const double from_mean = value - sum_ / n_;
      deviation_ += n_ * from_mean * from_mean / (n_ + 1);
    }
    rows_[0].push_back({value, 0});
    n_ += 1;
    sum_ += value;
    compress();
    return ++time_ % test_every == 0 && n_ > least_width && shrink();
  }

  double width() const { return n_; }
  double mean() const { return n_ > 0 ? sum_ / n_ : 0; }

  /// Writes or reads the state.
  template <class Bytes>
  void transfer(Bytes& bytes) {
    bytes(delta_, n_, sum_, deviation_);
    bytes.wide(time_);
    bytes.each(rows_, 8, [&](auto& row) {
      bytes.each(row, 16, [&](auto& bucket) { bytes(bucket.sum, bucket.deviation); });
    });
  }
  std::size_t n_bytes() const { return sizeof(*this) + rows_.size() * 6 * sizeof(Bucket); }

 private:
  static constexpr std::uint64_t test_every = 32;
  static constexpr double least_width = 10, least_part = 5;
  static constexpr std::size_t max_of_size = 5;

  struct Bucket {
    double sum = 0, deviation = 0;  // of its values, and of their squares from their mean
  };

  static double size_of(std::size_t row) { return std::ldexp(1.0, static_cast<int>(row)); }

  void compress() {
    for (std::size_t row = 0; row < rows_.size() && rows_[row].size() > max_of_size; ++row) {
      if (row + 1 == rows_.size()) rows_.emplace_back();
      const Bucket a = rows_[row][0], b = rows_[row][1];
      const double size = size_of(row), apart = (a.sum - b.sum) / size;
      rows_[row + 1].push_back(
          {a.sum + b.sum, a.deviation + b.deviation + size * apart * apart / 2});
      rows_[row].erase(rows_[row].begin(), rows_[row].begin() + 2);
    }
  }

  /// Whether two parts of the window differ.
  bool differ(double n_old, double sum_old) const {
    const double n_new = n_ - n_old;
    if (n_old < least_part || n_new < least_part) return false;
    const double apart = std::abs(sum_old / n_old - (sum_ - sum_old) / n_new);
    const double log_term = std::log(2 * std::log(n_) / delta_);
    const double inverse = 1 / (n_old - least_part + 1) + 1 / (n_new - least_part + 1);
    const double variance = deviation_ / n_;
    return apart > std::sqrt(2 * inverse * variance * log_term) + 2.0 / 3 * log_term * inverse;
  }

  void drop_oldest() {
    std::vector<Bucket>& oldest = rows_.back();
    const Bucket gone = oldest.front();
    const double size = size_of(rows_.size() - 1), rest = n_ - size;
    const double apart = gone.sum / size - (sum_ - gone.sum) / rest;
    n_ = rest;
    sum_ -= gone.sum;
    deviation_ =
        std::max(deviation_ - gone.deviation - size * rest * apart * apart / (size + rest), 0.0);
    oldest.erase(oldest.begin());
    while (!rows_.empty() && rows_.back().empty()) rows_.pop_back();
  }

  bool shrink() {
    bool has_changed = false;
    for (bool again = true; again;) {
      again = false;
      double n_old = 0, sum_old = 0;
      for (std::size_t row = rows_.size(); row-- > 0 && !again;)
        for (const Bucket& bucket : rows_[row]) {
          n_old += size_of(row);
          sum_old += bucket.sum;
          if (n_old >= n_) break;
          if (!differ(n_old, sum_old)) continue;
          again = has_changed = true;
          break;
        }
      if (again) {
        drop_oldest();
        again = n_ > least_width;
      }
    }
    return has_changed;
  }

  double delta_, n_ = 0, sum_ = 0, deviation_ = 0;
  std::uint64_t time_ = 0;
  std::vector<std::vector<Bucket>> rows_;
};

}  // namespace ramify::online

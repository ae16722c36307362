// SPDX-License-Identifier: BSD-3-Clause
// Quantiles of a shrinking set of target values, and the loss around them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "regression/target.hpp"
#include "simd/prefetch.hpp"

namespace ramify {

/// Pinball loss around the quantile q, from the totals and from the weight and sum of the values
/// before q: level times the distance of each value above, 1 - level times that of each below.
inline double pinball(double level, double q, double total, double sum, double before,
                      double sum_before) {
  return level * ((sum - sum_before) - q * (total - before)) +
         (1 - level) * (q * before - sum_before);
}

/// Buffers for the two classes below, and for a column whose rows leave one by one.
struct OrderBuffers {
  struct Link {
    std::uint32_t previous, next;
    double y;
  };
  std::vector<Link> links;
  std::vector<double> weight, sum;

  std::vector<std::uint32_t> rows;       // that move to the left, one after the other
  std::vector<std::uint32_t> places;     // of these rows, in the current output
  std::vector<std::uint32_t> fixed;      // that stay on one side
  std::vector<std::uint32_t> absent;     // rows of the node that do not count
  std::vector<std::uint32_t> cut, code;  // rows moved before each cut; the code of the last one
  // By cut, fixed rows on the right, then on the left: the loss of both sides and the tie-breaker.
  std::vector<double> loss[2], tie[2], left_value[2], right_value[2], left_weight;
};

/// For unit weights: a linked list of the remaining values. When one leaves, the quantile moves by
/// at most one place.
class CountedQuantile {
 public:
  CountedQuantile(std::span<const double> ascending, double level, OrderBuffers& room)
      : level_(level), n_(static_cast<std::uint32_t>(ascending.size())) {
    // The first and the last link stand for the ends of the list.
    room.links.resize(ascending.size() + 2);
    links_ = room.links.data();
    links_[0] = {0, 1, 0};
    for (std::uint32_t i = 1; i <= n_; ++i) {
      links_[i] = {i - 1, i + 1, ascending[i - 1]};
      sum_ += ascending[i - 1];
    }
    end_ = n_ + 1;
    links_[end_] = {n_, end_, 0};
    const auto wanted = wanted_index();
    for (; index_ < wanted; ++index_, ++at_) sum_before_ += links_[at_].y;
  }

  /// Prefetches a place that is removed soon.
  void prefetch_at(std::uint32_t place) const { prefetch_to_write(links_ + place + 1); }

  void remove(std::uint32_t place, double, double) {
    const std::uint32_t gone = place + 1;
    const Link link = links_[gone];
    links_[link.next].previous = link.previous;
    links_[link.previous].next = link.next;
    sum_ -= link.y;
    if (--n_ == 0) return;
    if (gone == at_) {
      const bool has_next = link.next < end_;
      at_ = has_next ? link.next : link.previous;
      index_ -= !has_next;
      sum_before_ -= has_next ? 0 : links_[at_].y;
    } else {
      const bool is_before = gone < at_;
      index_ -= is_before;
      sum_before_ -= is_before ? link.y : 0;
    }
    // No branches: the direction is unpredictable.
    const std::uint32_t wanted = wanted_index();
    const bool up = index_<wanted, down = index_> wanted;
    const Link here = links_[at_];
    at_ = up ? here.next : down ? here.previous : at_;
    index_ = wanted;
    sum_before_ += (up ? here.y : 0) - (down ? links_[at_].y : 0);
  }

  double loss() const {
    return n_ == 0 ? 0 : pinball(level_, links_[at_].y, n_, sum_, index_, sum_before_);
  }
  double value() const {
    if (n_ == 0) return 0;
    const Link here = links_[at_];
    const bool has_gap = here.next < end_ && is_at_gap(level_, n_, index_ + 1);
    return has_gap ? std::midpoint(here.y, links_[here.next].y) : here.y;
  }

 private:
  using Link = OrderBuffers::Link;

  std::uint32_t wanted_index() const {
    return static_cast<std::uint32_t>(std::max(0.0, weight_below(level_, n_)));
  }

  double level_;
  Link* links_ = nullptr;
  std::uint32_t n_, end_ = 0;         // what remains
  std::uint32_t at_ = 1, index_ = 0;  // the quantile, and how many are before it
  double sum_ = 0, sum_before_ = 0;
};

/// The weights and sums of the target values that remain, by place: two Fenwick trees.
class RemainingSums {
 public:
  /// Up to some place.
  struct UpTo {
    std::size_t place = 0;
    double weight = 0, sum = 0;
  };

  /// weight(i) and sum(i) belong to the target value at place i.
  template <class Weight, class Sum>
  RemainingSums(std::size_t n, OrderBuffers& room, Weight weight, Sum sum)
      : weight_(room.weight), sum_(room.sum) {
    weight_.assign(n + 1, 0);
    sum_.assign(n + 1, 0);
    for (std::size_t i = 1; i <= n; ++i) {
      weight_[i] += weight(i - 1);
      sum_[i] += sum(i - 1);
      const std::size_t parent = i + lowest_bit(i);
      if (parent > n) continue;
      weight_[parent] += weight_[i];
      sum_[parent] += sum_[i];
    }
    all_ = before(n);
  }

  void remove(std::size_t place, double weight, double sum) {
    for (std::size_t i = place + 1; i < weight_.size(); i += lowest_bit(i)) {
      weight_[i] -= weight;
      sum_[i] -= sum;
    }
    all_.weight -= weight;
    all_.sum -= sum;
  }

  const UpTo& all() const { return all_; }
  UpTo before(std::size_t place) const {
    UpTo found{place};
    for (std::size_t i = place; i > 0; i -= lowest_bit(i)) {
      found.weight += weight_[i];
      found.sum += sum_[i];
    }
    return found;
  }
  /// The first place up to which the weights exceed `below`.
  UpTo find(double below) const {
    const std::size_t n = weight_.size() - 1;
    UpTo found;
    for (std::size_t step = std::bit_floor(n); step > 0; step /= 2) {
      const std::size_t to = found.place + step;
      if (to > n || found.weight + weight_[to] > below) continue;
      found = {to, found.weight + weight_[to], found.sum + sum_[to]};
    }
    found.place = std::min(found.place, n - 1);
    return found;
  }

 private:
  static std::size_t lowest_bit(std::size_t i) { return i & (~i + 1); }

  std::vector<double>&weight_, &sum_;
  UpTo all_;
};

/// The quantile for arbitrary weights.
class WeightedQuantile {
 public:
  WeightedQuantile(std::span<const double> ascending, double level, RemainingSums sums)
      : ascending_(ascending), level_(level), sums_(sums) {}

  void prefetch_at(std::uint32_t) const {}
  void remove(std::uint32_t place, double weight, double sum) { sums_.remove(place, weight, sum); }
  double loss() const {
    const auto [_, total, sum] = sums_.all();
    if (total <= 0) return 0;
    const auto [place, before, sum_before] = sums_.find(weight_below(level_, total));
    return pinball(level_, ascending_[place], total, sum, before, sum_before);
  }
  double value() const {
    const double total = sums_.all().weight;
    if (total <= 0) return 0;
    const std::size_t here = sums_.find(weight_below(level_, total)).place;
    const std::size_t after = sums_.find(total * (level_ + 1e-12)).place;
    return std::midpoint(ascending_[here], ascending_[after]);
  }

 private:
  std::span<const double> ascending_;
  double level_;
  RemainingSums sums_;
};

}  // namespace ramify

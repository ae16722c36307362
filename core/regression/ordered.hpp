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
  void prefetch_at(std::uint32_t place) const {
#if defined(__GNUC__)
    __builtin_prefetch(links_ + place + 1, 1);
#else
    (void)place;
#endif
  }

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

/// For arbitrary weights: a Fenwick tree of weights and sums, searched from the top.
class WeightedQuantile {
 public:
  /// weight(i) and sum(i) belong to the target value at place i.
  template <class Weight, class Sum>
  WeightedQuantile(std::span<const double> ascending, double level, OrderBuffers& room,
                   Weight weight, Sum sum)
      : regression_(ascending), level_(level), weight_(room.weight), tree_(room.sum) {
    const std::size_t n = ascending.size();
    weight_.assign(n + 1, 0);
    tree_.assign(n + 1, 0);
    for (std::size_t i = 1; i <= n; ++i) {
      weight_[i] += weight(i - 1);
      tree_[i] += sum(i - 1);
      total_ += weight(i - 1);
      sum_ += sum(i - 1);
      const std::size_t parent = i + (i & (~i + 1));
      if (parent > n) continue;
      weight_[parent] += weight_[i];
      tree_[parent] += tree_[i];
    }
    top_ = std::bit_floor(n);
  }

  void prefetch_at(std::uint32_t) const {}

  void remove(std::uint32_t place, double weight, double sum) {
    for (std::size_t i = place + std::size_t{1}; i < weight_.size(); i += i & (~i + 1)) {
      weight_[i] -= weight;
      tree_[i] -= sum;
    }
    total_ -= weight;
    sum_ -= sum;
  }

  double loss() const {
    if (total_ <= 0) return 0;
    const Found found = find(weight_below(level_, total_));
    return pinball(level_, regression_[found.place], total_, sum_, found.before, found.sum_before);
  }
  double value() const {
    if (total_ <= 0) return 0;
    const Found here = find(weight_below(level_, total_));
    const Found after = find(total_ * (level_ + 1e-12));
    return std::midpoint(regression_[here.place], regression_[after.place]);
  }

 private:
  struct Found {
    std::size_t place;
    double before, sum_before;
  };
  /// The first place up to which the weights exceed `below`.
  Found find(double below) const {
    Found found{0, 0, 0};
    for (std::size_t step = top_; step > 0; step /= 2) {
      const std::size_t to = found.place + step;
      if (to >= weight_.size() || found.before + weight_[to] > below) continue;
      found = {to, found.before + weight_[to], found.sum_before + tree_[to]};
    }
    found.place = std::min(found.place, regression_.size() - 1);
    return found;
  }

  std::span<const double> regression_;
  double level_;
  std::vector<double>&weight_, &tree_;
  double total_ = 0, sum_ = 0;
  std::size_t top_ = 0;
};

}  // namespace ramify

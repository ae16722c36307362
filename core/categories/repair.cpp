// SPDX-License-Identifier: BSD-3-Clause
#include "categories/repair.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ramify {
namespace {

/// Maximum size of the table of sums by size.
constexpr std::uint64_t max_cells = std::uint64_t{1} << 18;
constexpr double nothing = -std::numeric_limits<double>::infinity();
constexpr std::uint32_t no_group = 0xffffffffu;

/// Searches subsets with a high sum; negating all sums finds those with a low one.
class PrefixRepair {
 public:
  PrefixRepair(const SizedGroups& groups, std::uint64_t min_size, bool is_turned)
      : groups_(groups),
        min_size_(min_size),
        all_(std::accumulate(groups.size.begin(), groups.size.end(), std::uint64_t{0})),
        order_(groups.order.begin(), groups.order.end()),
        sign_(is_turned ? -1 : 1) {
    if (!is_turned) std::ranges::reverse(order_);
    for (std::uint32_t g = 0; g < groups.count(); ++g)
      (groups.size[g] < min_size ? small_ : large_).push_back(g);
    // Zeros last, so that the sums before them belong to groups that may stand alone.
    std::ranges::stable_partition(small_, [&](std::uint32_t g) { return !is_zero(g); });
  }

  void find(RepairedSubsets& found) {
    add_prefixes();
    add_single_groups();
    if (!small_.empty() && 2 * min_size_ * small_.size() > max_cells)
      found.is_complete = false;
    else
      add_sums_of_small_groups();
    for (const Point& point : corners())
      if (point.kind != Kind::prefix) found.subsets.push_back(listed(point));
  }

 private:
  enum class Kind { prefix, extended, small };
  /// A subset: the first groups of the order and one more group, or small groups of that total
  /// size.
  struct Point {
    std::uint64_t size;
    double sum;
    Kind kind;
    std::uint32_t length = 0, more = no_group;
  };

  bool is_zero(std::uint32_t g) const { return !groups_.is_zero.empty() && groups_.is_zero[g]; }
  double sum_of(std::uint32_t g) const { return sign_ * groups_.sum[g]; }
  void add(const Point& point) {
    if (point.size >= min_size_ && all_ - point.size >= min_size_) points_.push_back(point);
  }

  /// Adds the admissible prefixes, which are tried anyway: they decide which other points are
  /// corners.
  void add_prefixes() {
    Point point{0, 0, Kind::prefix};
    bool is_refused = !groups_.is_zero.empty();
    for (const std::uint32_t g : order_) {
      point.size += groups_.size[g];
      point.sum += sum_of(g);
      ++point.length;
      is_refused = is_refused && is_zero(g);
      if (!is_refused) add(point);
    }
  }

  /// Adds a prefix that is too small, or rejected, plus one group that repairs it.
  void add_single_groups() {
    Point point{0, 0, Kind::extended};
    bool has_zeros_only = !groups_.is_zero.empty();
    for (std::size_t length = 0; length < order_.size(); ++length) {
      if (length > 0) {
        const std::uint32_t g = order_[length - 1];
        point.size += groups_.size[g];
        point.sum += sum_of(g);
        has_zeros_only = has_zeros_only && is_zero(g);
      }
      const bool is_small = point.size < min_size_;
      if (!is_small && !has_zeros_only) return;
      point.length = static_cast<std::uint32_t>(length);
      for (std::size_t i = length; i < order_.size(); ++i)
        if (!(has_zeros_only && is_zero(order_[i]))) add_with(point, order_[i]);
    }
    if (groups_.is_zero.empty()) return;
    // A large group of zeros, and one group that is not.
    for (const std::uint32_t zeros : large_)
      for (std::uint32_t g = 0; is_zero(zeros) && g < groups_.count(); ++g)
        if (!is_zero(g)) pairs_.push_back({zeros, g});
    for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
      const auto [zeros, g] = pairs_[i];
      add({groups_.size[zeros] + groups_.size[g], sum_of(zeros) + sum_of(g), Kind::extended,
           no_group, i});
    }
  }
  void add_with(Point point, std::uint32_t more) {
    point.size += groups_.size[more];
    point.sum += sum_of(more);
    point.more = more;
    add(point);
  }

  /// The highest sum of small groups for each exact size: a prefix is extended by less than twice
  /// what it lacks.
  void add_sums_of_small_groups() {
    width_ = 2 * min_size_;
    std::vector<double> best(width_, nothing);
    best[0] = 0;
    takes_.assign(small_.size() * width_, 0);
    for (std::size_t i = 0; i < small_.size(); ++i) {
      const std::uint32_t g = small_[i];
      if (is_zero(g) && (i == 0 || !is_zero(small_[i - 1]))) best[0] = nothing;
      const std::uint64_t own = groups_.size[g];
      for (std::uint64_t size = width_; size-- > own;)
        if (best[size - own] + sum_of(g) > best[size]) {
          best[size] = best[size - own] + sum_of(g);
          takes_[i * width_ + size] = 1;
        }
    }
    for (std::uint64_t size = min_size_; size < width_; ++size)
      if (best[size] > nothing) add({size, best[size], Kind::small});
  }

  /// The upper convex hull: the points that no line through two others passes above.
  std::vector<Point> corners() {
    std::ranges::stable_sort(points_, [](const Point& a, const Point& b) {
      return a.size != b.size ? a.size < b.size : a.sum > b.sum;
    });
    std::vector<Point> hull;
    for (const Point& point : points_) {
      if (!hull.empty() && hull.back().size == point.size) continue;
      while (hull.size() > 1 && is_below(hull[hull.size() - 2], hull.back(), point))
        hull.pop_back();
      hull.push_back(point);
    }
    return hull;
  }
  static bool is_below(const Point& a, const Point& b, const Point& c) {
    const double left = static_cast<double>(b.size - a.size),
                 whole = static_cast<double>(c.size - a.size);
    const double rise = (b.sum - a.sum) * whole, line = (c.sum - a.sum) * left;
    return rise < line - 1e-12 * (std::abs(rise) + std::abs(line));  // in doubt it stays
  }

  std::vector<std::uint32_t> listed(const Point& point) const {
    if (point.kind == Kind::small) {
      std::vector<std::uint32_t> groups;
      std::uint64_t size = point.size;
      for (std::size_t i = small_.size(); i-- > 0;)
        if (takes_[i * width_ + size]) {
          groups.push_back(small_[i]);
          size -= groups_.size[small_[i]];
        }
      return groups;
    }
    if (point.length == no_group) return {pairs_[point.more].zeros, pairs_[point.more].other};
    std::vector<std::uint32_t> groups(order_.begin(), order_.begin() + point.length);
    groups.push_back(point.more);
    return groups;
  }

  struct Pair {
    std::uint32_t zeros, other;
  };
  const SizedGroups& groups_;
  std::uint64_t min_size_, all_, width_ = 0;
  std::vector<std::uint32_t> order_, small_, large_;
  double sign_;
  std::vector<Pair> pairs_;
  std::vector<Point> points_;
  std::vector<std::uint8_t> takes_;
};

}  // namespace

RepairedSubsets repair_prefixes(const SizedGroups& groups, std::uint64_t min_size) {
  // Sizes in units of their greatest common divisor: scaling all weights leaves the subsets
  // unchanged.
  std::uint64_t unit = 0;
  for (const std::uint64_t size : groups.size) unit = std::gcd(unit, size);
  unit = std::max<std::uint64_t>(unit, 1);
  std::vector<std::uint64_t> size(groups.size.begin(), groups.size.end());
  for (std::uint64_t& each : size) each /= unit;
  const SizedGroups scaled{
      .size = size, .sum = groups.sum, .is_zero = groups.is_zero, .order = groups.order};
  RepairedSubsets found;
  for (const bool is_turned : {false, true})
    PrefixRepair(scaled, (min_size + unit - 1) / unit, is_turned).find(found);
  return found;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// A margin is the squared length of the sum S of the points of a class on the left, times a factor
// of the weights. The points x of a class add up to (nearly) 0. With A = sum w x x', weight l on
// the left and r on the right, l + r = W:
//
//   |S|^2 <= largest eigenvalue of A * l r / W      (S = sum w x (u - l / W), u = 1 on the left, 0
//                                                    on the right; sum w (u - l / W)^2 = l r / W)
//   |S|   <= min(l, r) * length of the longest x
//   |S|   <= sum of w |x| over the left, or over the right
//
// The largest eigenvalue of a symmetric A is at most max_i (|A| v)_i / v_i for every positive v.
#include <algorithm>
#include <cmath>

#include "linear_algebra/vectors.hpp"
#include "select/split.hpp"
#include "simd/clones.hpp"
#include "structure/margins.hpp"

namespace ramify {
namespace {

/// Number of points added to a scatter matrix at a time.
constexpr std::size_t points_at_once = 4;

/// Adds w x x' of some points to the upper triangle of a matrix. Rows of the matrix and points have
/// space for `stride` values, a multiple of four; each point is given plain and times its weight.
RAMIFY_CLONES void add_products(const double* points, const double* weighed, std::size_t d,
                                std::size_t stride, double* matrix) {
  const double *a = points, *b = a + stride, *c = b + stride, *e = c + stride;
  for (std::size_t i = 0; i < d; ++i) {
    const double wa = weighed[i], wb = weighed[stride + i], wc = weighed[2 * stride + i],
                 we = weighed[3 * stride + i];
    double* to = matrix + i * stride;
    for (std::size_t j = i & ~std::size_t{3}; j < stride; ++j)
      to[j] += (wa * a[j] + wb * b[j]) + (wc * c[j] + we * e[j]);
  }
}

/// The scatter matrix of the points of a class.
struct Scatter {
  std::size_t d, stride, n_waiting = 0;
  std::vector<double> matrix, points, weighed;

  explicit Scatter(std::size_t n_columns)
      : d(n_columns),
        stride((n_columns + 3) & ~std::size_t{3}),
        matrix(d * stride),
        points(points_at_once * stride),
        weighed(points.size()) {}

  void add(const double* x, double weight) {
    double *to = points.data() + n_waiting * stride, *times = weighed.data() + n_waiting * stride;
    for (std::size_t j = 0; j < d; ++j) {
      to[j] = x[j];
      times[j] = weight * x[j];
    }
    if (++n_waiting == points_at_once) add_waiting();
  }

  void add_waiting() {
    for (std::size_t i = n_waiting * stride; i < weighed.size(); ++i) weighed[i] = 0;
    add_products(points.data(), weighed.data(), d, stride, matrix.data());
    n_waiting = 0;
  }

  double at(std::size_t i, std::size_t j) const {
    return matrix[std::min(i, j) * stride + std::max(i, j)];
  }

  double trace() const {
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i) sum += at(i, i);
    return sum;
  }

  /// An upper bound of the largest eigenvalue, up to rounding.
  double largest() const {
    constexpr int n_turns = 6;
    double min = trace();
    std::vector<double> v(d, 1), next(d);
    for (int turn = 0; turn < n_turns; ++turn) {
      double ratio = 0, top = 0;
      for (std::size_t i = 0; i < d; ++i) {
        next[i] = 0;
        for (std::size_t j = 0; j < d; ++j) next[i] += std::abs(at(i, j)) * v[j];
        ratio = std::max(ratio, next[i] / v[i]);
        top = std::max(top, next[i]);
      }
      min = std::min(min, ratio);
      for (std::size_t i = 0; i < d; ++i) v[i] = next[i] / top + 1e-3;
    }
    return min;
  }
};

/// Avoids 0 times infinity.
double finite(double bound) { return bound < 1e300 ? bound : 1e300; }

/// Consecutive cuts share a bound: no division for each of them.
constexpr std::size_t cuts_at_once = 16;

/// A class between the first and the last of some cuts that divide it.
struct TornClass {
  std::size_t n_cuts;       // that divide it
  double all, first, last;  // its weight: in all, and on the left of the first and last cut

  /// An upper bound of its margin at all of these cuts.
  double bound(const MarginLimits::OfClass& limits) const {
    // all / (l r) is convex in l, so that it is highest at one of the ends; the weight of the
    // larger side, by which `reach` is divided, is smallest at the cut nearest to the middle.
    const double inner = std::min(first * (all - first), last * (all - last));
    const double ends = all / inner, middle = all / 2;
    const double larger = first > middle ? first : last < middle ? all - last : middle;
    const double share = all / larger;
    return std::min(limits.scatter * ends, limits.reach * share * share) +
           limits.slack * ends * ends;
  }
};

TornClass torn_by(const WeighedCuts& cuts, std::size_t k, double all, std::size_t begin,
                  std::size_t end) {
  const double* left = cuts.left + k * cuts.stride;
  while (begin < end && left[begin] <= 0) ++begin;
  while (begin < end && left[end - 1] * cuts.unit >= all) --end;
  if (begin == end) return {0, all, 0, 0};
  return {end - begin, all, left[begin] * cuts.unit, left[end - 1] * cuts.unit};
}

/// Writes the weights of a class on the left of some cuts, and upper bounds of the squared lengths
/// of its sums, none of which is longer than `reach`.
RAMIFY_CLONES void write_lengths(const MarginLimits::OfClass& limits, double all,
                                 const double* left, double unit, const double* reach,
                                 std::size_t n, double* __restrict weight,
                                 double* __restrict length) {
  const double scatter = all > 0 ? limits.scatter / all : 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double own = left[i] * unit, rest = all - own, fewer = own < rest ? own : rest;
    const double by_scatter = scatter * own * rest, by_reach = fewer * fewer * limits.reach;
    const double min = by_scatter < by_reach ? by_scatter : by_reach, near = reach[i] * reach[i];
    weight[i] = own;
    length[i] = (min < near ? min : near) * (1 + 1e-12) + limits.slack;
  }
}

}  // namespace

void find_limits(const NodeSpace& space, MarginLimits& limits) {
  const auto d = static_cast<std::size_t>(space.n_columns),
             n_classes = static_cast<std::size_t>(space.n_classes);
  std::vector<Scatter> scatter(n_classes, Scatter(d));
  std::vector<double> n_rows(n_classes), heaviest(n_classes), sum(n_classes * d);
  limits.classes.assign(n_classes, {});
  for (std::size_t row = 0; row < space.n_rows(); ++row) {
    const std::size_t k = space.label[row];
    const double weight = space.weight_of(row);
    const double* x = space.at(row);
    n_rows[k] += 1;
    heaviest[k] = std::max(heaviest[k], weight);
    limits.classes[k].reach = std::max(limits.classes[k].reach, space.square[row]);
    grow_sum(sum.data() + k * d, x, d, weight);
    scatter[k].add(x, weight);
  }
  // Rounding: n steps, each of which adds up to d products with an error below (d + 16) * 2e-16 of
  // the largest sum on the way; and the points of a class add up to `rest`, not to 0.
  const double step = 4.6e-16 * (static_cast<double>(d) + 16);
  for (std::size_t k = 0; k < n_classes; ++k) {
    auto& [largest, reach, slack] = limits.classes[k];
    if (scatter[k].n_waiting > 0) scatter[k].add_waiting();
    const double all = space.class_weight[k], rounding = n_rows[k] * step;
    reach *= 1 + step;
    largest = scatter[k].largest() * (1 + 1e-9) + scatter[k].trace() * rounding;
    const double* own = sum.data() + k * d;
    const double rest = std::sqrt(dot(own, own, d)) + rounding * all * std::sqrt(reach);
    const double top =
        std::min(largest * all, all * all * reach) / 4 + heaviest[k] * heaviest[k] * reach;
    slack = rounding * top + rest * (2 * std::sqrt(top) + rest);
    if (!(largest < -minus_infinity && slack < -minus_infinity)) slack = -minus_infinity;
  }
}

void MarginBounds::find(const NodeSpace& space, const MarginLimits& limits, MarginKind kind,
                        const WeighedCuts& cuts, double* bounds) const {
  const double factor = kind.mean_of_columns && space.n_columns > 0 ? 1.0 / space.n_columns : 1;
  for (std::size_t begin = 0; begin < cuts.n_cuts; begin += cuts_at_once) {
    const std::size_t end = std::min(begin + cuts_at_once, cuts.n_cuts);
    double sum = 0, max = 0;
    int n_torn = 0;
    bool is_alike = true;  // whether all of these cuts divide the same classes
    for (std::size_t k = 0; k < limits.classes.size(); ++k) {
      const TornClass torn = torn_by(cuts, k, space.class_weight[k], begin, end);
      if (torn.n_cuts == 0) continue;
      const double bound = torn.bound(limits.classes[k]);
      sum += bound;
      max = std::max(max, bound);
      ++n_torn;
      is_alike = is_alike && torn.n_cuts == end - begin;
    }
    const double bound = (is_alike && n_torn > 0 ? sum / n_torn : max) * factor * (1 + 1e-12);
    std::fill(bounds + begin, bounds + end, finite(bound));
  }
}

void MarginBounds::start(const NodeSpace& space) {
  const auto n_classes = static_cast<std::size_t>(space.n_classes);
  sums_.start(n_classes);
  reach_.assign(n_classes * SpaceSums::capacity, -minus_infinity);
  running_.assign(n_classes, 0);
}

void MarginBounds::start_side() { std::ranges::fill(running_, 0.0); }

void MarginBounds::add(const NodeSpace& space, std::uint32_t row) {
  running_[space.label[row]] += space.weight_of(row) * std::sqrt(space.square[row]) * (1 + 1e-12);
}

void MarginBounds::note(std::size_t cut) {
  for (std::size_t k = 0; k < running_.size(); ++k) {
    double& reach = reach_[k * SpaceSums::capacity + cut];
    reach = std::min(reach, running_[k]);
  }
}

void MarginBounds::finish(const NodeSpace& space, const MarginLimits& limits, MarginKind kind,
                          const WeighedCuts& cuts, double* bounds) {
  for (std::size_t k = 0; k < limits.classes.size(); ++k) {
    const std::size_t at = k * SpaceSums::capacity;
    write_lengths(limits.classes[k], space.class_weight[k], cuts.left + k * cuts.stride, cuts.unit,
                  reach_.data() + at, cuts.n_cuts, sums_.weight.data() + at,
                  sums_.length.data() + at);
  }
  margins_of(space, sums_, {Penalty::none, kind.mean_of_columns}, cuts.n_cuts, bounds);
  for (std::size_t i = 0; i < cuts.n_cuts; ++i) bounds[i] = finite(bounds[i]);
}

}  // namespace ramify

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

#include "linear_algebra/scatter.hpp"
#include "linear_algebra/vectors.hpp"
#include "select/split.hpp"
#include "simd/clones.hpp"
#include "structure/margins.hpp"

namespace ramify {
namespace {

double trace_of(const Symmetric& matrix) {
  double sum = 0;
  for (std::size_t i = 0; i < matrix.n; ++i) sum += matrix.at(i, i);
  return sum;
}

/// An upper bound of the largest eigenvalue, up to rounding.
double largest_eigenvalue(const Symmetric& matrix) {
  constexpr int n_turns = 6;
  double min = trace_of(matrix);
  std::vector<double> v(matrix.n, 1), next(matrix.n);
  for (int turn = 0; turn < n_turns; ++turn) {
    double ratio = 0, top = 0;
    for (std::size_t i = 0; i < matrix.n; ++i) {
      next[i] = 0;
      for (std::size_t j = 0; j < matrix.n; ++j)
        next[i] += std::abs(matrix.at(std::max(i, j), std::min(i, j))) * v[j];
      ratio = std::max(ratio, next[i] / v[i]);
      top = std::max(top, next[i]);
    }
    min = std::min(min, ratio);
    for (std::size_t i = 0; i < matrix.n; ++i) v[i] = next[i] / top + 1e-3;
  }
  return min;
}

/// Avoids 0 times infinity.
double finite(double bound) { return bound < 1e300 ? bound : 1e300; }

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
  std::vector<double> n_rows(n_classes), heaviest(n_classes), sum(n_classes * d), origin(d);
  limits.classes.assign(n_classes, {});
  for (std::size_t row = 0; row < space.n_rows(); ++row) {
    const std::size_t k = space.label[row];
    const double weight = space.weight_of(row);
    const double* x = space.at(row);
    n_rows[k] += 1;
    heaviest[k] = std::max(heaviest[k], weight);
    limits.classes[k].reach = std::max(limits.classes[k].reach, space.square[row]);
    grow_sum(sum.data() + k * d, x, d, weight);
    scatter[k].push(x, origin.data(), std::sqrt(weight));
    if (scatter[k].is_full()) scatter[k].flush(in_turn);
  }
  // Rounding: n steps, each of which adds up to d products with an error below (d + 16) * 2e-16 of
  // the largest sum on the way; and the points of a class add up to `rest`, not to 0.
  const double step = 4.6e-16 * (static_cast<double>(d) + 16);
  for (std::size_t k = 0; k < n_classes; ++k) {
    auto& [largest, reach, slack] = limits.classes[k];
    scatter[k].flush(in_turn);
    const Symmetric products = std::move(scatter[k]).take();
    const double all = space.class_weight[k], rounding = n_rows[k] * step;
    reach *= 1 + step;
    largest = largest_eigenvalue(products) * (1 + 1e-9) + trace_of(products) * rounding;
    const double* own = sum.data() + k * d;
    const double rest = std::sqrt(dot(own, own, d)) + rounding * all * std::sqrt(reach);
    const double top =
        std::min(largest * all, all * all * reach) / 4 + heaviest[k] * heaviest[k] * reach;
    slack = rounding * top + rest * (2 * std::sqrt(top) + rest);
    if (!(largest < -minus_infinity && slack < -minus_infinity)) slack = -minus_infinity;
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

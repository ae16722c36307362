// SPDX-License-Identifier: BSD-3-Clause
#include "structure/margins.hpp"

#include <algorithm>

#include "linear_algebra/vectors.hpp"
#include "select/split.hpp"
#include "simd/clones.hpp"
#include "simd/prefetch.hpp"

namespace ramify {
namespace {

/// Mean over the classes of a child of the distances to the cut of the class and of the nearest
/// other class; 0 if the child has one class. Negative: the class is absent.
double closeness(std::span<const double> distance) {
  double nearest = -minus_infinity, second = -minus_infinity, sum = 0;
  int n = 0;
  for (const double x : distance) {
    if (x < 0) continue;
    ++n;
    sum += x;
    second = std::min(second, std::max(x, nearest));
    nearest = std::min(nearest, x);
  }
  // Each class is paired with the nearest one; the nearest itself with the second.
  return n < 2 ? 0 : (sum + (n - 1) * nearest + second) / n;
}

/// Two classes, by far the most frequent case: plain arithmetic over many cuts, which the compiler
/// vectorises. The two distances of an impure child add up to its penalty.
RAMIFY_CLONES void margins_of_two(const NodeSpace& space, const SpaceSums& sums, double penalty,
                                  double factor, std::size_t n_cuts, double* __restrict margins) {
  constexpr std::size_t stride = SpaceSums::capacity;
  const double *weight_a = sums.weight.data(), *weight_b = weight_a + stride;
  const double *length_a = sums.length.data(), *length_b = length_a + stride;
  const double *last_a = sums.last.data(), *last_b = last_a + stride;
  const double *next_a = sums.next.data(), *next_b = next_a + stride;
  const double all_a = space.class_weight[0], all_b = space.class_weight[1];
  for (std::size_t i = 0; i < n_cuts; ++i) {
    const double wa = weight_a[i], wb = weight_b[i], ra = all_a - wa, rb = all_b - wb;
    const double inner_a = wa * ra, inner_b = wb * rb;  // zero if the class is on one side only
    const double fa = all_a / (inner_a > 0 ? inner_a : 1), fb = all_b / (inner_b > 0 ? inner_b : 1);
    const double margin_a = inner_a > 0 ? length_a[i] * fa * fa : 0;
    const double margin_b = inner_b > 0 ? length_b[i] * fb * fb : 0;
    const double half = inner_a > 0 && inner_b > 0 ? 0.5 : 1;
    const double threshold = sums.threshold[i];
    const double left = wa > 0 && wb > 0 ? 2 * threshold - last_a[i] - last_b[i] : 0;
    const double right = ra > 0 && rb > 0 ? next_a[i] + next_b[i] - 2 * threshold : 0;
    margins[i] = (margin_a + margin_b) * half * factor - penalty * (left + right);
  }
}

void margins_of_many(const NodeSpace& space, const SpaceSums& sums, bool penalty, double factor,
                     std::size_t n_cuts, double* margins) {
  const auto n_classes = static_cast<std::size_t>(space.n_classes);
  std::vector<double> to_left(n_classes), to_right(n_classes);
  for (std::size_t cut = 0; cut < n_cuts; ++cut) {
    double margin = 0;
    int n_torn = 0;
    const double threshold = sums.threshold[cut];
    for (std::size_t k = 0; k < n_classes; ++k) {
      const std::size_t at = k * SpaceSums::capacity + cut;
      const double left = sums.weight[at], right = space.class_weight[k] - left;
      to_left[k] = left > 0 ? threshold - sums.last[at] : -1;
      to_right[k] = right > 0 ? sums.next[at] - threshold : -1;
      if (left <= 0 || right <= 0) continue;
      const double times = space.class_weight[k] / (left * right);
      margin += sums.length[at] * times * times;
      ++n_torn;
    }
    margins[cut] = (n_torn > 0 ? margin / n_torn : 0) * factor;
    if (penalty) margins[cut] -= closeness(to_left) + closeness(to_right);
  }
}

}  // namespace

void margins_of(const NodeSpace& space, const SpaceSums& sums, MarginKind kind, std::size_t n_cuts,
                double* margins) {
  const double factor = kind.factor(space.n_columns);
  const bool penalty = kind.penalty == Penalty::along_column;
  if (space.n_classes == 2)
    margins_of_two(space, sums, penalty ? 1 : 0, factor, n_cuts, margins);
  else
    margins_of_many(space, sums, penalty, factor, n_cuts, margins);
}

MarginWalk::MarginWalk(const NodeSpace& space, const Enemies& enemies, const CodedColumn& column,
                       const ColumnPlaces& places, MarginKind kind)
    : space_(space),
      enemies_(enemies),
      column_(column),
      places_(places),
      kind_(kind),
      sum_(static_cast<std::size_t>(space.n_classes) * static_cast<std::size_t>(space.n_columns)),
      length_(static_cast<std::size_t>(space.n_classes)),
      weight_(length_.size()),
      last_(length_.size()),
      next_(length_.size()),
      is_stale_(length_.size()) {
  sums_.start(length_.size());
}

void MarginWalk::margins(std::span<const std::uint32_t> n_left, double* found) {
  for (std::size_t begin = 0; begin < n_left.size(); begin += SpaceSums::capacity) {
    const auto some = n_left.subspan(begin, std::min(SpaceSums::capacity, n_left.size() - begin));
    sums_at(some);
    margins_of(space_, sums_, kind_, some.size(), found + begin);
  }
  if (kind_.penalty == Penalty::euclidean) subtract_penalties(n_left, found);
}

/// Closest pairs depend on all rows of a side, so the whole column is processed at once.
void MarginWalk::subtract_penalties(std::span<const std::uint32_t> n_left, double* found) {
  if (penalty_.empty()) {
    std::vector<double> place;
    for (const std::uint32_t code : column_.code) place.push_back(places_.of(code));
    penalty_ = enemy_penalties(enemies_, column_, place);
  }
  const double factor = kind_.factor(space_.n_columns);
  for (std::size_t cut = 0; cut < n_left.size(); ++cut)
    found[cut] -= penalty_[n_left[cut]] * factor;
}

/// Accumulates the sums on the left of some cuts.
void MarginWalk::sums_at(std::span<const std::uint32_t> n_left) {
  const auto& [row, code] = column_;
  const std::size_t n = row.size();
  for (std::size_t cut = 0; cut < n_left.size(); ++cut) {
    const std::size_t behind = n_left[cut];
    for (; i_ < behind; ++i_) move();
    sums_.threshold[cut] = places_.between(code[behind - 1], code[behind]);
    for (std::size_t k = 0; k < length_.size(); ++k) {
      if (std::exchange(is_stale_[k], 0)) {
        const auto d = static_cast<std::size_t>(space_.n_columns);
        length_[k] = dot(sum_.data() + k * d, sum_.data() + k * d, d);
      }
      next_[k] = std::max(next_[k], behind);
      while (next_[k] < n && space_.label[row[next_[k]]] != k) ++next_[k];
      const std::size_t at = k * SpaceSums::capacity + cut;
      sums_.weight[at] = weight_[k];
      sums_.length[at] = length_[k];
      sums_.last[at] = weight_[k] > 0 ? places_.of(code[last_[k]]) : 0;
      sums_.next[at] = next_[k] < n ? places_.of(code[next_[k]]) : 0;
    }
  }
}

void MarginWalk::move() {
  // Rows along an order are scattered in memory: prefetch those some positions ahead.
  constexpr std::size_t far_ahead = 8;
  const auto d = static_cast<std::size_t>(space_.n_columns);
  const std::uint32_t row = column_.row[i_], k = space_.label[row];
  const double own = space_.weight_of(row);
  prefetch(space_.at(column_.row[std::min(i_ + far_ahead, column_.row.size() - 1)]), d);
  weight_[k] += own;
  if (space_.is_exact) {  // but not the growth of the length
    add_to_sum(sum_.data() + k * d, space_.at(row), d, own);
    is_stale_[k] = 1;
  } else {
    length_[k] += grow_sum(sum_.data() + k * d, space_.at(row), d, own);
  }
  last_[k] = i_;
}

}  // namespace ramify

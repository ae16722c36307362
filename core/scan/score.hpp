// SPDX-License-Identifier: BSD-3-Clause
// Turns the formula of a criterion into a function that scores a block of cuts.
#pragma once

#include <limits>

#include "criteria/criterion.hpp"
#include "criteria/regression.hpp"
#include "scan/kernels.hpp"

// The step of a walk is called from two places; left to itself, a compiler may keep it a call (15 %
// slower with seven classes).
#if defined(__GNUC__)
#define RAMIFY_ALWAYS_INLINE __attribute__((always_inline))
#else
#define RAMIFY_ALWAYS_INLINE
#endif

namespace ramify::RAMIFY_KERNELS {

template <class V, int K>
Cut<V, K> cut_at(const ScoreCall& call, int i) {
  Side<V, K> left{call.left + i, CutBlock::stride, call.n_classes, V{}};
  left.total = left[0];
  for (int k = 1; k < left.size(); ++k) left.total += left[k];
  return {call.parent,
          call.total,
          call.unit,
          left,
          {call.parent, left, spread<V>(call.total) - left.total}};
}

/// Two classes are by far the most frequent case (deep nodes of many-class data too): K = 2 unrolls
/// the formula.
template <int K, class C>
void score_block(const C& criterion, const ScoreCall& call, double* scores) {
  if constexpr (ClassSum<C>) {
    double whole = 0;
    for (int k = 0; k < call.n_classes; ++k)
      whole += criterion.term(call.parent[k], call.parent[k]);
    for (int i = 0; i < call.n_cuts; i += pack_width) {
      const auto cut = cut_at<Pack, K>(call, i);
      const auto sum = [&](const auto& side) {
        Pack total = criterion.term(side[0], call.parent[0]);
        for (int k = 1; k < cut.size(); ++k) total += criterion.term(side[k], call.parent[k]);
        return total;
      };
      const ClassSums<Pack> sums{call.total,    whole,           cut.left.total,
                                 sum(cut.left), cut.right.total, sum(cut.right)};
      store(scores + i, criterion.combine(sums));
    }
  } else if constexpr (Impurity<C>) {
    const Side<double, K> parent{call.parent, 1, call.n_classes, call.total};
    const double whole = criterion.weighted_impurity(parent);
    for (int i = 0; i < call.n_cuts; i += pack_width) {
      const auto cut = cut_at<Pack, K>(call, i);
      const Pack rest =
          criterion.weighted_impurity(cut.left) + criterion.weighted_impurity(cut.right);
      store(scores + i, (whole - rest) / call.total);
    }
  } else {
    for (int i = 0; i < call.n_cuts; i += pack_width) {
      const auto cut = cut_at<Pack, K>(call, i);
      if constexpr (requires { criterion.upper_bound(cut); })
        if (!any_above(criterion.upper_bound(cut), spread<Pack>(call.wanted))) {
          store(scores + i, spread<Pack>(-std::numeric_limits<double>::infinity()));
          continue;
        }
      store(scores + i, Pack(criterion.gain(cut)));
    }
  }
}

template <class C>
void score_with(const C& criterion, const ScoreCall& call, double* scores) {
  if (call.n_classes == 2)
    score_block<2>(criterion, call, scores);
  else
    score_block<0>(criterion, call, scores);
}

template <class C>
void score(const ScoreCall& call, double* scores) {
  if (call.n_classes != 2)
    return score_block<0>(make_criterion<C>(call.statistics()), call, scores);
  // Scores cannot be written over weights of our own: what is made of them is computed once.
  const double parent[] = {call.parent[0], call.parent[1]};
  ScoreCall own = call;
  own.parent = parent;
  score_block<2>(make_criterion<C>(own.statistics()), own, scores);
}

/// With its defaults, whatever the parameters of the criterion are whose ties it breaks.
template <class C>
void score_ties(const ScoreCall& call, double* scores) {
  score_with(C{}, call, scores);
}

template <class C>
void score_regression(const RegressionCall& call, double* scores) {
  const double total = call.parent[0], mean = call.parent[1] / call.parent[0];
  for (int i = 0; i < call.n_cuts; i += pack_width) {
    const Pack left = load<Pack>(call.left + i);
    const Pack moved = load<Pack>(call.left + CutBlock::stride + i) - left * mean;
    store(scores + i, C{}.gain(RegressionCut<Pack>{total, left, total - left, moved, call.relative,
                                                   call.mean, call.values}) *
                          call.factor);
  }
}

template <class C>
constexpr DeviationBound bound_of() {
  DeviationBound bound;
  if constexpr (requires { typename C::Bound; }) {
    using Bound = typename C::Bound;
    bound.factor = Bound::factor;
    if constexpr (requires { Bound::norm; }) bound.norm = Bound::norm;
    if constexpr (requires { Bound::is_cumulative; }) bound.is_cumulative = true;
    if constexpr (requires { Bound::of_all_classes; }) bound.of_all_classes = true;
    if constexpr (requires { Bound::bend; }) bound.bend = Bound::bend;
    if constexpr (requires { Bound::min; }) bound.min = Bound::min;
    if constexpr (requires { Bound::fill; }) bound.fill = Bound::fill;
    if constexpr (requires { Bound::fill_tied; }) bound.fill_tied = Bound::fill_tied;
    if constexpr (requires { Bound::find_statistics; })
      bound.find_statistics = Bound::find_statistics;
    if constexpr (requires { Bound::fill_sides; }) bound.fill_sides = Bound::fill_sides;
    if constexpr (requires { Bound::holds; }) bound.holds = Bound::holds;
  }
  return bound;
}

/// What a criterion says of itself, given its parameters.
template <class C>
constexpr void add_statistics(CriterionKernel& kernel) {
  if constexpr (requires { C::is_quasi_convex_with; })
    kernel.quasi_convex_with = C::is_quasi_convex_with;
  if constexpr (requires { C::counts_with; }) kernel.counts_with = C::counts_with;
  if constexpr (requires { C::ignores_class_weights_with; })
    kernel.ignores_class_weights_with = C::ignores_class_weights_with;
  if constexpr (requires { C::same_as; }) kernel.same_as = C::same_as;
  if constexpr (requires { C::n_extra; }) kernel.n_extra = C::n_extra;
  kernel.bound = bound_of<C>();
}

/// Criteria that judge any number of branches.
template <class C>
concept BranchGain = Impurity<C> || (ClassSum<C> && requires(const C c, const BranchSums& sums) {
                       { c.combine(sums) } -> std::same_as<double>;
                     });

template <BranchGain C>
double score_branches(const BranchCall& call) {
  const C criterion = make_criterion<C>(call.statistics());
  double *totals = call.work, *sums = call.work + call.n_branches;
  for (int i = 0; i < call.n_branches; ++i) {
    const double* branch = call.sums + std::int64_t{i} * call.stride;
    totals[i] = sums[i] = 0;
    for (int k = 0; k < call.n_classes; ++k) totals[i] += branch[k];
    if constexpr (Impurity<C>)
      sums[i] = criterion.weighted_impurity(Side<double, 0>{branch, 1, call.n_classes, totals[i]});
    else
      for (int k = 0; k < call.n_classes; ++k) sums[i] += criterion.term(branch[k], call.parent[k]);
  }
  if constexpr (Impurity<C>) {
    const Side<double, 0> parent{call.parent, 1, call.n_classes, call.total};
    double rest = 0;
    for (int i = 0; i < call.n_branches; ++i) rest += sums[i];
    return (criterion.weighted_impurity(parent) - rest) / call.total;
  } else {
    double whole = 0;
    for (int k = 0; k < call.n_classes; ++k)
      whole += criterion.term(call.parent[k], call.parent[k]);
    return criterion.combine(BranchSums{call.total, whole, totals, sums, call.n_branches});
  }
}

/// Makes scores of the sums that a walk has found. weight_at(cut) lies on the left of each.
template <class C, class Item, class WeightAt>
void score_walk(const C& criterion, const SumWalkOf<Item>& walk, double whole, int n_cuts,
                const double* left, const double* right, double* scores, WeightAt weight_at) {
  if constexpr (requires {
                  criterion.combine_all(walk, whole, n_cuts, left, left, right, scores);
                }) {
    double weight[CutBlock::stride];
    for (int at = 0; at < n_cuts || at % pack_width; ++at) weight[at] = weight_at(at);
    criterion.combine_all(walk, whole, n_cuts, weight, left, right, scores);
  } else {
    for (int at = 0; at < n_cuts; at += pack_width) {
      double weight[pack_width];
      for (int lane = 0; lane < pack_width; ++lane) weight[lane] = weight_at(at + lane);
      const Pack total_left = load<Pack>(weight);
      const Pack total_right = walk.total - total_left;
      const ClassSums<Pack> sums{walk.total,  whole,
                                 total_left,  load<Pack>(left + at),
                                 total_right, load<Pack>(right + at)};
      store(scores + at, criterion.combine(sums));
    }
  }
}

/// Walks along a list of rows that count once or several times, keeping one sum per side, and
/// scores the cuts.
template <bool several, class C, class Item>
void walk_sums_with(const C& criterion, SumWalkOf<Item>& walk, CutBlock& block, double* scores) {
  const ItemLayout layout = walk.layout;
  const Item* items = walk.items;
  const std::uint32_t* channel = walk.channel;
  double left[CutBlock::stride], right[CutBlock::stride];
  std::uint32_t weight_left[several ? CutBlock::stride : 1];
  double whole = 0, sum_left = 0,
         sum_right = 0;     // summed anew for every block, so that rounding does not pile up
  std::uint32_t moved = 0;  // weight, if rows count several times
  for (int k = 0; k < walk.n_classes; ++k) {
    const double in_parent = walk.parent[k], in_left = walk.count_left[k];
    whole += criterion.term(in_parent, in_parent);
    walk.term_left[k] = criterion.term(in_left, in_parent);
    walk.term_right[k] = criterion.term(in_parent - in_left, in_parent);
    sum_left += walk.term_left[k];
    sum_right += walk.term_right[k];
    if constexpr (several) moved += walk.count_left[k];
  }
  int m = 0;
  std::uint32_t i = walk.next;
  const auto move = [&]() RAMIFY_ALWAYS_INLINE {
    const Item item = items[i++];
    const std::uint32_t k = channel[layout.label(item)];
    const std::uint32_t times = several ? layout.times(item) : 1;
    const std::uint32_t in_left = walk.count_left[k], in_right = walk.count_parent[k] - in_left;
    walk.count_left[k] = in_left + times;
    if constexpr (requires { criterion.step(in_left, times); }) {
      sum_left += criterion.step(in_left, times);
      sum_right -= criterion.step(in_right - times, times);
    } else if constexpr (requires { criterion.step(in_left, times, walk.parent[k]); }) {
      sum_left += criterion.step(in_left, times, walk.parent[k]);
      sum_right -= criterion.step(in_right - times, times, walk.parent[k]);
    } else {
      const double term_left = criterion.term(static_cast<double>(in_left + times), walk.parent[k]);
      const double term_right =
          criterion.term(static_cast<double>(in_right - times), walk.parent[k]);
      sum_left += term_left - walk.term_left[k];
      sum_right += term_right - walk.term_right[k];
      walk.term_left[k] = term_left;
      walk.term_right[k] = term_right;
    }
    block.rows_left[m] = i;
    if constexpr (several) weight_left[m] = moved += times;
    left[m] = sum_left;
    right[m] = sum_right;
  };
  while (i + 1 < walk.n && m < CutBlock::capacity) {
    move();
    m += layout.code(items[i - 1]) != layout.code(items[i]);
  }
  if (i + 1 == walk.n && m < CutBlock::capacity) {
    if (walk.cut_at_end) {
      move();
      ++m;
    }
    i = walk.n;
  }
  walk.next = i;
  block.n_cuts = m;
  for (int at = m; at % pack_width; ++at) {  // harmless numbers up to a whole pack
    left[at] = left[m - 1];
    right[at] = right[m - 1];
    block.rows_left[at] = block.rows_left[m - 1];
    if constexpr (several) weight_left[at] = weight_left[m - 1];
  }
  score_walk(criterion, walk, whole, m, left, right, scores, [&](int at) {
    return static_cast<std::int32_t>(several ? weight_left[at]
                                             : block.rows_left[at] + walk.rows_before);
  });
}

template <class C, class Item>
void walk_sums_by(const C& criterion, SumWalkOf<Item>& walk, CutBlock& block, double* scores) {
  if (walk.layout.times_bits > 0)
    walk_sums_with<true>(criterion, walk, block, scores);
  else
    walk_sums_with<false>(criterion, walk, block, scores);
}

template <class C, class Item>
void walk_sums(SumWalkOf<Item>& walk, CutBlock& block, double* scores) {
  walk_sums_by(C{}, walk, block, scores);
}

template <template <class> class C, class Item>
void walk_log_sums(SumWalkOf<Item>& walk, CutBlock& block, double* scores) {
  if (walk.log_table)
    walk_sums_by(C<TabulatedLog>{{walk.log_table}}, walk, block, scores);
  else
    walk_sums_by(C<ComputedLog>{}, walk, block, scores);
}

/// Criteria made of x log x read it from a table where they can.
template <template <class> class C>
void score_log(const ScoreCall& call, double* scores) {
  if (call.log_table)
    score_with(C<TabulatedLog>{{call.log_table}}, call, scores);
  else
    score_with(C<ComputedLog>{}, call, scores);
}

}  // namespace ramify::RAMIFY_KERNELS

#undef RAMIFY_ALWAYS_INLINE

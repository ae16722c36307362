// SPDX-License-Identifier: BSD-3-Clause
// The list of all criteria, and the kernels for one instruction set. Compiled several times; see
// CMakeLists.txt.
#include "split/kernels.hpp"

#include "criteria/distance.hpp"
#include "criteria/distinct.hpp"
#include "criteria/impurity.hpp"
#include "criteria/numbers.hpp"
#include "criteria/ratio.hpp"
#include "split/keys.hpp"
#include "split/score.hpp"
#include "split/sum_moments.hpp"
#include "split/walk.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

template <class C>
constexpr CriterionKernel entry() {
  CriterionKernel kernel{.info = &C::info, .score = score<C>};
  if constexpr (ClassSum<C>) {
    kernel.walk_sums = walk_sums<C>;
    kernel.walk_key_sums = walk_sums<C>;
  }
  if constexpr (BranchGain<C>) kernel.score_branches = score_branches<C>;
  if constexpr (requires { typename C::TieBreak; }) {
    kernel.tie_break = score<typename C::TieBreak>;
    if constexpr (BranchGain<typename C::TieBreak>)
      kernel.tie_break_branches = score_branches<typename C::TieBreak>;
  }
  if constexpr (requires { C::has_whole_sums; }) {
    kernel.has_whole_sums = C::has_whole_sums;
    kernel.walk_count_sums = walk_count_sums<C>;
  }
  if constexpr (requires { C::splits_on_ties; }) kernel.splits_on_ties = C::splits_on_ties;
  return kernel;
}

template <template <class> class C>
constexpr CriterionKernel log_entry() {
  return {.info = &C<ComputedLog>::info,
          .score = score_log<C>,
          .walk_sums = walk_log_sums<C>,
          .walk_key_sums = walk_log_sums<C>,
          .score_branches = score_branches<C<ComputedLog>>,
          .uses_logs = true};
}

constexpr CriterionKernel criteria[] = {
    entry<CartMeasure>(),
    entry<ConfidenceEntropy>(),
    entry<ConfidenceGini>(),
    entry<ChiSquare>(),
    entry<DistinctClasses>(),
    log_entry<Entropy>(),
    log_entry<GainRatio>(),
    entry<Gini>(),
    entry<Hellinger>(),
    entry<InterNodeHellinger>(),
    entry<WeightedInterNodeHellinger>(),
    entry<Misclassification>(),
    entry<Twoing>(),
};

constexpr NumberKernel number_criteria[] = {
    {&AbsoluteError::info, NumberLoss::absolute},
    {&Gamma::info, NumberLoss::gamma, score_numbers<Gamma>},
    {&Poisson::info, NumberLoss::poisson, score_numbers<Poisson>},
    {&Quantile::info, NumberLoss::quantile},
    {&SquaredError::info, NumberLoss::squared, score_numbers<SquaredError>},
};

}  // namespace

extern const Kernels table;
const Kernels table{.criteria = criteria,
                    .number_criteria = number_criteria,
                    .walk_list = walk_list,
                    .sum_items = sum_items,
                    .sum_codes = sum_codes,
                    .count_codes = count_codes,
                    .walk_codes = walk_codes,
                    .partition_list = partition_list,
                    .largest = largest,
                    .gather_keys = gather_keys,
                    .sort_keys = sort_keys,
                    .fill_buckets = fill_buckets,
                    .keep_buckets = keep_buckets,
                    .count_keys = count_keys,
                    .count_sides = count_sides,
                    .walk_counts = walk_counts,
                    .range_of_keys = range_of_keys,
                    .walk_keys = walk_keys,
                    .count_below = count_below,
                    .part_members = part_members,
                    .sum_moments = sum_moments,
                    .find_spreads = find_spreads};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set, also those of all criteria of the registry. Compiled several
// times; see CMakeLists.txt.
#include "scan/kernels.hpp"

#include <array>

#include "criteria/registry.hpp"
#include "scan/hull.hpp"
#include "scan/keys.hpp"
#include "scan/score.hpp"
#include "scan/walk.hpp"

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
    kernel.tie_break = score_ties<typename C::TieBreak>;
    if constexpr (BranchGain<typename C::TieBreak>)
      kernel.tie_break_branches = score_branches<typename C::TieBreak>;
  }
  if constexpr (requires { C::has_integer_sums; }) kernel.has_integer_sums = C::has_integer_sums;
  if constexpr (requires { C::splits_on_ties; }) kernel.splits_on_ties = C::splits_on_ties;
  add_statistics<C>(kernel);
  return kernel;
}

template <class C>
constexpr CriterionKernel entry_of(C*) {
  return entry<C>();
}

template <template <class> class C>
constexpr CriterionKernel entry_of(WithLogs<C>*) {
  return {.info = &C<ComputedLog>::info,
          .score = score_log<C>,
          .walk_sums = walk_log_sums<C>,
          .walk_key_sums = walk_log_sums<C>,
          .score_branches = score_branches<C<ComputedLog>>,
          .bound = bound_of<C<ComputedLog>>(),
          .uses_logs = true};
}

/// Losses that need the order of numbers have no score: they are no functions of sums.
template <class C>
constexpr RegressionKernel regression_entry() {
  if constexpr (requires { &C::template gain<double>; })
    return {&C::info, C::loss, score_regression<C>};
  else
    return {&C::info, C::loss};
}

template <class... C>
constexpr std::array<CriterionKernel, sizeof...(C)> entries(List<C...>) {
  return {entry_of(static_cast<C*>(nullptr))...};
}

template <class... C>
constexpr std::array<RegressionKernel, sizeof...(C)> regression_entries(List<C...>) {
  return {regression_entry<C>()...};
}

constexpr auto criteria = entries(ClassCriteria{});
constexpr auto regression_criteria = regression_entries(RegressionCriteria{});

}  // namespace

extern const std::span<const CriterionKernel> families;  // family_kernels.cpp

extern const Kernels table;
const Kernels table{.criteria = criteria,
                    .families = &families,
                    .regression_criteria = regression_criteria,
                    .walk_list = walk_list,
                    .sum_items = sum_items,
                    .sum_codes = sum_codes,
                    .count_codes = count_codes,
                    .walk_codes = walk_codes,
                    .partition_list = partition_list,
                    .largest = largest,
                    .order_few = order_few,
                    .count_keys = key_kernels<CountKey>(),
                    .row_keys = key_kernels<RowKey>(),
                    .partition_rows = partition_rows,
                    .write_hulls = write_hulls};

}  // namespace ramify::RAMIFY_KERNELS

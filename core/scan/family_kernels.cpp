// SPDX-License-Identifier: BSD-3-Clause
// The criteria of families, for one instruction set. They share one walk, so that each costs the
// compiler little. Compiled several times; see CMakeLists.txt.
#include <array>

#include "criteria/registry.hpp"
#include "scan/tabled.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

template <class C>
constexpr CriterionKernel family() {
  CriterionKernel kernel{.info = &C::info};
  if constexpr (Tabled<C>) {
    kernel.fill_terms = fill_table<C, false>;
    kernel.fill_totals = fill_table<C, true>;
  }
  if constexpr (TabledSum<C>) {
    kernel.score = score_family<C>;
    kernel.combine = combine_sums<C>;
    if constexpr (requires { C::totals_know_classes; }) kernel.totals_know_classes = true;
    kernel.walk_sums = walk_tabled<weighs_classes<C>(), std::uint64_t>;
    kernel.walk_key_sums = walk_tabled<weighs_classes<C>(), std::uint32_t>;
    if constexpr (requires { C::is_multiway; }) kernel.score_branches = score_family_branches<C>;
  } else {
    kernel.score = score<C>;
    if constexpr (BranchGain<C>) kernel.score_branches = score_branches<C>;
  }
  if constexpr (requires { typename C::TieBreak; })
    kernel.tie_break = score_ties<typename C::TieBreak>;
  add_statistics<C>(kernel);
  return kernel;
}

template <class... C>
constexpr std::array<CriterionKernel, sizeof...(C)> all_of(List<C...>) {
  return {family<C>()...};
}

constexpr auto all_families = all_of(FamilyCriteria{});

}  // namespace

extern const std::span<const CriterionKernel> families;
constinit const std::span<const CriterionKernel> families(all_families);

}  // namespace ramify::RAMIFY_KERNELS

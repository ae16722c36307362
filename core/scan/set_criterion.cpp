// SPDX-License-Identifier: BSD-3-Clause
#include "scan/set_criterion.hpp"

#include <algorithm>
#include <vector>

namespace ramify {

const CriterionKernel* find_kernel(std::string_view name) {
  const CriterionKernel* found = nullptr;
  each_criterion([&](const CriterionKernel& kernel) {
    if (name == kernel.info->name) found = &kernel;
  });
  return found;
}

CriterionSettings default_settings(const CriterionInfo& info) {
  CriterionSettings settings;
  for (std::size_t i = 0; i < max_parameters; ++i)
    settings.values[i] = info.parameters[i].otherwise;
  return settings;
}

std::shared_ptr<const SetCriterion> set_criterion(std::string_view name) {
  const CriterionKernel* kernel = find_kernel(name);
  return kernel ? set_criterion(name, default_settings(*kernel->info)) : nullptr;
}

std::shared_ptr<const SetCriterion> set_criterion(std::string_view name,
                                                  CriterionSettings settings) {
  const CriterionKernel* kernel = find_kernel(name);
  if (!kernel) return nullptr;
  const CriterionInfo* info = kernel->info;
  if (kernel->same_as)
    if (const char* other = kernel->same_as(settings)) kernel = find_kernel(other);
  auto set = std::make_shared<SetCriterion>();
  static_cast<CriterionKernel&>(*set) = *kernel;
  set->info = info;
  set->quasi_convex = kernel->quasi_convex_with ? kernel->quasi_convex_with(settings)
                                                : kernel->info->is_quasi_convex;
  set->counts = kernel->counts_with ? kernel->counts_with(settings) : kernel->info->counts;
  if (set->bound && set->bound.holds && !set->bound.holds(settings)) set->bound = {};
  set->settings = std::move(settings);
  return set;
}

namespace {

/// Room for a block in which every class weighs 1; of one thread.
struct BalancedRoom {
  std::vector<double> ones, left;

  ScoreCall call(const ScoreCall& given) {
    const int n = given.n_classes;
    ones.assign(static_cast<std::size_t>(n), 1);
    left.resize(static_cast<std::size_t>(n) * CutBlock::stride);
    const int n_cuts = std::min(CutBlock::stride, given.n_cuts + RAMIFY_KERNELS::pack_width);
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n_cuts; ++i)
        left[static_cast<std::size_t>(k * CutBlock::stride + i)] =
            given.left[k * CutBlock::stride + i] / given.parent[k];
    ScoreCall result = given;
    result.parent = ones.data();
    result.total = n;
    result.left = left.data();
    result.log_table = nullptr;
    result.tables = {};
    result.unit = 1;
    result.criterion = given.criterion->settings.inner.get();
    return result;
  }
};

BalancedRoom& room() {
  static thread_local BalancedRoom own;
  return own;
}

void score_balanced(const ScoreCall& call, double* scores) {
  const ScoreCall inner = room().call(call);
  inner.criterion->score(inner, scores);
}

void break_balanced(const ScoreCall& call, double* scores) {
  const ScoreCall inner = room().call(call);
  inner.criterion->tie_break(inner, scores);
}

double judge_branches(const BranchCall& call, bool is_tie) {
  const auto n = static_cast<std::size_t>(call.n_classes);
  const std::vector<double> ones(n, 1);
  std::vector<double> sums(n * static_cast<std::size_t>(call.n_branches));
  for (std::size_t i = 0; i < static_cast<std::size_t>(call.n_branches); ++i)
    for (std::size_t k = 0; k < n; ++k)
      sums[i * n + k] = call.sums[i * static_cast<std::size_t>(call.stride) + k] / call.parent[k];
  BranchCall inner = call;
  inner.parent = ones.data();
  inner.total = static_cast<double>(n);
  inner.sums = sums.data();
  inner.stride = call.n_classes;
  inner.unit = 1;
  inner.criterion = call.criterion->settings.inner.get();
  return (is_tie ? inner.criterion->tie_break_branches : inner.criterion->score_branches)(inner);
}

}  // namespace

std::shared_ptr<const SetCriterion> balanced(std::shared_ptr<const SetCriterion> inner) {
  auto set = std::make_shared<SetCriterion>();
  set->info = inner->info;
  set->score = score_balanced;
  if (inner->tie_break) set->tie_break = break_balanced;
  if (inner->score_branches)
    set->score_branches = [](const BranchCall& call) { return judge_branches(call, false); };
  if (inner->tie_break_branches)
    set->tie_break_branches = [](const BranchCall& call) { return judge_branches(call, true); };
  set->splits_on_ties = inner->splits_on_ties;
  set->quasi_convex = inner->quasi_convex;
  set->is_balanced = true;
  set->settings.shares = inner->settings.shares;
  set->settings.inner = std::move(inner);
  return set;
}

}  // namespace ramify

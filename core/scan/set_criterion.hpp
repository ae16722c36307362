// SPDX-License-Identifier: BSD-3-Clause
// A criterion of the registry with its parameters.
#pragma once

#include <memory>
#include <string_view>

#include "scan/kernels.hpp"

namespace ramify {

template <class Visit>
void each_criterion(Visit visit) {
  for (const CriterionKernel& kernel : kernels().criteria) visit(kernel);
  for (const CriterionKernel& kernel : *kernels().families) visit(kernel);
}

/// The row of the registry, or null.
const CriterionKernel* find_kernel(std::string_view name);

/// Its parameters as they are if nobody sets them.
CriterionSettings default_settings(const CriterionInfo& info);

/// Null if there is none of that name.
std::shared_ptr<const SetCriterion> set_criterion(std::string_view name);
std::shared_ptr<const SetCriterion> set_criterion(std::string_view name,
                                                  CriterionSettings settings);

/// The criterion for the shares r_tk = n_tk / n_k in place of weights: every class weighs 1 in the
/// node.
std::shared_ptr<const SetCriterion> balanced(std::shared_ptr<const SetCriterion> inner);

}  // namespace ramify

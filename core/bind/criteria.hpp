// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scan/set_criterion.hpp"

namespace ramify {

/// Throws ValueError for a name that is not in the registry. Values that are not given are the
/// defaults.
std::shared_ptr<const SetCriterion> find_criterion(const std::string& name,
                                                   const std::vector<double>& values = {},
                                                   const std::vector<double>& shares = {},
                                                   bool is_balanced = false);

}  // namespace ramify

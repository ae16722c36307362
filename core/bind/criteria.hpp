// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "scan/kernels.hpp"

namespace ramify {

/// Throws ValueError for a name that is not in the registry.
const CriterionKernel& find_criterion(const std::string& name);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of this folder for this processor; and the walk that has no kernel.
#include "simd/kernel_sets.hpp"
#include "survival/walk.hpp"

namespace ramify {

RAMIFY_THREE_SETS(SurvivalKernels, survival_table, survival_kernels)

}  // namespace ramify

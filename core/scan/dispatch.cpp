// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of this folder for this processor.
#include "scan/flags.hpp"
#include "scan/kernels.hpp"
#include "scan/steps.hpp"
#include "simd/kernel_sets.hpp"

namespace ramify {

RAMIFY_TWO_SETS(Kernels, table, kernels)
RAMIFY_THREE_SETS(FlagKernels, flag_table, flag_kernels)
RAMIFY_THREE_SETS(StepKernels, step_table, step_kernels)

}  // namespace ramify

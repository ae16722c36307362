// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of this folder for this processor.
#include "dgmml/moment_kernels.hpp"
#include "simd/kernel_sets.hpp"

namespace ramify {

RAMIFY_TWO_SETS(MomentKernels, moment_table, moment_kernels)

}  // namespace ramify

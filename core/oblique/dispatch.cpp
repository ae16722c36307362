// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of this folder for this processor.
#include "oblique/kernels.hpp"
#include "simd/kernel_sets.hpp"

namespace ramify {

RAMIFY_TWO_SETS(ObliqueKernels, oblique_table, oblique_kernels)

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Chooses the walks for this processor.
#include "optimal/lanes.hpp"
#include "optimal/pairs.hpp"
#include "simd/kernel_sets.hpp"

namespace ramify::optimal {

RAMIFY_THREE_SETS(LaneKernels, kernels, lane_kernels)
RAMIFY_THREE_SETS(PairKernels, pair_table, pair_kernels)

}  // namespace ramify::optimal

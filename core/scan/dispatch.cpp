// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of this folder for this processor.
#include "scan/kernels.hpp"
#include "scan/sorted_scan.hpp"
#include "simd/kernel_sets.hpp"

namespace ramify {

RAMIFY_TWO_SETS(Kernels, table, kernels)
RAMIFY_THREE_SETS(SortedKernels, sorted_table, sorted_kernels)

}  // namespace ramify

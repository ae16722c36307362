// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of this folder for this processor.
#include "search/integer_kernels.hpp"
#include "search/random_cut_kernels.hpp"
#include "simd/kernel_sets.hpp"

namespace ramify {

RAMIFY_THREE_SETS(RandomCutKernels, random_cut_table, random_cut_kernels)
RAMIFY_THREE_SETS(IntegerKernels, integer_table, integer_kernels)

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of this folder for this processor.
#include "boost/kernels.hpp"
#include "boost/loss_kernels.hpp"
#include "simd/kernel_sets.hpp"

namespace ramify {

RAMIFY_TWO_SETS(BoostKernels, boost_table, boost_kernels)
RAMIFY_TWO_SETS(LossKernels, loss_table, loss_kernels)

}  // namespace ramify

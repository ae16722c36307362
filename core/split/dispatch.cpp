// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels of this folder for this processor.
#include "split/bit_kernels.hpp"
#include "split/drawn_kernels.hpp"
#include "split/twig_kernels.hpp"
#include "split/whole_kernels.hpp"
#include "util/kernel_sets.hpp"

namespace ramify {

RAMIFY_THREE_SETS(BitKernels, bit_table, bit_kernels)
RAMIFY_THREE_SETS(DrawnKernels, drawn_table, drawn_kernels)
RAMIFY_THREE_SETS(TwigKernels, twig_table, twig_kernels)
RAMIFY_THREE_SETS(WholeKernels, whole_table, whole_kernels)

}  // namespace ramify

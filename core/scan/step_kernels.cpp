// SPDX-License-Identifier: BSD-3-Clause
// The kernels of regression on sorted lists for one instruction set. Compiled several times; see
// CMakeLists.txt.
#include "scan/step_scan.hpp"
#include "scan/steps.hpp"

namespace ramify::RAMIFY_KERNELS {

extern const StepKernels step_table;
const StepKernels step_table{.shares = share_places,
                             .peak = peak_of<std::uint32_t>,
                             .peak_short = peak_of<std::uint16_t>,
                             .near = near_of<std::uint32_t>,
                             .near_short = near_of<std::uint16_t>,
                             .few_tops = top_few,
                             .few_scores = score_few_cuts,
                             .few_partition = partition_few};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// The kernels of numbers in flagged lists for one instruction set. Compiled several times; see
// CMakeLists.txt.
#include "scan/step_scan.hpp"
#include "scan/steps.hpp"
#ifdef __AVX512VBMI2__
#include "scan/step_vectors.hpp"
#endif

namespace ramify::RAMIFY_KERNELS {

extern const StepKernels step_table;
#ifdef __AVX512VBMI2__
const StepKernels step_table{.shares = share_places,
                             .peak = peak_vectors<std::uint32_t>,
                             .peak_short = peak_vectors<std::uint16_t>,
                             .near = near_vectors<std::uint32_t>,
                             .near_short = near_vectors<std::uint16_t>,
                             .few_tops = top_few_vectors,
                             .few_scores = score_few_vectors,
                             .few_partition = partition_few_vectors};
#else
const StepKernels step_table{.shares = share_places,
                             .peak = peak_of<std::uint32_t>,
                             .peak_short = peak_of<std::uint16_t>,
                             .near = near_of<std::uint32_t>,
                             .near_short = near_of<std::uint16_t>,
                             .few_tops = top_few,
                             .few_scores = score_few_cuts,
                             .few_partition = partition_few};
#endif

}  // namespace ramify::RAMIFY_KERNELS

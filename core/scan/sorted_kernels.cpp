// SPDX-License-Identifier: BSD-3-Clause
// The kernels of sorted lists for one instruction set. Compiled several times; see CMakeLists.txt.
#include "scan/few_scan.hpp"
#include "scan/sorted_partition.hpp"
#include "scan/sorted_scan.hpp"
#include "scan/sorted_walk.hpp"

namespace ramify::RAMIFY_KERNELS {
extern const SortedKernels sorted_table;
const SortedKernels sorted_table{.name = n_lanes == 16  ? "avx512"
                                         : n_lanes == 8 ? "avx2"
                                                        : "portable",
                                 .has_wide_lanes = n_lanes == 16,
                                 .peak = peak_of,
                                 .near = write_near,
                                 .partition = partition_list,
                                 .shares = share_places,
                                 .shares_of_needed = share_needed,
                                 .few_tops = top_few,
                                 .few_scores = score_few_cuts,
                                 .few_partition = partition_few};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// The kernels of flagged lists for one instruction set. Compiled several times; see CMakeLists.txt.
#include "scan/flag_scan.hpp"
#include "scan/flag_weights.hpp"
#include "scan/flags.hpp"
#ifdef __AVX2__
#include "scan/flag_partition_vectors.hpp"
#include "scan/flag_scan_vectors.hpp"
#endif

namespace ramify::RAMIFY_KERNELS {

extern const FlagKernels flag_table;
#ifdef __AVX2__
#ifdef __AVX512VBMI2__
constexpr const char* set_name = "avx512";
constexpr bool walks_low_cardinality = true;
#else
constexpr const char* set_name = "avx2";
constexpr bool walks_low_cardinality = false;
#endif
const FlagKernels flag_table{.name = set_name,
                             .walks_low_cardinality = walks_low_cardinality,
                             .max_factors = 64,
                             .most_weighted = 64,
                             .find_cuts = find_vectors<std::uint32_t>,
                             .find_cuts_short = find_vectors<std::uint16_t>,
                             .sum_cuts = sum_vectors<std::uint32_t>,
                             .sum_cuts_short = sum_vectors<std::uint16_t>,
                             .scan_weights = scan_weights<std::uint32_t>,
                             .scan_weights_short = scan_weights<std::uint16_t>,
                             .sum_weights = sum_weights<std::uint32_t>,
                             .sum_weights_short = sum_weights<std::uint16_t>,
                             .partition = partition_vectors<std::uint32_t>,
                             .partition_short = partition_vectors<std::uint16_t>};
#else
const FlagKernels flag_table{.name = "portable",
                             .walks_low_cardinality = false,
                             .max_factors = 2,
                             .most_weighted = 2,
                             .find_cuts = find_items<std::uint32_t>,
                             .find_cuts_short = find_items<std::uint16_t>,
                             .sum_cuts = sum_cuts_of<std::uint32_t>,
                             .sum_cuts_short = sum_cuts_of<std::uint16_t>,
                             .scan_weights = scan_weights<std::uint32_t>,
                             .scan_weights_short = scan_weights<std::uint16_t>,
                             .sum_weights = sum_weights<std::uint32_t>,
                             .sum_weights_short = sum_weights<std::uint16_t>,
                             .partition = partition_items<std::uint32_t>,
                             .partition_short = partition_items<std::uint16_t>};
#endif

}  // namespace ramify::RAMIFY_KERNELS

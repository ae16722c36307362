// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "search/subtree_kernels.hpp"

#include <bit>

#include "search/round_down.hpp"
#ifdef __AVX512VBMI2__
#include "search/subtree_vectors.hpp"
#else
#include "search/subtree_lanes.hpp"
#endif

namespace ramify::RAMIFY_KERNELS {
namespace {

template <class Value>
void find_ends_of(const SubtreeCall& call, double* min, double* max) {
  for (int j = 0; j < call.n_columns; ++j) {
    const EndsOf<Value> ends =
        ends_of(static_cast<const Value*>(call.values[j]), call.rows, call.n_lanes);
    min[j] = ends.min;
    max[j] = ends.max;
  }
}

template <class Value>
void find_left_of(const SubtreeCall& call, const double* threshold, std::uint64_t* left,
                  std::uint32_t* n_left) {
  for (int j = 0; j < call.n_columns; ++j) {
    left[j] = lanes_up_to(static_cast<const Value*>(call.values[j]),
                          rounded_down<Value>(threshold[j]), call.rows, call.n_lanes);
    n_left[j] = static_cast<std::uint32_t>(std::popcount(left[j] & call.firsts));
  }
}

/// Calls use(Value{}) with the type of the values.
template <class Use>
void with_value(int width, Use use) {
  if (width == 1)
    use(std::uint8_t{});
  else if (width == 4)
    use(float{});
  else
    use(double{});
}

void subtree_ends(const SubtreeCall& call, double* min, double* max) {
  with_value(call.width, [&]<class Value>(Value) { find_ends_of<Value>(call, min, max); });
}

void subtree_left(const SubtreeCall& call, const double* threshold, std::uint64_t* left,
                  std::uint32_t* n_left) {
  with_value(call.width,
             [&]<class Value>(Value) { find_left_of<Value>(call, threshold, left, n_left); });
}

void sum_lanes(const std::uint64_t* rows, int n, std::uint32_t n_lanes, const double* quantised,
               double* sums) {
  for (int j = 0; j < n; ++j) sums[j] = sum_of_lanes(rows[j], n_lanes, quantised);
}

void target_ends(const LaneTargets& call, double* min, double* max) {
  const EndsOf<double> ends = ends_of(call.y, call.rows, call.n_lanes);
  *min = ends.min;
  *max = ends.max;
}

}  // namespace

extern const SubtreeKernels subtree_table;
const SubtreeKernels subtree_table{.find_ends = subtree_ends,
                                   .find_left = subtree_left,
                                   .sum_lanes = sum_lanes,
                                   .target_ends = target_ends,
                                   .target_terms = sum_terms_of_lanes,
                                   .quantise_targets = quantise_lanes};

}  // namespace ramify::RAMIFY_KERNELS

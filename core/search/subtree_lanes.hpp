// SPDX-License-Identifier: BSD-3-Clause
// Values of up to 64 rows, one after the other: what twig_vectors.hpp has for wide vectors.
#pragma once

#include <bit>
#include <cstdint>

#include "search/subtree_kernels.hpp"
#include "simd/pack.hpp"
#include "util/exact_sum.hpp"

namespace ramify::RAMIFY_KERNELS {

template <class Value>
struct EndsOf {
  Value min, max;
};

/// Calls use(lane) for each row.
template <class Use>
void each_lane(std::uint64_t rows, Use use) {
  for (; rows != 0; rows &= rows - 1) use(std::countr_zero(rows));
}

template <class Value>
EndsOf<Value> ends_of(const Value* values, std::uint64_t rows, std::uint32_t) {
  Value low = values[std::countr_zero(rows)], high = low;
  each_lane(rows, [&](int lane) {
    const Value x = values[lane];
    low = x < low ? x : low;
    high = x > high ? x : high;
  });
  return {low, high};
}

template <class Value>
std::uint64_t lanes_up_to(const Value* values, Value bound, std::uint64_t rows, std::uint32_t) {
  std::uint64_t found = 0;
  each_lane(rows,
            [&](int lane) { found |= static_cast<std::uint64_t>(values[lane] <= bound) << lane; });
  return found;
}

inline double sum_of_lanes(std::uint64_t rows, std::uint32_t, const double* quantised) {
  double sum = 0;
  each_lane(rows, [&](int lane) { sum += quantised[lane]; });
  return sum;
}

inline void sum_terms_of_lanes(const LaneTargets& call, LaneTerms& terms) {
  double coarse = 0, fine = 0;
  each_lane(call.rows, [&](int lane) {
    const double away = call.y[lane] - terms.centre;
    const double x = (terms.is_squared ? away * away : away) * terms.up;
    const double whole = (x + rounding_shift) - rounding_shift;
    coarse += whole;
    fine += ((x - whole) * terms.finer + rounding_shift) - rounding_shift;
  });
  terms.coarse = coarse;
  terms.fine = fine;
}

inline double quantise_lanes(const LaneTargets& call, double centre, double per_unit, double up,
                             double down, double* quantised) {
  double sum = 0;
  each_lane(call.rows, [&](int lane) {
    const double x = (call.y[lane] - centre) * per_unit * up;
    quantised[lane] = ((x + rounding_shift) - rounding_shift) * down;
    sum += quantised[lane];
  });
  return sum;
}

}  // namespace ramify::RAMIFY_KERNELS

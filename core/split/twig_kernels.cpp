// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "split/twig_kernels.hpp"

#include <bit>

#include "split/round_down.hpp"
#ifdef __AVX512VBMI2__
#include "split/twig_vectors.hpp"
#endif

namespace ramify::RAMIFY_KERNELS {
namespace {

/// Calls use(lane) for each row.
template <class Use>
void each_lane(std::uint64_t rows, Use use) {
  for (; rows != 0; rows &= rows - 1) use(std::countr_zero(rows));
}

template <class Value>
void find_ends_of(const TwigCall& call, double* least, double* most) {
  for (int j = 0; j < call.n_columns; ++j) {
    const auto* const values = static_cast<const Value*>(call.values[j]);
#ifdef __AVX512VBMI2__
    const EndsOf<Value> ends = ends_of(values, call.rows, call.n_lanes);
    least[j] = ends.least;
    most[j] = ends.most;
#else
    Value low = values[std::countr_zero(call.rows)], high = low;
    each_lane(call.rows, [&](int lane) {
      const Value x = values[lane];
      low = x < low ? x : low;
      high = x > high ? x : high;
    });
    least[j] = low;
    most[j] = high;
#endif
  }
}

template <class Value>
void find_left_of(const TwigCall& call, const double* threshold, std::uint64_t* left,
                  std::uint32_t* n_left) {
  for (int j = 0; j < call.n_columns; ++j) {
    const auto* const values = static_cast<const Value*>(call.values[j]);
    const Value bound = rounded_down<Value>(threshold[j]);
#ifdef __AVX512VBMI2__
    const std::uint64_t found = lanes_up_to(values, bound, call.n_lanes) & call.rows;
#else
    std::uint64_t found = 0;
    each_lane(call.rows, [&](int lane) {
      found |= static_cast<std::uint64_t>(values[lane] <= bound) << lane;
    });
#endif
    left[j] = found;
    n_left[j] = static_cast<std::uint32_t>(std::popcount(found & call.firsts));
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

void twig_ends(const TwigCall& call, double* least, double* most) {
  with_value(call.width, [&]<class Value>(Value) { find_ends_of<Value>(call, least, most); });
}

void twig_left(const TwigCall& call, const double* threshold, std::uint64_t* left,
               std::uint32_t* n_left) {
  with_value(call.width,
             [&]<class Value>(Value) { find_left_of<Value>(call, threshold, left, n_left); });
}

void sum_lanes(const std::uint64_t* rows, int n, std::uint32_t n_lanes, const double* marks,
               double* sums) {
#ifdef __AVX512VBMI2__
  for (int j = 0; j < n; ++j) sums[j] = sum_of_lanes(rows[j], n_lanes, marks);
#else
  static_cast<void>(n_lanes);
  for (int j = 0; j < n; ++j) {
    double sum = 0;
    each_lane(rows[j], [&](int lane) { sum += marks[lane]; });
    sums[j] = sum;
  }
#endif
}

void number_ends(const LaneNumbers& call, double* least, double* most) {
#ifdef __AVX512VBMI2__
  const EndsOf<double> ends = ends_of(call.number, call.rows, call.n_lanes);
  *least = ends.least;
  *most = ends.most;
#else
  double low = call.number[std::countr_zero(call.rows)], high = low;
  each_lane(call.rows, [&](int lane) {
    const double x = call.number[lane];
    low = x < low ? x : low;
    high = x > high ? x : high;
  });
  *least = low;
  *most = high;
#endif
}

constexpr double to_whole = 6755399441055744.0;  // see nearest_whole

void number_terms(const LaneNumbers& call, LaneTerms& terms) {
#ifdef __AVX512VBMI2__
  sum_terms_of_lanes(call, terms, to_whole);
#else
  double coarse = 0, fine = 0;
  each_lane(call.rows, [&](int lane) {
    const double away = call.number[lane] - terms.centre;
    const double x = (terms.is_squared ? away * away : away) * terms.up;
    const double whole = (x + to_whole) - to_whole;
    coarse += whole;
    fine += ((x - whole) * terms.finer + to_whole) - to_whole;
  });
  terms.coarse = coarse;
  terms.fine = fine;
#endif
}

double number_marks(const LaneNumbers& call, double centre, double per_unit, double up, double down,
                    double* marks) {
#ifdef __AVX512VBMI2__
  return mark_lanes(call, centre, per_unit, up, down, to_whole, marks);
#else
  double sum = 0;
  each_lane(call.rows, [&](int lane) {
    const double x = (call.number[lane] - centre) * per_unit * up;
    marks[lane] = ((x + to_whole) - to_whole) * down;
    sum += marks[lane];
  });
  return sum;
#endif
}

}  // namespace

extern const TwigKernels twig_table;
const TwigKernels twig_table{.find_ends = twig_ends,
                             .find_left = twig_left,
                             .sum_lanes = sum_lanes,
                             .number_ends = number_ends,
                             .number_terms = number_terms,
                             .number_marks = number_marks};

}  // namespace ramify::RAMIFY_KERNELS

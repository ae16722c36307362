// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "split/twig_kernels.hpp"

#include <bit>

#include "split/round_down.hpp"
#ifdef __AVX512VBMI2__
#include "split/twig_vectors.hpp"
#else
#include "split/twig_lanes.hpp"
#endif

namespace ramify::RAMIFY_KERNELS {
namespace {

template <class Value>
void find_ends_of(const TwigCall& call, double* least, double* most) {
  for (int j = 0; j < call.n_columns; ++j) {
    const EndsOf<Value> ends =
        ends_of(static_cast<const Value*>(call.values[j]), call.rows, call.n_lanes);
    least[j] = ends.least;
    most[j] = ends.most;
  }
}

template <class Value>
void find_left_of(const TwigCall& call, const double* threshold, std::uint64_t* left,
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
  for (int j = 0; j < n; ++j) sums[j] = sum_of_lanes(rows[j], n_lanes, marks);
}

void number_ends(const LaneNumbers& call, double* least, double* most) {
  const EndsOf<double> ends = ends_of(call.number, call.rows, call.n_lanes);
  *least = ends.least;
  *most = ends.most;
}

}  // namespace

extern const TwigKernels twig_table;
const TwigKernels twig_table{.find_ends = twig_ends,
                             .find_left = twig_left,
                             .sum_lanes = sum_lanes,
                             .number_ends = number_ends,
                             .number_terms = sum_terms_of_lanes,
                             .number_marks = mark_lanes};

}  // namespace ramify::RAMIFY_KERNELS

// SPDX-License-Identifier: BSD-3-Clause
// Compiled several times; see CMakeLists.txt.
#include "dgmml/moment_kernels.hpp"

#include "simd/pack.hpp"
#include "simd/prefetch.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

template <bool has_missing>
void add_moments(const MomentCall& call) {
  const std::uint32_t rows_ahead =
      2 + static_cast<std::uint32_t>(256 / (call.end - call.begin + 1));
  for (std::uint32_t i = 0; i < call.n; ++i) {
    const std::size_t row = call.rows[i];
    if (i + rows_ahead < call.n)
      prefetch(call.block + call.rows[i + rows_ahead] * call.stride + call.begin,
               call.end - call.begin);
    const std::size_t channel = call.channel[call.classes[row]], at = channel * call.stride;
    const double* __restrict centre = call.centre[channel];
    const double weight = call.weight ? call.weight[row] : 1;
    const double* __restrict x = call.block + row * call.stride;
    double* __restrict first = call.first + at;
    double* __restrict second = call.second + at;
    if constexpr (has_missing) {
      double* __restrict known = call.known + at;
      for (std::size_t j = call.begin; j < call.end; ++j) {
        const bool is_known = x[j] == x[j];
        const double apart = is_known ? x[j] - centre[j] : 0;
        first[j] += weight * apart;
        second[j] += weight * apart * apart;
        known[j] += is_known ? weight : 0;
      }
    } else {
      for (std::size_t j = call.begin; j < call.end; ++j) {
        const double apart = x[j] - centre[j];
        first[j] += weight * apart;
        second[j] += weight * apart * apart;
      }
    }
  }
}

void sum_moments(const MomentCall& call) {
  call.known ? add_moments<true>(call) : add_moments<false>(call);
}

/// One column, or a pack of them from column j on.
template <class V, bool has_missing>
void find_spread(const SpreadCall& call, std::size_t j) {
  const V zero = spread<V>(0), one = spread<V>(1);
  const V origin = load<V>(call.mean + j);  // the first class: no digits are lost to far values
  V n_present = zero, total = zero, within = zero, middle = zero, mean = zero;
  const auto weight_of = [&](std::size_t k) {
    return has_missing ? load<V>(call.weight + k * call.n_columns + j) : spread<V>(call.weight[k]);
  };
  for (std::size_t k = 0; k < call.n_channels; ++k) {
    const V weight = weight_of(k), is_present = select(weight > zero, one, zero);
    const V apart = load<V>(call.mean + k * call.n_columns + j) - origin;
    n_present += is_present;
    total += weight;
    within += load<V>(call.deviation + k * call.n_columns + j);
    middle += is_present * apart;
    mean += weight * apart;
  }
  middle = middle / select(n_present > zero, n_present, one);
  mean = mean / select(total > zero, total, one);
  V around = zero, scatter = zero;
  for (std::size_t k = 0; k < call.n_channels; ++k) {
    const V weight = weight_of(k), is_present = select(weight > zero, one, zero);
    const V apart = load<V>(call.mean + k * call.n_columns + j) - origin;
    around += is_present * (apart - middle) * (apart - middle);
    scatter += weight * (apart - mean) * (apart - mean);
  }
  store(call.total + j, total);
  store(call.within + j, within);
  store(call.pairs + j, around * n_present);  // once for every class makes the sum over pairs
  store(call.scatter + j, scatter);
}

template <bool has_missing>
void each_spread(const SpreadCall& call) {
  std::size_t j = 0;
  for (; j + pack_width <= call.n_columns; j += pack_width) find_spread<Pack, has_missing>(call, j);
  for (; j < call.n_columns; ++j) find_spread<double, has_missing>(call, j);
}

void find_spreads(const SpreadCall& call) {
  call.has_missing ? each_spread<true>(call) : each_spread<false>(call);
}

}  // namespace

extern const MomentKernels moment_table;
const MomentKernels moment_table{.sum_moments = sum_moments, .find_spreads = find_spreads};

}  // namespace ramify::RAMIFY_KERNELS

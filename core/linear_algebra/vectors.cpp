// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/vectors.hpp"

#include "simd/clones.hpp"
#include "simd/pack.hpp"

namespace ramify {

using namespace portable;  // a clone is compiled for its own instruction set as a whole

RAMIFY_CLONES double dot(const double* a, const double* b, std::size_t n) {
  Pack sum{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) sum = sum + load_pack(a + i) * load_pack(b + i);
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return lane_sum(sum) + rest;
}

RAMIFY_CLONES double grow_sum(double* sum, const double* x, std::size_t n, double factor) {
  const Pack times = spread<Pack>(factor);
  Pack grown{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Pack old = load_pack(sum + i), added = load_pack(x + i);
    added = added * times;
    grown = grown + added * (old + old + added);
    old = old + added;
    store(sum + i, old);
  }
  double rest = 0;
  for (; i < n; ++i) {
    const double added = factor * x[i];
    rest += added * (2 * sum[i] + added);
    sum[i] += added;
  }
  return lane_sum(grown) + rest;
}

RAMIFY_CLONES void add_to_sum(double* sum, const double* x, std::size_t n, double factor) {
  const Pack times = spread<Pack>(factor);
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Pack old = load_pack(sum + i), added = load_pack(x + i);
    old = old + added * times;
    store(sum + i, old);
  }
  for (; i < n; ++i) sum[i] += x[i] * factor;
}

RAMIFY_CLONES void add_to_range(const double* __restrict x, const double* __restrict origin,
                                double factor, std::size_t n, double* __restrict low,
                                double* __restrict high, double* __restrict sum) {
  for (std::size_t i = 0; i < n; ++i) {
    low[i] = x[i] < low[i] ? x[i] : low[i];
    high[i] = x[i] > high[i] ? x[i] : high[i];
    sum[i] += factor * (x[i] - origin[i]);
  }
}

RAMIFY_CLONES double scale_point(const double* x, const double* center, const double* scale,
                                 std::size_t n, double* scaled) {
  Pack length{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Pack a = load_pack(x + i);
    const Pack b = load_pack(center + i), c = load_pack(scale + i);
    a = (a - b) * c;
    length = length + a * a;
    store(scaled + i, a);
  }
  double rest = 0;
  for (; i < n; ++i) {
    scaled[i] = (x[i] - center[i]) * scale[i];
    rest += scaled[i] * scaled[i];
  }
  return lane_sum(length) + rest;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/products.hpp"

#include "simd/clones.hpp"
#include "simd/pack.hpp"

namespace ramify {

using namespace portable;  // a clone is compiled for its own instruction set as a whole

RAMIFY_CLONES double long_dot(const double* a, const double* b, std::size_t n) {
  Pack sum[4] = {};
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int part = 0; part < 4; ++part) {
      const std::size_t at = i + 4 * static_cast<std::size_t>(part);
      sum[part] += load_pack(a + at) * load_pack(b + at);
    }
  for (; i + 4 <= n; i += 4) sum[0] += load_pack(a + i) * load_pack(b + i);
  const Pack all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return lane_sum(all) + rest;
}

/// Half of a panel against a full one: the 32 sums fit into the vector registers.
RAMIFY_CLONES static void add_half(const double* a, const double* b, std::size_t n_rows,
                                   double* sums, std::size_t stride) {
  Pack low[4] = {}, high[4] = {};
  for (std::size_t row = 0; row < n_rows; ++row, a += panel_width, b += panel_width) {
    const Pack first = load_pack(b), second = load_pack(b + 4);
    for (int i = 0; i < 4; ++i) {
      low[i] += a[i] * first;
      high[i] += a[i] * second;
    }
  }
  for (int i = 0; i < 4; ++i, sums += stride)
    for (int lane = 0; lane < 4; ++lane) {
      sums[lane] += low[i][lane];
      sums[4 + lane] += high[i][lane];
    }
}

void add_products(const double* a, const double* b, std::size_t n_rows, double* sums,
                  std::size_t stride) {
  add_half(a, b, n_rows, sums, stride);
  add_half(a + 4, b, n_rows, sums + 4 * stride, stride);
}

}  // namespace ramify

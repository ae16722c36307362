// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/products.hpp"

#include <cstring>

#include "simd/clones.hpp"

namespace ramify {

#if defined(__GNUC__)
namespace {
typedef double Four __attribute__((vector_size(32)));
}

RAMIFY_CLONES double long_dot(const double* a, const double* b, std::size_t n) {
  Four sum[4] = {};
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int part = 0; part < 4; ++part) {
      Four x, y;
      std::memcpy(&x, a + i + 4 * part, sizeof(Four));
      std::memcpy(&y, b + i + 4 * part, sizeof(Four));
      sum[part] += x * y;
    }
  for (; i + 4 <= n; i += 4) {
    Four x, y;
    std::memcpy(&x, a + i, sizeof(Four));
    std::memcpy(&y, b + i, sizeof(Four));
    sum[0] += x * y;
  }
  const Four all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return (all[0] + all[1]) + (all[2] + all[3]) + rest;
}

/// Half of a panel against a full one: the 32 sums fit into the vector registers.
RAMIFY_CLONES static void add_half(const double* a, const double* b, std::size_t n_rows,
                                   double* sums, std::size_t stride) {
  Four low[4] = {}, high[4] = {};
  for (std::size_t row = 0; row < n_rows; ++row, a += panel_width, b += panel_width) {
    Four first, second;
    std::memcpy(&first, b, sizeof(Four));
    std::memcpy(&second, b + 4, sizeof(Four));
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
#else
double long_dot(const double* a, const double* b, std::size_t n) {
  double sum[16] = {}, rest = 0;
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int lane = 0; lane < 16; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  for (; i + 4 <= n; i += 4)
    for (int lane = 0; lane < 4; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  for (; i < n; ++i) rest += a[i] * b[i];
  double all[4];
  for (int lane = 0; lane < 4; ++lane)
    all[lane] = (sum[lane] + sum[4 + lane]) + (sum[8 + lane] + sum[12 + lane]);
  return (all[0] + all[1]) + (all[2] + all[3]) + rest;
}

static void add_half(const double* a, const double* b, std::size_t n_rows, double* sums,
                     std::size_t stride) {
  double own[4][panel_width] = {};
  for (std::size_t row = 0; row < n_rows; ++row, a += panel_width, b += panel_width)
    for (int i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < panel_width; ++j) own[i][j] += a[i] * b[j];
  for (int i = 0; i < 4; ++i, sums += stride)
    for (std::size_t j = 0; j < panel_width; ++j) sums[j] += own[i][j];
}
#endif

void add_products(const double* a, const double* b, std::size_t n_rows, double* sums,
                  std::size_t stride) {
  add_half(a, b, n_rows, sums, stride);
  add_half(a + 4, b, n_rows, sums + 4 * stride, stride);
}

}  // namespace ramify

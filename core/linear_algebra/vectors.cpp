// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/vectors.hpp"

#include <cstring>

#include "simd/clones.hpp"

namespace ramify {
namespace {

#if defined(__GNUC__)
typedef double Four __attribute__((vector_size(32)));
#else
struct Four {
  double lane[4];
  double operator[](int i) const { return lane[i]; }
};
inline Four operator+(Four a, Four b) {
  for (int i = 0; i < 4; ++i) a.lane[i] += b.lane[i];
  return a;
}
inline Four operator-(Four a, Four b) {
  for (int i = 0; i < 4; ++i) a.lane[i] -= b.lane[i];
  return a;
}
inline Four operator*(Four a, Four b) {
  for (int i = 0; i < 4; ++i) a.lane[i] *= b.lane[i];
  return a;
}
#endif

}  // namespace

RAMIFY_CLONES double dot(const double* a, const double* b, std::size_t n) {
  Four sum{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Four x, y;
    std::memcpy(&x, a + i, sizeof(Four));
    std::memcpy(&y, b + i, sizeof(Four));
    sum = sum + x * y;
  }
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

RAMIFY_CLONES double grow_sum(double* sum, const double* x, std::size_t n, double factor) {
  const Four times{factor, factor, factor, factor};
  Four grown{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Four old, added;
    std::memcpy(&old, sum + i, sizeof(Four));
    std::memcpy(&added, x + i, sizeof(Four));
    added = added * times;
    grown = grown + added * (old + old + added);
    old = old + added;
    std::memcpy(sum + i, &old, sizeof(Four));
  }
  double rest = 0;
  for (; i < n; ++i) {
    const double added = factor * x[i];
    rest += added * (2 * sum[i] + added);
    sum[i] += added;
  }
  return (grown[0] + grown[1]) + (grown[2] + grown[3]) + rest;
}

RAMIFY_CLONES void add_to_sum(double* sum, const double* x, std::size_t n, double factor) {
  const Four times{factor, factor, factor, factor};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Four old, added;
    std::memcpy(&old, sum + i, sizeof(Four));
    std::memcpy(&added, x + i, sizeof(Four));
    old = old + added * times;
    std::memcpy(sum + i, &old, sizeof(Four));
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
  Four length{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Four a, b, c;
    std::memcpy(&a, x + i, sizeof(Four));
    std::memcpy(&b, center + i, sizeof(Four));
    std::memcpy(&c, scale + i, sizeof(Four));
    a = (a - b) * c;
    length = length + a * a;
    std::memcpy(scaled + i, &a, sizeof(Four));
  }
  double rest = 0;
  for (; i < n; ++i) {
    scaled[i] = (x[i] - center[i]) * scale[i];
    rest += scaled[i] * scaled[i];
  }
  return (length[0] + length[1]) + (length[2] + length[3]) + rest;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/table.hpp"

namespace ramify {

double exact_unit(double total) {
  // 2^51 units in all: the sum of the rounded weights stays below 2^53.
  return std::max(std::ldexp(1.0, std::ilogb(total) - 51), std::numeric_limits<double>::denorm_min());
}

double make_exact(std::span<double> weight) {
  double total = 0;
  bool whole = true;
  for (const double w : weight) {
    total += w;
    whole = whole && w == std::trunc(w);
  }
  if (whole && total <= 0x1p53) return 1;
  const double unit = exact_unit(total);
  for (double& w : weight) w = std::nearbyint(w / unit);
  return unit;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "data/table.hpp"

namespace ramify {

namespace {

/// Avoids a library call per row.
bool is_integer_value(double x) {
  return std::abs(x) < 0x1p62 ? static_cast<double>(static_cast<std::int64_t>(x)) == x
                              : x == std::trunc(x);
}

}  // namespace

double exact_unit(double largest, std::size_t n) {
  // At most 2^52 units in all, even if every weight is as large. The largest weight and the number
  // of weights, unlike their sum, do not depend on the order of rows.
  const int exponent = std::ilogb(largest) + 1 + static_cast<int>(std::bit_width(n)) - 52;
  return std::max(std::ldexp(1.0, exponent), std::numeric_limits<double>::denorm_min());
}

double make_exact(std::span<double> weight) {
  double total = 0, largest = 0;
  bool whole = true;
  for (const double w : weight) {
    total += w;
    largest = std::max(largest, w);
    whole &= is_integer_value(w);
  }
  if (whole && total <= 0x1p53) return 1;
  const double unit = exact_unit(largest, weight.size());
  for (double& w : weight) w = std::nearbyint(w / unit);
  return unit;
}

Target Target::some(std::span<const std::uint32_t> rows, std::vector<double> weights,
                    double own_unit) const {
  Target part;
  part.n_rows = static_cast<std::uint32_t>(rows.size());
  part.n_classes = n_classes;
  part.n_extra = n_extra;
  part.weight = std::move(weights);
  part.unit = own_unit;
  const auto copy = [&](const auto& all, std::size_t width, auto& to) {
    if (all.empty()) return;
    to.resize(rows.size() * width);
    auto at = to.begin();
    for (const std::uint32_t row : rows) at = std::copy_n(all.begin() + row * width, width, at);
  };
  copy(classes, n_classes.size(), part.classes);
  copy(values, n_classes.size(), part.values);
  copy(extra, static_cast<std::size_t>(n_extra), part.extra);
  return part;
}

void Target::note_times() {
  times.clear();
  const bool fits = unit == 1 && total_weight() < 0x1p31 &&
                    std::ranges::all_of(
                        weight, [](double w) { return w >= 1 && w < 256 && is_integer_value(w); });
  if (fits) times.assign(weight.begin(), weight.end());
}

}  // namespace ramify

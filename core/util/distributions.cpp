// SPDX-License-Identifier: BSD-3-Clause
#include "util/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ramify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double tiny = 1e-300;
constexpr double precision = 1e-16;
constexpr int max_steps = 100'000;

double log_one_minus(double p) { return p < 1 ? std::log1p(-p) : -infinity; }

/// A continued fraction b(0) + a(1) / (b(1) + a(2) / (b(2) + ...)) by Lentz's method; term(i)
/// returns the pair a(i), b(i).
template <class Term>
double continued_fraction(double b0, Term term) {
  double value = b0 == 0 ? tiny : b0, c = value, d = 0;
  for (int i = 1; i < max_steps; ++i) {
    const auto [a, b] = term(i);
    d = b + a * d;
    c = b + a / c;
    if (d == 0) d = tiny;
    if (c == 0) c = tiny;
    d = 1 / d;
    value *= c * d;
    if (std::abs(c * d - 1) < precision) break;
  }
  return value;
}

struct FractionTerm {
  double a, b;
};

/// ln of the regularised incomplete beta function I_x(a, b), for arguments where its continued
/// fraction converges fast.
double log_beta_small(double x, double a, double b) {
  const double log_front = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                           b * std::log1p(-x) - std::log(a);
  const double fraction = continued_fraction(1, [&](int i) -> FractionTerm {
    const double m = i / 2;
    if (i % 2 == 0) return {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1};
    return {-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1};
  });
  return log_front - std::log(fraction);
}

}  // namespace

double log_gamma(double x) {
  double product = 1;
  for (; x < 15; x += 1) product *= x;
  const double y = 1 / (x * x);  // Stirling's series
  const double series =
      (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188))))) / x;
  return (x - 0.5) * std::log(x) - x + 0.91893853320467274178 + series - std::log(product);
}

double log_chi2_tail(double x, double degrees) {
  if (!(x > 0)) return 0;
  if (std::isinf(x)) return -infinity;
  const double a = degrees / 2;
  x /= 2;
  const double log_front = a * std::log(x) - x - log_gamma(a);
  if (x < a + 1) {  // the lower part, as a series
    double term = 1 / a, sum = term;
    for (int i = 1; i < max_steps && term > sum * precision; ++i) {
      term *= x / (a + i);
      sum += term;
    }
    return log_one_minus(std::exp(log_front) * sum);
  }
  const double fraction = continued_fraction(
      x + 1 - a, [&](int i) -> FractionTerm { return {-i * (i - a), x + 1 - a + 2 * i}; });
  return log_front - std::log(fraction);
}

double log_f_tail(double x, double degrees_above, double degrees_below) {
  if (!(x > 0)) return 0;
  if (std::isinf(x)) return -infinity;
  // The tail is I_z(d2 / 2, d1 / 2) with z = d2 / (d2 + d1 x).
  const double a = degrees_below / 2, b = degrees_above / 2;
  const double z = degrees_below / (degrees_below + degrees_above * x);
  const double rest = degrees_above * x / (degrees_below + degrees_above * x);  // 1 - z
  if (z <= 0) return -infinity;
  if (z < (a + 1) / (a + b + 2)) return std::min(0.0, log_beta_small(z, a, b));
  if (rest <= 0) return 0;
  return log_one_minus(std::exp(log_beta_small(rest, b, a)));
}

}  // namespace ramify

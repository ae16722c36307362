// SPDX-License-Identifier: BSD-3-Clause
#include "tree/counting.hpp"

#include <numbers>

#include "util/distributions.hpp"

namespace ramify {
namespace {

/// The quantile of the normal distribution at 1 - p, by Newton steps from a rough start.
double normal_quantile(double p) {
  double z = 0;
  for (int i = 0; i < 60; ++i) {
    const double tail = std::erfc(z / std::numbers::sqrt2) / 2 - p;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double step = std::clamp(tail / density, -1.0, 1.0);
    z += step;
    if (std::abs(step) < 1e-15 * std::max(1.0, std::abs(z))) break;
  }
  return z;
}

/// The same from C4.5's table, with linear interpolation.
double c45_quantile(double p) {
  constexpr double at[] = {0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00};
  constexpr double z[] = {4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00};
  std::size_t i = 1;
  while (p > at[i]) ++i;
  return z[i - 1] + (z[i] - z[i - 1]) * (p - at[i - 1]) / (at[i] - at[i - 1]);
}

/// The regularised incomplete beta function, through the tail of an F variable.
double beta_share(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return std::exp(log_f_tail(a / b * (1 - x) / x, 2 * b, 2 * a));
}

}  // namespace

Judged prune_bottom_up(const TreeView& tree, const NodeCosts& costs,
                       std::span<const std::uint8_t> is_leaf) {
  const std::size_t n = tree.size();
  Judged found(n);
  found.as_leaf.assign(costs.as_leaf.begin(), costs.as_leaf.end());
  std::vector<double> cost = found.as_leaf;
  std::vector<std::int64_t> n_nodes(n);
  for (std::size_t t = n; t-- > 0;) {  // children come after their parent
    n_nodes[t] = tree.weight[t] > 0;
    found.is_leaf[t] = tree.children_left[t] < 0 || (!is_leaf.empty() && is_leaf[t]);
    if (found.is_leaf[t]) continue;
    double below = costs.of_test.empty() ? 0 : costs.of_test[t], weight = 0;
    std::int64_t size = 1;
    if (costs.averages)
      tree.each_child(t, [&](std::size_t child, std::int64_t) { weight += tree.weight[child]; });
    tree.each_child(t, [&](std::size_t child, std::int64_t) {
      below += (weight > 0 ? tree.weight[child] / weight : 1) * cost[child];
      size += n_nodes[child];
    });
    found.as_subtree[t] = below;
    found.allowance[t] = costs.allowance[t];
    if (!costs.of_size.empty())
      found.allowance[t] += costs.of_size[t] *
                            std::sqrt(costs.before[t] + costs.per_node * static_cast<double>(size));
    found.is_leaf[t] = cost[t] <= below + found.allowance[t];
    if (found.is_leaf[t]) continue;
    cost[t] = below;
    n_nodes[t] = size;
  }
  return found;
}

ErrorBound::ErrorBound(Kind kind, double cf)
    : kind_(kind), cf_(cf), z_(kind == Kind::c45 ? c45_quantile(cf) : normal_quantile(cf)) {}

double ErrorBound::added(double n, double errors) const {
  if (n < weka_small) return 0;
  if (kind_ == Kind::exact) return exact(n, errors);
  const bool is_c45 = kind_ == Kind::c45;
  if (errors < (is_c45 ? weka_small : std::numeric_limits<double>::min())) return without_errors(n);
  if (errors < (is_c45 ? 0.9999 : 1.0)) {
    const double base = without_errors(n);
    return base + errors * (with_errors(n, 1) - base);
  }
  return with_errors(n, errors);
}

double ErrorBound::with_errors(double n, double errors) const {
  const double f = errors + 0.5;
  if (f >= n) return kind_ == Kind::c45 ? 0.67 * (n - errors) : std::max(n - errors, 0.0);
  const double z2 = z_ * z_;
  const double upper = (f + z2 / 2 + z_ * std::sqrt(f * (1 - f / n) + z2 / 4)) / (n + z2);
  return n * upper - errors;
}

double ErrorBound::exact(double n, double errors) const {
  if (errors <= 0) return without_errors(n);
  if (errors >= n) return 0;
  double low = 0, high = 1;  // P(X <= errors | n, p) falls with p
  for (int i = 0; i < 60; ++i) {
    const double p = (low + high) / 2;
    (beta_share(1 - p, n - errors, errors + 1) > cf_ ? low : high) = p;
  }
  return n * (low + high) / 2 - errors;
}

double estimated_errors(const ErrorBound& bound, std::span<const double> weight) {
  double total = 0, max = 0;
  for (const double w : weight) {
    total += w;
    if (w > max + weka_small) max = w;
  }
  return total - max + bound.added(total, total - max);
}

}  // namespace ramify

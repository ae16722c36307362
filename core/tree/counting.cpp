// SPDX-License-Identifier: BSD-3-Clause
#include "tree/counting.hpp"

#include <numbers>

#include "util/contingency.hpp"

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

std::vector<std::uint8_t> collapsed(const TreeView& tree, const NodeCounts& counts) {
  const std::size_t n = tree.size();
  std::vector<double> errors(n), below(n);
  std::vector<std::uint8_t> is_leaf(n);
  for (std::size_t t = n; t-- > 0;) {
    errors[t] = counts.errors(t);
    is_leaf[t] = tree.children_left[t] < 0;
    below[t] = is_leaf[t] ? errors[t] : 0;
    tree.each_child(t, [&](std::size_t child, std::int64_t) { below[t] += below[child]; });
    // Top-down and bottom-up cut the same nodes: a node above such a node considers the errors of
    // the unpruned subtree, which `below` holds for all nodes.
    if (below[t] >= errors[t] - 1e-3) is_leaf[t] = 1;
  }
  return is_leaf;
}

Judged prune_pessimistic(const TreeView& tree, const NodeCounts& counts, double n_se,
                         double correction) {
  const std::size_t n = tree.size();
  Judged found(n);
  std::vector<double> below(n);
  for (std::size_t t = n; t-- > 0;) {
    const double total = counts.total(t);
    found.as_leaf[t] = total > 0 ? counts.errors(t) + correction : 0;
    if (tree.children_left[t] < 0) {
      found.is_leaf[t] = 1;
      below[t] = found.as_leaf[t];
      continue;
    }
    tree.each_child(t, [&](std::size_t child, std::int64_t) { below[t] += below[child]; });
    found.as_subtree[t] = below[t];
    const double variance = total > 0 ? below[t] * (total - below[t]) / total : 0;
    found.allowance[t] = n_se * std::sqrt(std::max(variance, 0.0));
  }
  const double slack = 1e-9 * std::max(1.0, found.as_leaf[0]);
  for (std::size_t t = 0; t < n; ++t)
    if (!found.is_leaf[t])
      found.is_leaf[t] = found.as_leaf[t] <= found.as_subtree[t] + found.allowance[t] + slack;
  return found;
}

std::vector<double> strengths(const TreeView& tree, const NodeCounts& counts, Strength measure) {
  const std::size_t n = tree.size();
  std::vector<double> strength(n, std::numeric_limits<double>::quiet_NaN());
  const auto impurity = [&](std::size_t t) {
    const double total = counts.total(t);
    double sum = measure == Strength::gini ? 1 : 0;
    for (const double w : counts.of(t)) {
      if (!(w > 0)) continue;
      const double p = w / total;
      sum -= measure == Strength::gini ? p * p : p * std::log2(p);
    }
    return sum;
  };
  std::vector<std::size_t> branches;
  for (std::size_t t = 0; t < n; ++t) {
    if (tree.children_left[t] < 0) continue;
    branches.clear();
    tree.each_child(t, [&](std::size_t child, std::int64_t) { branches.push_back(child); });
    if (measure == Strength::chi2) {
      const ChiSquareTest test =
          chi_square(branches.size(), counts.n_classes, 1,
                     [&](std::size_t branch) { return counts.of(branches[branch]); });
      strength[t] = test.degrees > 0 ? -std::expm1(test.log_p) : 0;
      continue;
    }
    double total = 0;  // of the branches: fractions may have been dropped on the way
    for (const std::size_t child : branches) total += counts.total(child);
    strength[t] = impurity(t);
    for (const std::size_t child : branches)
      if (counts.total(child) > 0) strength[t] -= counts.total(child) / total * impurity(child);
  }
  return strength;
}

Judged prune_critical(const TreeView& tree, std::span<const double> strength, double critical) {
  const std::size_t n = tree.size();
  Judged found(n);
  found.as_leaf.assign(n, critical);
  for (std::size_t t = n; t-- > 0;) {
    found.is_leaf[t] = tree.children_left[t] < 0;
    if (found.is_leaf[t]) continue;
    double reach = strength[t];
    tree.each_child(t, [&](std::size_t child, std::int64_t) {
      if (tree.children_left[child] >= 0) reach = std::max(reach, found.as_subtree[child]);
    });
    found.as_subtree[t] = reach;
    found.allowance[t] = 0;
    found.is_leaf[t] = reach < critical;
  }
  return found;
}

}  // namespace ramify

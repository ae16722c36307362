// SPDX-License-Identifier: BSD-3-Clause
#include "online/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ramify::online {

double information(const SideTable& table) {
  const std::size_t n_classes = table.left.size();
  double n_left = 0, n_right = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    n_left += table.left[k];
    n_right += table.right[k];
  }
  const double n = n_left + n_right;
  double sum = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    const double of_class = table.left[k] + table.right[k];
    if (table.left[k] > 0) sum += table.left[k] * std::log(table.left[k] * n / (n_left * of_class));
    if (table.right[k] > 0)
      sum += table.right[k] * std::log(table.right[k] * n / (n_right * of_class));
  }
  return std::max(sum, 0.0);
}

double tail(double log_p, double m) {
  if (log_p >= 0) return m;
  double x = m - log_p;
  for (int i = 0; i < 200; ++i) {  // the map contracts by m / x: where p is tiny, at once
    const double next = -log_p + m * (1 + std::log(x / m));
    const bool is_done = std::abs(next - x) <= 1e-13 * next;
    x = next;
    if (is_done) break;
  }
  return x;
}

double log_share(double delta, double attempt, double n_columns) {
  return std::log(delta / (attempt * (attempt + 1) * n_columns));
}

double needed_for_cut(double log_p, double n_classes, double n_cuts, bool has_missing) {
  const double tried = has_missing ? 2 * n_cuts + 1 : n_cuts;
  const double n_branches = n_cuts + 1 + (has_missing ? 1 : 0);
  return std::min(tail(log_p - std::log(tried), n_classes),
                  tail(log_p, n_classes * (n_branches - 1)));
}

double needed_for_subset(double log_p, double n_classes, double n_categories) {
  const double others = n_categories - 1;
  return std::min(tail(log_p - others * std::numbers::ln2, n_classes),
                  tail(log_p, n_classes * others));
}

double hoeffding(double range, double log_p, double n) {
  return range * std::sqrt(-log_p / (2 * n));
}

double largest_change(BoundedImpurity impurity, double n) {
  if (impurity == BoundedImpurity::gini) return 4;
  if (impurity == BoundedImpurity::misclassification) return 2;
  return 2 * (n * std::log2(n) - (n > 1 ? (n - 1) * std::log2(n - 1) : 0));
}

double mcdiarmid(BoundedImpurity impurity, GainType type, double log_p, double n,
                 double n_classes) {
  const double epsilon = largest_change(impurity, n) * std::sqrt(-log_p / (2 * n));
  if (type == GainType::of_n_rows) return epsilon;
  if (impurity == BoundedImpurity::gini) return epsilon + 2 * (1 - 1 / n_classes) / n;
  if (impurity == BoundedImpurity::entropy) return epsilon + std::log2(1 + (2 * n_classes - 1) / n);
  return 2 * std::sqrt((-log_p + 2 * std::log(n_classes)) / (2 * n));
}

double normal_quantile(double log_p) {
  if (log_p >= -std::numbers::ln2) return 0;
  // log of the upper tail: erfc underflows near z = 38, then by its asymptotic series.
  const auto log_tail = [](double z) {
    if (z < 25) return std::log(std::erfc(z / std::numbers::sqrt2) / 2);
    const double u = 1 / (z * z);
    return -z * z / 2 - std::log(z * std::sqrt(2 * std::numbers::pi)) +
           std::log1p(-u * (1 - 3 * u * (1 - 5 * u)));
  };
  double low = 0, high = std::sqrt(-2 * log_p) + 1;
  for (int i = 0; i < 200 && high - low > 1e-13 * high; ++i) {
    const double middle = (low + high) / 2;
    (log_tail(middle) > log_p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double log_chance(const NumberSums& left, const NumberSums& right, double range) {
  const double n = left.n + right.n, mean = (left.sum + right.sum) / n;
  const NumberSums& smaller = left.n <= right.n ? left : right;
  const double variance = std::max((left.squares + right.squares) / n - mean * mean, 0.0);
  const double distance = std::abs(smaller.sum - smaller.n * mean);
  const double spread = 2 * (smaller.n * variance + range * distance / 3);
  return spread > 0 ? -distance * distance / spread : 0;
}

}  // namespace ramify::online

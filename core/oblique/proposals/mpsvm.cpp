// SPDX-License-Identifier: BSD-3-Clause
// Multisurface proximal support vector machines (Manwani, Sastry 2012; Zhang, Suganthan 2015): two
// planes, each close to one of two groups of rows and far from the other, and the planes midway
// between them. Reads the matrix row by row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "linear_algebra/cholesky.hpp"
#include "linear_algebra/eigen.hpp"
#include "linear_algebra/vectors.hpp"
#include "oblique/class_means.hpp"
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "oblique/scatter.hpp"

namespace ramify {
namespace {

/// Planes with a larger cosine count as parallel.
constexpr double parallel = 0.9;

double log_determinant(const Symmetric& factored) {
  double sum = 0;
  for (std::size_t j = 0; j < factored.n; ++j) sum += 2 * std::log(factored.at(j, j));
  return sum;
}

class Mpsvm {
 public:
  Mpsvm(const ObliqueProblem& problem, const MpsvmRules& rules)
      : problem_(problem),
        rules_(rules),
        d_(problem.n_columns),
        n_classes_(problem.class_weight.size()),
        means_(class_means(problem)) {}

  Proposal search() {
    const std::vector<std::uint8_t> group = groups();
    if (group.empty()) return {};
    const std::optional<Symmetric> first = moments(group, 0), second = moments(group, 1);
    if (!first || !second || !first->is_finite() || !second->is_finite()) return {};
    const bool is_singular = !can_be_factored(*first) || !can_be_factored(*second);
    const std::vector<double> p = farthest(*second, *first, is_singular);
    std::vector<double> q = farthest(*first, *second, is_singular);
    if (p.empty() || q.empty()) return {};
    double cosine = dot(p.data(), q.data(), d_);
    if (cosine < 0) {
      for (double& each : q) each = -each;
      cosine = -cosine;
    }
    if (cosine > parallel) {
      std::vector<double> between = p;
      between[d_] = (p[d_] + q[d_]) / 2;
      return best_of(problem_, {plane(between)});
    }
    std::vector<double> sum(d_ + 1), difference(d_ + 1);
    for (std::size_t j = 0; j <= d_; ++j) {
      sum[j] = p[j] + q[j];
      difference[j] = p[j] - q[j];
    }
    return best_of(problem_, {plane(sum), plane(difference)});
  }

 private:
  /// A plane v . (x, -1) = 0.
  Direction plane(std::span<const double> v) const {
    return {{v.begin(), v.begin() + static_cast<std::ptrdiff_t>(d_)}, -v[d_], rules_.own_cut};
  }

  static bool can_be_factored(Symmetric matrix) {
    return factor_cholesky(matrix.values.data(), matrix.n, matrix.stride);
  }

  /// The weighted mean of (x, -1) (x, -1)' over a group. Returns nothing if the user wants to stop.
  std::optional<Symmetric> moments(std::span<const std::uint8_t> group, std::uint8_t wanted) const {
    const std::vector<double> origin(d_);
    std::vector<const double*> point;
    for (const std::uint8_t each : group) point.push_back(each == wanted ? origin.data() : nullptr);
    const std::optional<Symmetric> sums = scatter_about(problem_, point);
    if (!sums) return {};
    const Groups two = group_classes(problem_, means_, group, 2);
    Symmetric mean{d_ + 1, d_ + 1, std::vector<double>((d_ + 1) * (d_ + 1))};
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) mean.at(i, j) = sums->at(i, j) / two.weight[wanted];
      mean.at(d_, i) = -two.mean[wanted * d_ + i];
    }
    mean.at(d_, d_) = 1;
    return mean;
  }

  /// The plane v that maximises v' above v / v' below v, scaled to weights of length one; empty if
  /// there is none.
  std::vector<double> farthest(const Symmetric& above, Symmetric below, bool is_singular) const {
    const std::size_t n = below.n;
    for (std::size_t j = 0; j < n && is_singular; ++j) below.at(j, j) += rules_.delta;
    if (!factor_cholesky(below.values.data(), n, below.stride)) return {};
    // L^-1 above L^-T, column by column; the matrix is symmetric, so that rows are columns.
    std::vector<double> inside(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        inside[i * n + j] = i >= j ? above.at(i, j) : above.at(j, i);
    for (int side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < n; ++i)
        solve_lower(below.values.data(), n, below.stride, &inside[i * n]);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) std::swap(inside[i * n + j], inside[j * n + i]);
    }
    const SymmetricEigen found = symmetric_eigen(inside.data(), n, n);
    std::vector<double> v(found.of(0).begin(), found.of(0).end());
    solve_upper(below.values.data(), n, below.stride, v.data());
    const double length = std::sqrt(dot(v.data(), v.data(), d_));
    if (!(length > 0) || !std::isfinite(length)) return {};
    for (double& each : v) each /= length;
    return v;
  }

  /// Two groups of classes; empty if the user wants to stop.
  std::vector<std::uint8_t> groups() const {
    std::vector<std::uint8_t> group(n_classes_);
    if (n_classes_ == 2) return {0, 1};
    if (rules_.largest) {
      const auto heaviest = std::ranges::max_element(problem_.class_weight);
      std::ranges::fill(group, std::uint8_t{1});
      group[static_cast<std::size_t>(heaviest - problem_.class_weight.begin())] = 0;
      return group;
    }
    const std::optional<std::vector<double>> distance = distances();
    if (!distance) return {};
    const auto between = [&](std::size_t a, std::size_t b) {
      return (*distance)[std::max(a, b) * n_classes_ + std::min(a, b)];
    };
    std::size_t first = 0, second = 1;
    for (std::size_t a = 0; a < n_classes_; ++a)
      for (std::size_t b = a + 1; b < n_classes_; ++b)
        if (between(a, b) > between(first, second)) {
          first = a;
          second = b;
        }
    for (std::size_t k = 0; k < n_classes_; ++k)
      group[k] = k == second || (k != first && between(k, second) < between(k, first));
    return group;
  }

  /// The distance of any two classes: Bhattacharyya's distance of two normal densities; if some
  /// class has no width in a direction, that of the means. Lower triangle.
  std::optional<std::vector<double>> distances() const {
    std::vector<Symmetric> width;
    std::vector<double> log_det;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      std::vector<const double*> point(n_classes_);
      point[k] = means_.data() + k * d_;
      std::optional<Symmetric> own = scatter_about(problem_, point);
      if (!own) return {};
      for (double& each : own->values) each /= problem_.class_weight[k];
      Symmetric factored = *own;
      if (!factor_cholesky(factored.values.data(), d_, factored.stride)) break;
      log_det.push_back(log_determinant(factored));
      width.push_back(std::move(*own));
    }
    const bool is_normal = width.size() == n_classes_;
    std::vector<double> distance(n_classes_ * n_classes_), apart(d_);
    for (std::size_t a = 0; a < n_classes_; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        for (std::size_t j = 0; j < d_; ++j) apart[j] = means_[a * d_ + j] - means_[b * d_ + j];
        double& to = distance[a * n_classes_ + b];
        to = dot(apart.data(), apart.data(), d_);
        if (!is_normal) continue;
        Symmetric both = width[a];
        for (std::size_t i = 0; i < both.values.size(); ++i)
          both.values[i] = (both.values[i] + width[b].values[i]) / 2;
        if (!factor_cholesky(both.values.data(), d_, both.stride)) return distance;
        solve_lower(both.values.data(), d_, both.stride, apart.data());
        to = dot(apart.data(), apart.data(), d_) / 8 +
             (log_determinant(both) - (log_det[a] + log_det[b]) / 2) / 2;
      }
    return distance;
  }

  const ObliqueProblem& problem_;
  const MpsvmRules& rules_;
  std::size_t d_, n_classes_;
  std::vector<double> means_;
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const MpsvmRules& rules) {
  return Mpsvm(problem, rules).search();
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Fisher's discriminant: the direction that maximises the distance between two groups of classes
// relative to their width. Reads the matrix row by row, as doubles.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "linear_algebra/cholesky.hpp"
#include "oblique/class_means.hpp"
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "oblique/scatter.hpp"

namespace ramify {
namespace {

double squared_distance(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

/// Divides the classes into two groups by 2-means of the class means, started at the two means
/// farthest apart. 1 for the classes of the second group; class 0 or the first of the two extremes
/// is in the other.
std::vector<std::uint8_t> superclasses(const std::vector<double>& means, std::size_t n_classes,
                                       std::size_t d) {
  std::size_t first = 0, second = 1;
  double farthest = -1;
  for (std::size_t a = 0; a < n_classes; ++a)
    for (std::size_t b = a + 1; b < n_classes; ++b) {
      const double distance = squared_distance(&means[a * d], &means[b * d], d);
      if (distance > farthest) {
        farthest = distance;
        first = a;
        second = b;
      }
    }
  std::vector<std::uint8_t> group(n_classes);
  std::vector<double> centre[2] = {{&means[first * d], &means[first * d] + d},
                                   {&means[second * d], &means[second * d] + d}};
  for (int step = 0; step < 100; ++step) {
    const std::vector<std::uint8_t> before = group;
    std::size_t n_second = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      group[k] = squared_distance(&means[k * d], centre[1].data(), d) <
                 squared_distance(&means[k * d], centre[0].data(), d);
      n_second += group[k];
    }
    if (n_second == 0) {  // all means are equal
      group[second] = 1;
      break;
    }
    if (group == before) break;
    for (auto& each : centre) std::ranges::fill(each, 0);
    for (std::size_t k = 0; k < n_classes; ++k) {
      const auto n_own = static_cast<double>(group[k] ? n_second : n_classes - n_second);
      for (std::size_t j = 0; j < d; ++j) centre[group[k]][j] += means[k * d + j] / n_own;
    }
  }
  return group;
}

class Fisher {
 public:
  Fisher(const ObliqueProblem& problem, const FisherRules& rules)
      : problem_(problem),
        rules_(rules),
        n_classes_(problem.class_weight.size()),
        d_(problem.n_columns),
        is_diagonal_(problem.n_columns > problem.n_rows) {}

  Proposal search() {
    means_ = class_means(problem_);
    if (!(is_diagonal_ ? sum_squares() : sum_products())) return {};
    if (rules_.one_vs_rest && n_classes_ > 2) return best_of_classes();
    std::vector<double> weight = direction(superclasses(means_, n_classes_, d_));
    if (weight.empty()) return {};
    return Direction{std::move(weight), 0, false};
  }

 private:
  const double* mean_of(std::size_t label) const { return means_.data() + label * d_; }
  const double* row_at(std::size_t row) const { return problem_.values + row * d_; }

  /// Computes the scatter within classes. Returns false if the user wants to stop.
  bool sum_products() {
    std::optional<Symmetric> scatter = scatter_within(problem_, means_);
    if (!scatter) return false;
    stride_ = scatter->stride;
    within_ = std::move(scatter->values);
    return true;
  }

  /// Computes only its diagonal.
  bool sum_squares() {
    within_.assign(d_, 0);
    for (std::size_t row = 0; row < problem_.n_rows; ++row)
      add_squares(row_at(row), mean_of(problem_.label[row]), problem_.weight_of(row), within_);
    return !problem_.must_stop();
  }

  void add_squares(const double* x, const double* centre, double weight,
                   std::span<double> squares) const {
    for (std::size_t j = 0; j < d_; ++j)
      squares[j] += weight * (x[j] - centre[j]) * (x[j] - centre[j]);
  }

  /// Every class against all others, by their best cuts.
  Proposal best_of_classes() {
    std::vector<Direction> candidates(n_classes_, {{}, 0, false});
    problem_.run(static_cast<int>(n_classes_), [&](int label, int) {
      std::vector<std::uint8_t> group(n_classes_);
      group[static_cast<std::size_t>(label)] = 1;
      candidates[static_cast<std::size_t>(label)].weight = direction(group);
    });
    return best_of(problem_, std::move(candidates));
  }

  /// The direction that separates two groups of classes; empty if their means are equal.
  std::vector<double> direction(std::span<const std::uint8_t> group) const {
    const Groups groups = group_classes(problem_, means_, group, 2);
    const double *first = groups.mean.data(), *second = first + d_;
    std::vector<double> within = within_;
    if (n_classes_ > 2) widen(within, group, groups);

    std::vector<double> apart(d_);
    bool is_zero = true;
    for (std::size_t j = 0; j < d_; ++j) {
      const double low = first[j], high = second[j];
      const double width = diagonal(within, j) / (groups.weight[0] + groups.weight[1]);
      const double rounding = 1e-28 * (width + low * low + high * high);
      apart[j] = (high - low) * (high - low) > rounding ? high - low : 0;
      is_zero = is_zero && apart[j] == 0;
    }
    if (is_zero) return {};
    return solve(within, std::move(apart));
  }

  /// Adds the scatter between the classes of a group, which is part of its width.
  void widen(std::vector<double>& within, std::span<const std::uint8_t> group,
             const Groups& groups) const {
    const auto centre = [&](std::size_t k) { return groups.mean.data() + group[k] * d_; };
    if (is_diagonal_) {
      for (std::size_t k = 0; k < n_classes_; ++k)
        add_squares(mean_of(k), centre(k), problem_.class_weight[k], within);
      return;
    }
    Scatter between(d_);
    for (std::size_t k = 0; k < n_classes_; ++k) {
      between.push(mean_of(k), centre(k), std::sqrt(problem_.class_weight[k]));
      if (between.is_full() || k + 1 == n_classes_) between.flush(in_turn);
    }
    const Symmetric sums = std::move(between).take();
    for (std::size_t i = 0; i < within.size(); ++i) within[i] += sums.values[i];
  }

  double diagonal(const std::vector<double>& matrix, std::size_t j) const {
    return matrix[is_diagonal_ ? j : j * stride_ + j];
  }

  /// (matrix + ridge)^-1 apart. The ridge increases until the equations can be solved. With a very
  /// large one, and between classes without any width, the direction is `apart` itself.
  std::vector<double> solve(const std::vector<double>& matrix, std::vector<double> apart) const {
    double trace = 0;
    for (std::size_t j = 0; j < d_; ++j) trace += diagonal(matrix, j);
    const double unit = trace / static_cast<double>(d_);
    if (!(unit > 0)) return apart;
    for (double lambda = rules_.ridge; lambda < 1e12; lambda = lambda > 0 ? 10 * lambda : 1e-15) {
      std::vector<double> ridged = matrix;
      for (std::size_t j = 0; j < d_; ++j)
        ridged[is_diagonal_ ? j : j * stride_ + j] += lambda * unit;
      if (is_diagonal_ ? divide(ridged, apart) : divide_by_matrix(ridged, apart)) break;
    }
    return apart;
  }

  static bool divide(std::span<const double> squares, std::span<double> apart) {
    if (!std::ranges::all_of(squares, [](double square) { return square > 0; })) return false;
    for (std::size_t j = 0; j < apart.size(); ++j) apart[j] /= squares[j];
    return true;
  }

  bool divide_by_matrix(std::span<double> matrix, std::span<double> apart) const {
    if (!factor_cholesky(matrix.data(), d_, stride_)) return false;
    solve_cholesky(matrix.data(), d_, stride_, apart.data());
    return true;
  }

  const ObliqueProblem& problem_;
  const FisherRules& rules_;
  std::size_t n_classes_, d_, stride_ = 0;
  bool is_diagonal_;
  std::vector<double> means_;   // [label][column]
  std::vector<double> within_;  // scatter within classes, or its diagonal
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const FisherRules& rules) {
  return Fisher(problem, rules).search();
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Reflected axes (Wickramarachchi et al. 2016): a Householder reflection maps the main axis of a
// class onto the first column; cuts of the reflected columns are oblique cuts of the original ones.
// Reads the matrix row by row.
#include <algorithm>
#include <cmath>

#include "linear_algebra/eigen.hpp"
#include "linear_algebra/vectors.hpp"
#include "oblique/class_means.hpp"
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "oblique/scatter.hpp"

namespace ramify {
namespace {

/// Axes closer to the first column than this are not worth a reflection.
constexpr double near_first = 1e-4;

class Hhcart {
 public:
  Hhcart(const ObliqueProblem& problem, const HhcartRules& rules)
      : problem_(problem), rules_(rules), d_(problem.n_columns) {}

  Proposal search() {
    if (!find_mirrors()) return {};
    std::vector<Worker> workers(problem_.judges.size(), Worker(problem_));
    std::vector<std::size_t> column(mirrors_.size());  // the best of each reflection
    const auto best = first_best(problem_, mirrors_.size(), [&](int i, int worker) {
      const auto at = static_cast<std::size_t>(i), own = static_cast<std::size_t>(worker);
      return best_of_mirror(mirrors_[at], workers[own], *problem_.judges[own], column[at]);
    });
    if (!best) return {};
    const std::vector<double>& normal = mirrors_[*best];
    Direction direction{std::vector<double>(d_), 0, false};
    for (std::size_t j = 0; j < d_; ++j)
      direction.weight[j] = (j == column[*best]) - 2 * normal[column[*best]] * normal[j];
    return direction;
  }

 private:
  struct Worker : LineBuffers {
    explicit Worker(const ObliqueProblem& problem) : LineBuffers(problem), depth(problem.n_rows) {}
    std::vector<double> depth;
  };

  /// The best cut among all columns of a reflection.
  double best_of_mirror(std::span<const double> normal, Worker& mine, SideJudge& judge,
                        std::size_t& best_column) const {
    project(problem_, normal, mine.depth);
    double best = no_score;
    for (std::size_t j = 0; j < d_; ++j) {
      if (normal[j] == 0) continue;  // the column itself
      for (std::size_t row = 0; row < problem_.n_rows; ++row)
        mine.place[row] = problem_.values[row * d_ + j] - 2 * normal[j] * mine.depth[row];
      const double score = mine.scan.best(mine.place, judge).score;
      if (!beats(score, best)) continue;
      best = score;
      best_column = j;
    }
    return best;
  }

  /// Finds one reflection for each axis of a class. Returns false if the user wants to stop.
  bool find_mirrors() {
    const std::vector<double> means = class_means(problem_);
    std::vector<std::size_t> n_rows(problem_.class_weight.size());
    for (const std::uint32_t label : problem_.label) ++n_rows[label];
    for (std::size_t k = 0; k < n_rows.size(); ++k) {
      if (n_rows[k] < 2) continue;
      std::vector<const double*> point(n_rows.size());
      point[k] = &means[k * d_];
      const std::optional<Symmetric> scatter = scatter_about(problem_, point);
      if (!scatter) return false;
      if (!scatter->is_finite()) continue;
      const SymmetricEigen axes = symmetric_eigen(scatter->values.data(), d_, scatter->stride);
      if (!(axes.value[0] > 0)) continue;
      for (std::size_t i = 0; i < (rules_.all_axes ? d_ : 1); ++i)
        if (axes.value[i] > 1e-12 * axes.value[0]) add_mirror(axes.of(i));
    }
    return true;
  }

  void add_mirror(std::span<const double> axis) {
    std::vector<double> u(axis.begin(), axis.end());
    make_first_positive(u);
    for (double& each : u) each = -each;
    u[0] += 1;
    const double length = std::sqrt(dot(u.data(), u.data(), d_));
    if (!(length > near_first)) return;
    for (double& each : u) each /= length;
    mirrors_.push_back(std::move(u));
  }

  const ObliqueProblem& problem_;
  const HhcartRules& rules_;
  std::size_t d_;
  std::vector<std::vector<double>> mirrors_;  // u of each reflection I - 2 u u'
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const HhcartRules& rules) {
  return Hhcart(problem, rules).search();
}

}  // namespace ramify

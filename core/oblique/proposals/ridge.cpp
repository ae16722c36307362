// SPDX-License-Identifier: BSD-3-Clause
// Ridge regression of one class against the rest (Menze et al. 2011): least squares of +1 and -1 on
// standardised columns, with a penalty on the squared weights. Reads the matrix row by row.
#include <algorithm>
#include <vector>

#include "linear_algebra/cholesky.hpp"
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "oblique/standard.hpp"

namespace ramify {
namespace {

/// Computes the products of the standardised columns, plus a penalty that increases until the
/// equations can be solved, as a Cholesky factor. Returns false if they never can.
bool factor(const Symmetric& products, double penalty, double total, Symmetric& factored) {
  for (double lambda = penalty; lambda < 1e12 * (total + penalty);
       lambda = lambda > 0 ? 10 * lambda : 1e-12 * total) {
    factored = products;
    for (std::size_t j = 0; j < factored.n; ++j) factored.at(j, j) += lambda;
    if (factor_cholesky(factored.values.data(), factored.n, factored.stride)) return true;
  }
  return false;
}

}  // namespace

Proposal propose(const ObliqueProblem& problem, const RidgeRules& rules) {
  const std::size_t d = problem.n_columns;
  const Standard standard(problem);
  const std::vector<const double*> middle(problem.class_weight.size(), standard.mean.data());
  std::optional<Symmetric> products = scatter_about(problem, middle);
  if (!products || !products->is_finite()) return {};
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      products->at(i, j) /= standard.deviation[i] * standard.deviation[j];
  Symmetric factored;
  if (!factor(*products, rules.penalty / problem.unit, problem.total(), factored)) return {};
  std::vector<Direction> candidates;
  for (std::size_t i = 0; i < n_against_rest(problem); ++i) {
    const std::size_t k = class_against_rest(problem, i);
    // The sum of +1 and -1 times z: only a class's deviation from the overall mean remains.
    std::vector<double> w(d);
    for (std::size_t j = 0; j < d; ++j)
      w[j] = 2 * problem.class_weight[k] * (standard.class_mean[k * d + j] - standard.mean[j]) /
             standard.deviation[j];
    solve_cholesky(factored.values.data(), d, factored.stride, w.data());
    const double b = 2 * problem.class_weight[k] / problem.total() - 1;
    candidates.push_back(standard.back(w, b, rules.own_cut));
  }
  return best_of(problem, std::move(candidates));
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "oblique/scatter.hpp"

#include <algorithm>
#include <cmath>

#include "linear_algebra/eigen.hpp"
#include "linear_algebra/vectors.hpp"

namespace ramify {
std::optional<Symmetric> scatter_about(const ObliqueProblem& problem,
                                       std::span<const double* const> point_of_class) {
  Scatter scatter(problem.n_columns);
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    if (row % 1024 == 0 && problem.must_stop()) return {};
    if (const double* point = point_of_class[problem.label[row]])
      scatter.push(problem.values + row * problem.n_columns, point,
                   std::sqrt(problem.weight_of(row)));
    if (scatter.is_full() || row + 1 == problem.n_rows) scatter.flush(problem.run);
  }
  return std::move(scatter).take();
}

std::optional<Symmetric> scatter_within(const ObliqueProblem& problem,
                                        std::span<const double> means) {
  std::vector<const double*> point_of_class;
  for (std::size_t k = 0; k < problem.class_weight.size(); ++k)
    point_of_class.push_back(means.data() + k * problem.n_columns);
  return scatter_about(problem, point_of_class);
}

Groups group_classes(const ObliqueProblem& problem, std::span<const double> class_means,
                     std::span<const std::uint8_t> group, std::size_t n_groups) {
  const std::size_t d = problem.n_columns;
  Groups groups{std::vector<double>(n_groups), std::vector<double>(n_groups * d)};
  for (std::size_t k = 0; k < group.size(); ++k) groups.weight[group[k]] += problem.class_weight[k];
  for (std::size_t k = 0; k < group.size(); ++k) {
    const double share = problem.class_weight[k] / groups.weight[group[k]];
    for (std::size_t j = 0; j < d; ++j)
      groups.mean[group[k] * d + j] += share * class_means[k * d + j];
  }
  return groups;
}

std::vector<double> mean_of_all(const ObliqueProblem& problem,
                                std::span<const double> class_means) {
  const std::vector<std::uint8_t> together(problem.class_weight.size());
  return group_classes(problem, class_means, together, 1).mean;
}

namespace {

/// sqrt(weight) * (mean - overall mean) of each group, [group][column].
std::vector<double> places_of(const Groups& groups) {
  const std::size_t d = groups.mean.size() / groups.size();
  double total = 0;
  for (const double weight : groups.weight) total += weight;
  std::vector<double> middle(d), place(groups.mean);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t j = 0; j < d; ++j)
      middle[j] += groups.weight[g] / total * groups.mean[g * d + j];
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t j = 0; j < d; ++j)
      place[g * d + j] = std::sqrt(groups.weight[g]) * (place[g * d + j] - middle[j]);
  return place;
}

}  // namespace

void add_between(Symmetric& matrix, const Groups& groups) {
  const std::vector<double> place = places_of(groups);
  const std::size_t d = matrix.n;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) matrix.at(i, j) += place[g * d + i] * place[g * d + j];
}

Discriminants discriminants(const Symmetric& within, const Groups& groups) {
  const std::size_t d = within.n, n_groups = groups.size();
  Symmetric all = within;
  add_between(all, groups);
  if (!all.is_finite()) return {};
  std::vector<double> spread(d);
  for (std::size_t j = 0; j < d; ++j) spread[j] = all.at(j, j) > 0 ? std::sqrt(all.at(j, j)) : 1;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) all.at(i, j) /= spread[i] * spread[j];
  const SymmetricEigen axes = symmetric_eigen(all.values.data(), d, all.stride);
  std::size_t rank = 0;
  // Squared singular values below this relative size are rounding errors of dependent columns.
  while (rank < d && axes.value[rank] > 1e-12 * axes.value[0]) ++rank;
  // Along axes on which all rows together have unit width, the groups are at these positions.
  std::vector<double> place = places_of(groups), round(n_groups * rank);
  for (std::size_t g = 0; g < n_groups; ++g) {
    for (std::size_t j = 0; j < d; ++j) place[g * d + j] /= spread[j];
    for (std::size_t r = 0; r < rank; ++r)
      round[g * rank + r] = dot(axes.of(r).data(), &place[g * d], d) / std::sqrt(axes.value[r]);
  }
  std::vector<double> products(n_groups * n_groups);
  for (std::size_t g = 0; g < n_groups; ++g)
    for (std::size_t h = 0; h <= g; ++h)
      products[g * n_groups + h] = dot(&round[g * rank], &round[h * rank], rank);
  const SymmetricEigen apart = symmetric_eigen(products.data(), n_groups, n_groups);
  Discriminants found;
  for (std::size_t k = 0; k + 1 < n_groups && k < rank; ++k) {
    if (!(apart.value[k] > 1e-16)) break;
    std::vector<double> direction(d);
    for (std::size_t r = 0; r < rank; ++r) {
      double weight = 0;
      for (std::size_t g = 0; g < n_groups; ++g) weight += apart.of(k)[g] * round[g * rank + r];
      weight /= std::sqrt(apart.value[k] * axes.value[r]);
      for (std::size_t j = 0; j < d; ++j) direction[j] += weight * axes.of(r)[j];
    }
    for (std::size_t j = 0; j < d; ++j) direction[j] /= spread[j];
    found.direction.push_back(std::move(direction));
    found.share.push_back(apart.value[k]);
  }
  return found;
}

}  // namespace ramify

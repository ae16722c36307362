// SPDX-License-Identifier: BSD-3-Clause
// Scatter matrices of the rows of a node: sums of products of their columns. Reads row-major
// matrices of doubles.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linear_algebra/scatter.hpp"
#include "oblique/problem.hpp"

namespace ramify {

/// The scatter of the rows of some classes, each about the point of its class; classes without a
/// point are left out. Returns nothing if the user wants to stop.
std::optional<Symmetric> scatter_about(const ObliqueProblem& problem,
                                       std::span<const double* const> point_of_class);

/// The scatter of each class about its own mean, all added up.
std::optional<Symmetric> scatter_within(const ObliqueProblem& problem,
                                        std::span<const double> means);

/// Groups of classes: their weights and means, [group][column].
struct Groups {
  std::vector<double> weight, mean;
  std::size_t size() const { return weight.size(); }
};
Groups group_classes(const ObliqueProblem& problem, std::span<const double> class_means,
                     std::span<const std::uint8_t> group, std::size_t n_groups);

/// The weighted mean of all rows.
std::vector<double> mean_of_all(const ObliqueProblem& problem, std::span<const double> class_means);

/// Adds the scatter of groups about the overall mean to a matrix.
void add_between(Symmetric& matrix, const Groups& groups);

/// The directions that separate groups best, relative to the width of all of them together: the
/// eigenvectors of (W + B)^+ B, W within and B between the groups. `share` of the spread along each
/// is that between the groups.
struct Discriminants {
  std::vector<std::vector<double>> direction;
  std::vector<double> share;
};
Discriminants discriminants(const Symmetric& within, const Groups& groups);

}  // namespace ramify

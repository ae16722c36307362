// SPDX-License-Identifier: BSD-3-Clause
// How the rows of a node lie about points: sums of products of their columns. Reads matrices of
// doubles, row by row.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "oblique/problem.hpp"

namespace ramify {

/// A symmetric matrix; its rows are `stride` apart, and the lower triangle counts.
struct Symmetric {
  std::size_t n = 0, stride = 0;
  std::vector<double> values;

  double& at(std::size_t row, std::size_t column) { return values[row * stride + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * stride + column]; }
  bool is_finite() const;
};

/// Shares tasks among threads, as ObliqueProblem::run does; `in_turn` is for one.
using RunTasks = std::function<void(int, const std::function<void(int, int)>&)>;
void in_turn(int n, const std::function<void(int, int)>& task);

/// Adds up products by blocks of points that are cut into panels.
class Scatter {
 public:
  explicit Scatter(std::size_t n_columns);

  /// Adds (x - centre) * factor to the block.
  void push(const double* x, const double* centre, double factor);
  bool is_full() const { return n_rows_ == block_rows; }
  /// Adds the products of the block. `run` shares panels among threads.
  void flush(const RunTasks& run);
  /// What the blocks came to.
  Symmetric take() && { return std::move(sums_); }

 private:
  static constexpr std::size_t block_rows = 128;

  std::size_t n_panels_, n_rows_ = 0;
  std::vector<double> block_;  // [panel][row][column]; columns beyond the last are zero
  Symmetric sums_;
};

/// The scatter of the rows of some classes, each about the point of its class; those without a
/// point are left out. Nothing if the user wants to stop.
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

/// Adds the scatter of groups about the mean of all to a matrix.
void add_between(Symmetric& matrix, const Groups& groups);

/// The directions along which groups lie apart most, measured by how wide all of them together are:
/// the eigenvectors of (W + B)^+ B, W within and B between the groups. `share` of the spread along
/// each is that between the groups.
struct Discriminants {
  std::vector<std::vector<double>> direction;
  std::vector<double> share;
};
Discriminants discriminants(const Symmetric& within, const Groups& groups);

}  // namespace ramify

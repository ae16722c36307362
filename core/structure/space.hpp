// SPDX-License-Identifier: BSD-3-Clause
// The rows of a node as points, and measures of how a cut divides the point clouds of its classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ramify {

/// The rows of a node in the unit cube: every column is scaled to [0, 1] within the node, then each
/// class is shifted so that its mean is at the origin. Sums of the shifted points stay small, so
/// that differences of means lose no precision.
struct NodeSpace {
  int n_columns = 0, n_classes = 0;
  std::vector<std::uint32_t> label;  // of each row, among the classes of the node
  std::vector<double> weight;        // of each row; empty if all weigh one
  std::vector<double> point;         // [row][column]
  std::vector<double> square;        // squared length of each point
  std::vector<double> class_weight;  // of each class
  std::vector<double> class_mean;    // [class][column], before the shift
  bool is_exact = false;             // whether sums of points are exact, in any order

  double weight_of(std::size_t row) const { return weight.empty() ? 1 : weight[row]; }
  std::size_t n_rows() const { return label.size(); }
  const double* at(std::size_t row) const {
    return point.data() + row * static_cast<std::size_t>(n_columns);
  }
};

/// Scales some rows of a matrix of values, [row][column]. Columns that are constant in them are
/// left out. The memory of `space` is reused.
void fill_space(std::span<const double> values, int n_columns, std::span<const std::uint32_t> rows,
                std::span<const std::uint32_t> label, std::span<const double> weight, int n_classes,
                NodeSpace& space);

/// The sums of the points on one side of a cut.
class PointSums {
 public:
  explicit PointSums(const NodeSpace& space);
  /// From known sums: by class, [class][column], and by class.
  PointSums(std::size_t n_columns, std::vector<double> weight, std::vector<double> sum,
            std::vector<double> squares);
  static PointSums all(const NodeSpace& space);

  void add(const NodeSpace& space, std::size_t row);
  void add(const NodeSpace& space, std::span<const std::uint32_t> rows);
  /// The difference of these sums and those of some of their rows.
  PointSums without(const PointSums& part) const;

  double weight_of(int k) const { return weight_[static_cast<std::size_t>(k)]; }
  double total() const;
  std::span<const double> sum(int k) const {
    return std::span(sum_).subspan(static_cast<std::size_t>(k) * n_columns_, n_columns_);
  }
  double squares(int k) const { return squares_[static_cast<std::size_t>(k)]; }
  /// Squared length of the sum of a class.
  double length(int k) const { return length_[static_cast<std::size_t>(k)]; }

 private:
  std::size_t n_columns_;
  std::vector<double> weight_;   // of each class
  std::vector<double> sum_;      // [class][column]
  std::vector<double> squares_;  // of each class: sum of squared lengths
  std::vector<double> length_;   // of each class: squared length of the sum
};

/// How the classes of a child are paired to measure their distance.
enum class CodeMatrix { one_vs_rest, one_vs_one, exhaustive };

/// Scatter within the classes of some rows over the distance between them; 0 if they have one
/// class.
double scatter_over_distance(const NodeSpace& space, const PointSums& side, CodeMatrix code);

/// Scatter within the classes of both sides of a cut over the distance between them, weighted
/// (class separation, smaller is better; Du, Chen 2023).
double class_separation(const NodeSpace& space, const PointSums& left, const PointSums& right,
                        CodeMatrix code);

/// The same with each side in its own unit cube: values and rows of a node, and which go left.
double class_separation_of_children(std::span<const double> values, int n_columns,
                                    std::span<const std::uint32_t> rows, const NodeSpace& space,
                                    std::span<const std::uint8_t> goes_left, CodeMatrix code);

/// Class separation of every cut of a column, by the number of rows along it on the left.
void class_separations(const NodeSpace& space, std::span<const std::uint32_t> rows,
                       std::span<const std::uint32_t> n_left, CodeMatrix code,
                       std::span<double> separations);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The input and output of a method that proposes directions. Plain memory: the methods know nothing
// of tables, codes and trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace ramify {

/// A hyperplane: rows with weight . x + bias < 0 go left.
struct Direction {
  std::vector<double> weight;  // one per column of the problem
  double bias = 0;
  bool has_cut = true;  // false: only the direction counts, its cut is still to be found
};

/// The criterion, which scores partitions of the rows. Every thread has its own.
class SideJudge {
 public:
  static constexpr int capacity = 256, stride = 264;  // cuts; a pack may be written beyond the end

  /// Criteria that are sums over the classes, which a scan along rows can update itself.
  enum class Form { any, entropy, gini };

  virtual ~SideJudge() = default;
  virtual Form form() const { return Form::any; }
  /// Scores up to `capacity` partitions of the node, higher is better: left[channel * stride + cut]
  /// is the weight of a class on the left, or weight and sum of the numbers there. Both sides must
  /// have weight. Up to a pack beyond the last cut is overwritten, in both arrays.
  virtual void score(double* left, int n_cuts, double* scores) = 0;
};

/// The rows of a node as a matrix, with their labels.
struct ObliqueProblem {
  std::size_t n_rows = 0, n_columns = 0;
  /// Scaled, without missing values, no column constant: values[row * n_columns + column], or
  /// values[column * n_rows + row] if `by_column`.
  const double* values = nullptr;
  bool by_column = false;

  std::span<const std::uint32_t> label;  // of each row: 0 .. n_classes - 1, and each occurs
  /// In regression, what each row adds to the sum of the numbers: its weight times its number, in
  /// the fixed-point scale of the node. Labels, if a method needs them, are then those of two
  /// groups of rows, and the criterion judges by weight and sum all the same.
  std::span<const double> number;
  std::span<const double> weight;        // of each row; empty if all weigh one
  std::span<const double> class_weight;  // of the node, by label
  double unit = 1;                       // how many rows a weight of one stands for
  std::uint32_t min_rows = 1;            // of either side
  double min_weight = 0;

  std::uint64_t key = 0;           // seeds the node's random numbers
  std::optional<Direction> start;  // the best axis-parallel split, if there is one

  std::span<SideJudge* const> judges;  // one per thread; the first is the caller's
  /// Calls task(i, worker) for i = 0 .. n - 1, each once, on the threads of `judges`. The result of
  /// a method must not depend on their number.
  std::function<void(int n, const std::function<void(int, int)>& task)> run;
  /// Whether to stop; methods that take long check it now and then, from the calling thread.
  std::function<bool()> must_stop;

  bool is_numeric() const { return !number.empty(); }
  /// What a judge gets to know of a side: the weight of each class, or weight and sum.
  std::size_t n_channels() const { return is_numeric() ? 2 : class_weight.size(); }
  int n_classes() const { return static_cast<int>(class_weight.size()); }
  double weight_of(std::size_t row) const { return weight.empty() ? 1 : weight[row]; }
  double total() const { return std::accumulate(class_weight.begin(), class_weight.end(), 0.0); }
};

/// A direction, if the method found one.
using Proposal = std::optional<Direction>;

}  // namespace ramify

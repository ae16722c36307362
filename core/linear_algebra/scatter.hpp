// SPDX-License-Identifier: BSD-3-Clause
// Symmetric matrices, and sums of products of the columns of points.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace ramify {

/// A symmetric matrix; its rows are `stride` apart, and only the lower triangle is used.
struct Symmetric {
  std::size_t n = 0, stride = 0;
  std::vector<double> values;

  double& at(std::size_t row, std::size_t column) { return values[row * stride + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * stride + column]; }
  bool is_finite() const;
};

/// Distributes tasks among threads, `in_turn` is for one thread.
using RunTasks = std::function<void(int, const std::function<void(int, int)>&)>;
void in_turn(int n, const std::function<void(int, int)>& task);

/// Sums products by blocks of points, which are divided into panels.
class Scatter {
 public:
  explicit Scatter(std::size_t n_columns);

  /// Adds (x - centre) * factor to the block.
  void push(const double* x, const double* centre, double factor);
  bool is_full() const { return n_rows_ == block_rows; }
  /// Adds the products of the block. `run` distributes panels among threads.
  void flush(const RunTasks& run);
  /// The sum over all blocks.
  Symmetric take() && { return std::move(sums_); }

 private:
  static constexpr std::size_t block_rows = 128;

  std::size_t n_panels_, n_rows_ = 0;
  std::vector<double> block_;  // [panel][row][column]; columns beyond the last are zero
  Symmetric sums_;
};

}  // namespace ramify

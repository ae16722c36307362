// SPDX-License-Identifier: BSD-3-Clause
// The objective of weighted oblique trees (Yang, Shen, Gao 2019). A row x goes right by the share
// r = 1 / (1 + exp(-theta . x)), left by 1 - r; with sums W of weights by side and class,
//   E = sum over both sides of  W log2 W - sum over classes of W^k log2 W^k,
// and the gradient is
//   sum over rows of  weight r (1 - r) x log2(W_R W_L^k / (W_L W_R^k)),  k the class of the row.
// (The paper's eq. (2) prints a product where its derivation has a sum.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linear_algebra/lbfgs.hpp"
#include "oblique/kernels.hpp"
#include "oblique/problem.hpp"

namespace ramify {

/// Memory for values, aligned to a cache line.
template <class Number>
class LineArray {
 public:
  explicit LineArray(std::size_t n)
      : lines_(std::make_unique_for_overwrite<Line[]>((n + per_line - 1) / per_line)) {}
  Number* data() { return lines_[0].numbers; }
  Number& operator[](std::size_t i) { return data()[i]; }

 private:
  static constexpr std::size_t per_line = 64 / sizeof(Number);
  struct alignas(64) Line {
    Number numbers[per_line];
  };
  std::unique_ptr<Line[]> lines_;
};

/// E, as Lbfgs needs it. theta is one number per column and then the bias. E is the sum over the
/// rows, as in the paper: minimised per row, a search ends early in large nodes, and trees get
/// larger.
///
/// A point costs two passes over the matrix: one for the projections, one for the gradient. The
/// projections along a line are linear in the step, so that all points of a line share them. The
/// second pass skips rows far from the border, which in the end are nearly all. Rows are processed
/// in chunks that do not depend on the number of threads, and sums of chunks are added in their
/// order.
class WeightedEntropy {
 public:
  /// `values` by rows: n_rows of the problem, n_columns of its own.
  WeightedEntropy(const ObliqueProblem& problem, const double* values, std::size_t n_columns)
      : problem_(problem),
        n_columns_(n_columns),
        n_classes_(static_cast<std::size_t>(problem.n_classes())),
        class_end_(tile_ends(problem)),
        n_tiles_(class_end_.back()),
        row_of_(n_tiles_ * tile_rows),
        values_(n_tiles_ * tile_rows * n_columns),
        weight_(n_tiles_ * tile_rows),
        place_(n_tiles_ * tile_rows),
        change_(n_tiles_ * tile_rows),
        t_(n_tiles_ * tile_rows),
        steepness_(n_tiles_ * tile_rows),
        active_(n_tiles_),
        ratio_(whole_packs(n_classes_)),
        class_sums_(whole_packs(n_classes_)) {
    order_rows();
    plan_chunks();
    each_chunk([&](std::size_t chunk, std::size_t) { copy_values(values, chunks_[chunk]); });
  }

  std::size_t n_cells() const { return problem_.n_rows * n_columns_; }
  double total_weight() const { return total_; }
  /// Whether all rows are so far from the border that nothing changes any more.
  bool is_flat() const { return distance_ > far_away; }

  double at(const double* theta) {
    std::fill_n(place_.data(), n_tiles_ * tile_rows, 0.0);
    aim(theta);
    return along(1).value;
  }

  void aim(const double* direction) {
    direction_ = direction;
    is_projected_ = false;
  }

  LinePoint along(double step) {
    step_ = step;
    each_chunk([&](std::size_t chunk, std::size_t worker) {
      if (!is_projected_) project(chunks_[chunk]);
      sweeps_[chunk] =
          oblique_kernels().sweep(chunks_[chunk], rows(), work(worker), &sums_[first_sums_[chunk]]);
    });
    is_projected_ = true;
    distance_ = std::ranges::min(sweeps_, {}, &Sweep::min_distance).min_distance;
    add_up_classes();
    const auto [entropy, slope] =
        oblique_kernels().find_entropy(class_sums_.data(), n_classes_, ratio_.data());
    return {entropy, slope};
  }

  void settle(double* gradient) {
    const std::size_t stride = whole_packs(n_columns_) + 1;
    each_chunk([&](std::size_t chunk, std::size_t worker) {
      const TileRange& range = chunks_[chunk];
      const std::span<const std::uint32_t> tiles(&active_[range.begin], sweeps_[chunk].n_active);
      double* sum = &gradients_[chunk * stride];
      sum[stride - 1] = oblique_kernels().scale(range, tiles, ratio_.data(), steepness_.data());
      oblique_kernels().add_rows(matrix(), tiles, steepness_.data(), work(worker), sum);
    });
    std::swap(place_, t_);
    for (std::size_t chunk = 1; chunk < chunks_.size(); ++chunk)
      for (std::size_t i = 0; i < stride; ++i) gradients_[i] += gradients_[chunk * stride + i];
    std::copy_n(gradients_.data(), n_columns_, gradient);
    gradient[n_columns_] = gradients_[stride - 1];
  }

  /// theta . x of each row of the problem.
  void project(const double* theta, std::span<double> projection) {
    aim(theta);
    each_chunk([&](std::size_t chunk, std::size_t) {
      project(chunks_[chunk]);
      for (std::size_t i = chunks_[chunk].begin * tile_rows; i < chunks_[chunk].end * tile_rows;
           ++i)
        projection[row_of_[i]] = change_[i];
    });
  }

 private:
  static constexpr std::size_t min_chunk = 64, max_chunks = 64;  // tiles, chunks
  static constexpr std::size_t columns_per_sigmoid = 16;         // take the same time
  static constexpr std::size_t parallel_cells = 250'000;         // about 50 microseconds

  static std::size_t whole_packs(std::size_t n) { return (n + 3) / 4 * 4; }

  static std::vector<std::size_t> tile_ends(const ObliqueProblem& problem) {
    std::vector<std::size_t> ends(problem.class_weight.size());
    for (const std::uint32_t label : problem.label) ++ends[label];
    std::size_t end = 0;
    for (std::size_t& n : ends) n = end += (n + tile_rows - 1) / tile_rows;
    return ends;
  }

  /// Sorts the rows by class, each class padded to full tiles.
  void order_rows() {
    std::vector<std::size_t> next(n_classes_);
    for (std::size_t k = 1; k < n_classes_; ++k) next[k] = class_end_[k - 1] * tile_rows;
    for (std::size_t row = 0; row < problem_.n_rows; ++row) {
      const std::size_t at = next[problem_.label[row]]++;
      row_of_[at] = static_cast<std::uint32_t>(row);
      weight_[at] = problem_.weight_of(row) * problem_.unit;
      total_ += weight_[at];
    }
    for (std::size_t k = 0; k < n_classes_; ++k)
      for (std::size_t at = next[k]; at < class_end_[k] * tile_rows; ++at) {
        row_of_[at] = row_of_[at - 1];
        weight_[at] = 0;
      }
  }

  void plan_chunks() {
    const std::size_t n = std::max(min_chunk, (n_tiles_ / max_chunks + 7) / 8 * 8);
    std::size_t n_sums = 0;
    for (std::size_t begin = 0, k = 0; begin < n_tiles_; begin += n) {
      const std::size_t end = std::min(begin + n, n_tiles_);
      while (class_end_[k] <= begin) ++k;
      chunks_.push_back({begin, end, k, class_end_.data()});
      first_sums_.push_back(n_sums);
      std::size_t last = k;
      while (class_end_[last] < end) ++last;
      n_sums += last - k + 1;
    }
    first_sums_.push_back(n_sums);
    sums_.resize(n_sums);
    sweeps_.resize(chunks_.size());
    gradients_.resize(chunks_.size() * (whole_packs(n_columns_) + 1));
    const bool is_big = problem_.n_rows * (n_columns_ + columns_per_sigmoid) >= parallel_cells &&
                        chunks_.size() > 1;
    n_workers_ = is_big ? std::max<std::size_t>(problem_.judges.size(), 1) : 1;
    work_size_ = tile_rows * std::max(2 * std::min(n, n_tiles_), whole_packs(n_columns_));
    work_.resize(n_workers_ * work_size_);
  }

  void copy_values(const double* values, const TileRange& range) {
    for (std::size_t tile = range.begin; tile < range.end; ++tile) {
      double* to = &values_[tile * tile_rows * n_columns_];
      const double* row[tile_rows];
      for (std::size_t i = 0; i < tile_rows; ++i)
        row[i] = values + row_of_[tile * tile_rows + i] * n_columns_;
      for (std::size_t column = 0; column < n_columns_; ++column)
        for (std::size_t i = 0; i < tile_rows; ++i) to[column * tile_rows + i] = row[i][column];
    }
  }

  double* work(std::size_t worker) { return &work_[worker * work_size_]; }
  TileMatrix matrix() { return {values_.data(), n_columns_}; }
  SigmoidRows rows() {
    return {weight_.data(), place_.data(),     change_.data(), step_,
            t_.data(),      steepness_.data(), active_.data()};
  }
  void project(const TileRange& range) {
    oblique_kernels().project(matrix(), range, direction_, direction_[n_columns_], change_.data());
  }

  template <class Task>
  void each_chunk(const Task& task) const {
    if (n_workers_ == 1) {
      for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) task(chunk, 0);
      return;
    }
    problem_.run(static_cast<int>(chunks_.size()), [&task](int chunk, int worker) {
      task(static_cast<std::size_t>(chunk), static_cast<std::size_t>(worker));
    });
  }

  void add_up_classes() {
    std::fill_n(class_sums_.data(), class_sums_.size(), SigmoidSums{});
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
      SigmoidSums* to = &class_sums_[chunks_[chunk].first_class];
      for (std::size_t i = first_sums_[chunk]; i < first_sums_[chunk + 1]; ++i, ++to) {
        to->right += sums_[i].right;
        to->left += sums_[i].left;
        to->rate += sums_[i].rate;
      }
    }
  }

  const ObliqueProblem& problem_;
  std::size_t n_columns_, n_classes_;
  std::vector<std::size_t> class_end_;
  std::size_t n_tiles_, n_workers_ = 1, work_size_ = 0;
  double total_ = 0;

  LineArray<std::uint32_t> row_of_;  // the problem's row
  LineArray<double> values_;
  LineArray<double> weight_, place_, change_, t_, steepness_;
  LineArray<std::uint32_t> active_;
  const double* direction_ = nullptr;
  double step_ = 0, distance_ = 0;
  bool is_projected_ = false;

  std::vector<TileRange> chunks_;
  std::vector<std::size_t> first_sums_;  // of each chunk in sums_
  std::vector<SigmoidSums> sums_;        // of the classes of each chunk
  std::vector<Sweep> sweeps_;            // [chunk]
  std::vector<double> gradients_;        // [chunk][column, then bias]
  std::vector<double> work_;             // [worker]
  std::vector<double> ratio_;            // [class]
  std::vector<SigmoidSums> class_sums_;  // [class]
};

}  // namespace ramify

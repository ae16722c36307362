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
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "oblique/kernels.hpp"
#include "oblique/problem.hpp"
#include "util/lbfgs.hpp"

namespace ramify {

/// E per unit of weight, as Lbfgs asks for it. theta is one number per column and then the bias.
///
/// A point costs two passes over the matrix: one for the projections, one for the gradient. The
/// projections along a line are linear in the step, so that all points of a line share them. Rows
/// are taken in chunks that do not depend on the number of threads, and sums of chunks are added in
/// their order.
template <class Real>
class WeightedEntropy {
 public:
  /// `values` by rows: n_rows of the problem, n_columns of its own.
  WeightedEntropy(const ObliqueProblem& problem, const Real* values, std::size_t n_columns)
      : problem_(problem),
        n_columns_(n_columns),
        block_{values, problem.n_rows, n_columns},
        n_classes_(static_cast<std::size_t>(problem.n_classes())),
        class_stride_((n_classes_ + 3) / 4 * 4) {
    if (n_columns < 4) widen();
    const std::size_t n_padded = whole_groups(problem.n_rows);
    label_.assign(n_padded, static_cast<std::uint32_t>(n_classes_));
    std::ranges::copy(problem.label, label_.begin());
    if (!problem.weight.empty()) {
      weight_.assign(n_padded, 0.0);
      std::ranges::copy(problem.weight, weight_.begin());
      total_ = std::accumulate(weight_.begin(), weight_.end(), 0.0);
    } else {
      total_ = static_cast<double>(problem.n_rows);
    }
    place_.resize(n_padded);
    change_.resize(n_padded);
    steepness_.resize(n_padded);
    direction_.resize(block_.n_places());

    chunk_rows_ =
        whole_groups(std::max({min_chunk_rows, problem.n_rows / max_chunks, 4 * n_classes_}));
    n_chunks_ = (problem.n_rows + chunk_rows_ - 1) / chunk_rows_;
    sums_.resize(n_chunks_ * 3 * class_stride_);
    least_.resize(n_chunks_);
    gradients_.resize(n_chunks_ * (block_.n_places() + 1));
    ratio_.resize(class_stride_ + 1);
    const bool is_big = problem.n_rows * (n_columns + cells_per_sigmoid) >= parallel_cells;
    n_workers_ = is_big ? std::max<std::size_t>(problem.judges.size(), 1) : 1;
    work_.resize(n_workers_ * 16 * (n_classes_ + 1));
  }

  std::size_t n_cells() const { return problem_.n_rows * n_columns_; }
  double total_weight() const { return total_; }
  /// Are all rows so far from the border that nothing changes any more?
  bool is_flat() const { return distance_ > 40; }

  double at(const double* theta) {
    std::ranges::fill(place_, 0.0);
    aim(theta);
    return along(1).value;
  }

  void aim(const double* direction) {
    std::ranges::fill(direction_, 0.0);
    const std::size_t n_whole = std::min(block_.n_whole(), n_columns_);
    std::copy_n(direction, n_whole, direction_.begin());
    std::copy(direction + n_whole, direction + n_columns_,
              direction_.end() - static_cast<std::ptrdiff_t>(n_columns_ - n_whole));
    bias_ = direction[n_columns_];
    is_projected_ = false;
  }

  LinePoint along(double step) {
    step_ = step;
    each_chunk([&](std::size_t chunk, std::size_t worker) {
      SigmoidCall call = call_of(chunk);
      if (!is_projected_) project(call);
      call.work = &work_[worker * 16 * (n_classes_ + 1)];
      double* sums = &sums_[chunk * 3 * class_stride_];
      call.right = sums;
      call.left = sums + class_stride_;
      call.rate = sums + 2 * class_stride_;
      least_[chunk] = oblique_kernels().sweep(call);
    });
    is_projected_ = true;
    distance_ = *std::ranges::min_element(least_);
    add_up(sums_, 3 * class_stride_);
    EntropyCall call{n_classes_,
                     sums_.data(),
                     &sums_[class_stride_],
                     &sums_[2 * class_stride_],
                     ratio_.data(),
                     0,
                     0};
    oblique_kernels().find_entropy(call);
    ratio_[n_classes_] = 0;  // rows that only fill a group
    return {call.entropy / total_, call.slope / total_};
  }

  void settle(double* gradient) {
    const std::size_t n_places = block_.n_places(), stride = n_places + 1;
    each_chunk([&](std::size_t chunk, std::size_t) {
      const SigmoidCall call = call_of(chunk);
      double* sums = &gradients_[chunk * stride];
      std::fill_n(sums, n_places, 0.0);
      sums[n_places] = oblique_kernels().advance(call, ratio_.data(), place_.data());
      kernels().add_rows(block_, call.begin, call.end, steepness_.data(), sums);
    });
    add_up(gradients_, stride);
    const std::size_t n_whole = std::min(block_.n_whole(), n_columns_);
    for (std::size_t i = 0; i < n_whole; ++i) gradient[i] = gradients_[i] / total_;
    for (std::size_t i = n_whole; i < n_columns_; ++i)
      gradient[i] = gradients_[n_places - n_columns_ + i] / total_;
    gradient[n_columns_] = gradients_[n_places] / total_;
  }

  /// theta . x of each row.
  std::span<const double> project(const double* theta) {
    aim(theta);
    each_chunk([&](std::size_t chunk, std::size_t) { project(call_of(chunk)); });
    return {change_.data(), problem_.n_rows};
  }

 private:
  static constexpr std::size_t min_chunk_rows = 256, max_chunks = 64;
  static constexpr std::size_t cells_per_sigmoid = 16;    // the work of one, in cells of a pass
  static constexpr std::size_t parallel_cells = 100'000;  // about 20 microseconds

  static std::size_t whole_groups(std::size_t n) {
    return (n + rows_per_group - 1) / rows_per_group * rows_per_group;
  }
  static const ObliqueKernels::Block<Real>& kernels() {
    if constexpr (std::is_same_v<Real, float>)
      return oblique_kernels().floats;
    else
      return oblique_kernels().doubles;
  }

  /// Columns of zeros, so that there are enough for a pack.
  void widen() {
    wide_.resize(4 * problem_.n_rows);
    for (std::size_t row = 0; row < problem_.n_rows; ++row)
      std::copy_n(block_.values + row * n_columns_, n_columns_, &wide_[4 * row]);
    block_ = {wide_.data(), problem_.n_rows, 4};
  }

  SigmoidCall call_of(std::size_t chunk) {
    SigmoidCall call{};
    call.begin = chunk * chunk_rows_;
    call.end = std::min(call.begin + chunk_rows_, place_.size());
    call.place = place_.data();
    call.change = change_.data();
    call.step = step_;
    call.weight = weight_.empty() ? nullptr : weight_.data();
    call.label = label_.data();
    call.n_classes = n_classes_;
    call.steepness = steepness_.data();
    return call;
  }

  void project(const SigmoidCall& call) {
    kernels().project(block_, call.begin, call.end, direction_.data(), bias_, change_.data());
  }

  template <class Task>
  void each_chunk(const Task& task) const {
    if (n_workers_ == 1) {
      for (std::size_t chunk = 0; chunk < n_chunks_; ++chunk) task(chunk, 0);
      return;
    }
    problem_.run(static_cast<int>(n_chunks_), [&task](int chunk, int worker) {
      task(static_cast<std::size_t>(chunk), static_cast<std::size_t>(worker));
    });
  }

  /// Adds the sums of the other chunks to those of the first.
  void add_up(std::vector<double>& sums, std::size_t n) const {
    for (std::size_t chunk = 1; chunk < n_chunks_; ++chunk)
      for (std::size_t i = 0; i < n; ++i) sums[i] += sums[chunk * n + i];
  }

  const ObliqueProblem& problem_;
  std::size_t n_columns_;
  RowBlock<Real> block_;
  std::vector<Real> wide_;
  std::size_t n_classes_, class_stride_, chunk_rows_ = 0, n_chunks_ = 0, n_workers_ = 1;
  double total_ = 0;

  std::vector<std::uint32_t> label_;  // by row, whole groups
  std::vector<double> weight_;
  std::vector<double> place_, change_, steepness_;
  std::vector<double> direction_;  // by place of the block
  double bias_ = 0, step_ = 0, distance_ = 0;
  bool is_projected_ = false;

  std::vector<double> sums_;  // [chunk][right, left, rate][class]
  std::vector<double> least_;
  std::vector<double> gradients_;  // [chunk][place, then bias]
  std::vector<double> ratio_;      // [class]
  std::vector<double> work_;       // [worker]
};

}  // namespace ramify

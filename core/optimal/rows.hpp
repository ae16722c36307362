// SPDX-License-Identifier: BSD-3-Clause
// A set of rows as the search needs it: compact, numbered anew, sorted by every column that is not
// constant in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optimal/lanes.hpp"
#include "optimal/problem.hpp"

namespace ramify::optimal {

class RowSet {
 public:
  /// All rows of a problem.
  void assign(const Problem& problem);
  /// The rows on one side of a cut of another set.
  void assign(const RowSet& from, std::uint32_t column, std::uint32_t cut, bool left);

  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(ids_.size()); }
  std::uint32_t n_columns() const { return static_cast<std::uint32_t>(columns_.size()); }
  /// The search column of a place.
  std::uint32_t column(std::uint32_t j) const { return columns_[j]; }
  std::uint32_t n_cuts(std::uint32_t j) const { return n_runs_[j] - 1; }
  /// The rows of a column in the order of their values, with marks at the ends of runs.
  const std::uint32_t* order(std::uint32_t j) const { return order_.data() + 1 + j * stride_; }
  std::size_t stride() const { return stride_; }
  /// The place of the last row that a cut has on its left.
  std::uint32_t end(std::uint32_t j, std::uint32_t cut) const { return ends_[j * n_rows_ + cut]; }
  /// The sum of heights on the left of a cut.
  double position(std::uint32_t j, std::uint32_t cut) const {
    return positions_.empty() ? end(j, cut) + 1.0 : positions_[j * n_rows_ + cut];
  }
  /// The sum of all heights.
  double width() const { return width_; }
  std::uint32_t id(std::uint32_t row) const { return ids_[row]; }
  std::span<const std::uint32_t> ids() const { return ids_; }
  double height(std::uint32_t row) const { return heights_.empty() ? 1 : heights_[row]; }
  /// What the set loses as a leaf.
  double leaf() const { return leaf_; }
  const Problem& problem() const { return *problem_; }

  Cut cut(std::uint32_t j, std::uint32_t cut) const {
    const std::uint32_t last = order(j)[end(j, cut)] & ~run_end;
    return {columns_[j], problem_->columns[columns_[j]].codes[ids_[last]]};
  }

 private:
  void measure();
  void finish_column(std::uint32_t column, std::uint32_t place);

  const Problem* problem_ = nullptr;
  std::uint32_t n_rows_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::uint32_t> ids_;      // rows of the problem
  std::vector<std::uint32_t> columns_;  // of the problem
  std::vector<std::uint32_t> order_;    // of each column, behind one place that is written to
  std::vector<std::uint32_t> ends_, n_runs_;
  std::vector<double> positions_, heights_;
  std::vector<std::uint32_t> number_;  // of a row of the set that this one is a part of
  double width_ = 0, leaf_ = 0;
};

}  // namespace ramify::optimal

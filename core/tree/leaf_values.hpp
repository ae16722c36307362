// SPDX-License-Identifier: BSD-3-Clause
// Sums the values of the leaves that rows reach, over all trees.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "tree/lines.hpp"
#include "tree/predict.hpp"

namespace ramify {

/// The values of the leaves of trees, `n_values` numbers each, made once and added up for many
/// rows. A block of rows stays in the cache while one tree after the other predicts it. Sums are
/// taken in the order of the trees, so that they do not depend on threads.
class LeafValues {
 public:
  /// Tree i adds to part i % n_parts of the result: (n_rows, n_parts, n_values). If `n_votes` is
  /// not 0, every tree adds votes of 1 instead of values: a line has `n_votes` equal sections, and
  /// in each the largest value gets the vote, the first of several.
  LeafValues(const Predictor& predictor, std::size_t n_values, std::size_t n_votes,
             std::size_t n_parts);

  /// Appends the values of all nodes of the next tree; with lines, one value each, to which the
  /// line of a leaf is added.
  void append(std::span<const double> of_nodes, const LinesView* lines = nullptr);

  /// Which rows a tree must not predict: skip[tree * n_rows + row]. Empty: none.
  using Skip = std::span<const std::uint8_t>;

  /// Adds the predictions of the trees first .. last - 1 to the sums [row][part][value].
  void add(const RawMatrix& X, bool has_missing, std::size_t first, std::size_t last, Skip skip,
           double* sums, int n_threads, Stop& stop) const;

  const Predictor& predictor() const { return predictor_; }
  std::size_t n_trees() const { return n_trees_; }
  /// A row must have at least this many values.
  std::int64_t n_columns() const { return std::max(n_columns_, predictor_.n_columns()); }
  std::size_t n_values() const { return n_values_; }
  std::size_t n_parts() const { return n_parts_; }

 private:
  /// Lines are compared by content.
  struct Hash {
    const LeafValues* own;
    std::size_t operator()(std::uint32_t line) const;
  };
  struct Equal {
    const LeafValues* own;
    bool operator()(std::uint32_t a, std::uint32_t b) const;
  };

  const double* line(std::size_t leaf) const {
    return lines_.data() + (line_of_leaf_.empty() ? leaf : line_of_leaf_[leaf]) * n_values_;
  }
  void take(const double* values, double* sum) const;
  /// The lines of the leaves of a tree: terms `begin[leaf]` to `begin[leaf + 1]`.
  struct OfTree {
    std::vector<std::size_t> begin;  // empty: the tree has no lines
    double y_low = 0, y_high = 0;
  };
  double on_line(const RawMatrix& X, std::int64_t row, std::size_t tree, std::size_t leaf) const;
  void add_row(const RawMatrix& X, std::int64_t row, bool has_missing, std::size_t first,
               std::size_t last, Skip skip, double* sums) const;
  void add_average(const RawMatrix& X, std::int64_t row, std::size_t tree, double* sum) const;

  const Predictor& predictor_;
  std::size_t n_values_, n_votes_, n_parts_, n_trees_ = 0;
  std::vector<double> lines_;                // of leaves; equal ones once, if longer than one value
  std::vector<std::uint32_t> line_of_leaf_;  // empty if every leaf has its own line
  std::unordered_set<std::uint32_t, Hash, Equal> distinct_;
  std::vector<OfTree> of_tree_;  // empty if no tree has lines
  std::vector<LineTerm> terms_;
  std::int64_t n_columns_ = 0;  // that lines look at
};

}  // namespace ramify

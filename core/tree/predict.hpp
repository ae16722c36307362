// SPDX-License-Identifier: BSD-3-Clause
// Which leaf does a row reach?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/column.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// A matrix of numbers as it lies in memory.
struct RawMatrix {
  const void* data;
  std::int64_t n_rows, n_columns;
  std::int64_t row_stride, column_stride;  // in bytes
  RawColumn::Type type;                    // f32 or f64

  RawMatrix some_rows(std::int64_t first, std::int64_t last) const {
    RawMatrix part = *this;
    part.data = static_cast<const char*>(data) + first * row_stride;
    part.n_rows = last - first;
    return part;
  }
};

/// What a matrix holds besides finite numbers.
struct Unusual {
  bool has_missing = false;
  std::int64_t infinite_row = -1, infinite_column = -1;  // of one infinite number, if there is any
};
Unusual inspect(const RawMatrix& X);

/// A tree laid out for walking: siblings side by side, sixteen bytes per node.
class Predictor {
 public:
  explicit Predictor(const TreeView& tree);

  /// Writes the number of the leaf of every row. `has_missing` may only be false if no value is
  /// NaN. Where missing values go down every branch, the heaviest is followed.
  void apply(const RawMatrix& X, bool has_missing, std::int64_t* leaves, int n_threads) const;

  /// Writes the average of the leaves' values, `n_values` each, by the share in which a row
  /// reaches them: more than one if missing values go down every branch.
  void average(const RawMatrix& X, std::span<const double> value, std::size_t n_values,
               double* averages, int n_threads) const;

  /// The same on one thread, by number among the leaves: a table of values needs no room for other
  /// nodes then, and fits into less cache. `leaf_nodes` says which nodes they are.
  void find_leaves(const RawMatrix& X, bool has_missing, std::uint32_t* leaves) const;
  std::span<const std::uint32_t> leaf_nodes() const { return leaf_nodes_; }

  /// A row must have at least this many values.
  std::int64_t n_columns() const { return n_columns_; }
  std::size_t n_nodes() const { return nodes_.size(); }
  /// Do missing values go down every branch somewhere?
  bool is_fractional() const { return is_fractional_; }

 private:
  struct Node {
    double threshold;       // of a leaf: NaN, which no value is above, with the leaf's number in it
    std::uint32_t feature;  // highest bit: missing rows go left
    std::uint32_t left;     // the other children follow; a leaf names itself, so that rows stay
  };
  /// The same in eight bytes, for the most frequent case: float32 rows that lie in one piece,
  /// without gaps.
  struct SmallNode {
    float threshold;      // the largest float32 that is not above the threshold: it parts float32
                          // values alike
    std::uint32_t where;  // left child and, in the lowest bits, feature
  };
  /// A node that lists categories, intervals or the terms of a hyperplane.
  struct Listed {
    SplitKind kind;
    std::size_t begin, end;  // in the arrays below
    std::uint32_t missing, other;
  };
  static constexpr int feature_bits = 11;
  bool is_leaf(std::uint32_t at) const { return nodes_[at].left == at; }
  /// Is it a hyperplane, which knows what stands for a missing value?
  bool fills_in(std::uint32_t at) const {
    return !listed_at_.empty() && listed_at_[at] >= 0 &&
           listed_[static_cast<std::size_t>(listed_at_[at])].kind == SplitKind::hyperplane;
  }
  bool is_small() const { return !small_nodes_.empty(); }
  void make_small();
  template <class T>
  std::uint32_t next(const RawMatrix& X, const char* values, std::uint32_t at) const;
  std::uint32_t branch_of(const Listed& split, double x) const;
  template <class T>
  double sum_of_terms(const RawMatrix& X, const char* values, const Listed& split) const;
  template <class T, bool has_missing>
  void find_rows(const RawMatrix& X, std::uint32_t* leaves) const;
  template <class T>
  void find_listed(const RawMatrix& X, std::uint32_t* leaves) const;
  void find_small(const RawMatrix& X, std::uint32_t* leaves) const;
  template <class T>
  void average_row(const RawMatrix& X, std::int64_t row, std::span<const double> value,
                   std::size_t n_values, double* average) const;

  std::int64_t n_columns_ = 1;
  std::vector<Node> nodes_;
  std::vector<SmallNode> small_nodes_;     // empty if the tree or its columns are too many
  std::vector<std::uint32_t> leaf_nodes_;  // number in the tree of each leaf
  // Empty unless missing values go down every branch somewhere:
  std::vector<std::uint32_t> n_children_;
  std::vector<double> share_;            // of the parent's weight
  std::vector<std::int32_t> listed_at_;  // of each node in `listed_`, or -1; empty if none is
  std::vector<Listed> listed_;
  std::vector<double> split_value_;
  std::vector<std::uint32_t> split_branch_;
  std::vector<Term> terms_;
  bool is_fractional_ = false;  // missing values go down every branch
};

}  // namespace ramify

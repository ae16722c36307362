// SPDX-License-Identifier: BSD-3-Clause
// Finds the leaves that rows reach: the one predictor, for single trees, forests and boosted
// models.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/matrix.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// Trees laid out for prediction, one after the other: siblings are adjacent, sixteen bytes per
/// node.
class Predictor {
 public:
  void append(const TreeView& tree);

  /// Writes the leaf of every row in every tree: leaves[row * n_trees + tree]. `has_missing` may
  /// only be false if no value is NaN. Where missing values go down every branch, the heaviest is
  /// followed.
  void apply(const RawMatrix& X, bool has_missing, std::int64_t* leaves, int n_threads,
             Stop& stop) const;

  /// Writes the leaf of each row in one tree, as its index among the leaves: a table of values
  /// needs no space for other nodes then, and fits into less cache. `leaf_nodes` maps these indices
  /// to nodes.
  void find_leaves(std::size_t tree, const RawMatrix& X, bool has_missing,
                   std::uint32_t* leaves) const;

  /// The same for one row in the trees first .. last - 1, which are walked interleaved.
  void find_in_trees(const RawMatrix& X, std::int64_t row, bool has_missing, std::size_t first,
                     std::size_t last, std::uint32_t* leaves) const;

  /// A leaf that a row reaches, and the row's share in it.
  struct Reached {
    std::uint32_t leaf;
    double share;
  };
  /// The leaves that a row reaches in one tree: more than one if missing values go down every
  /// branch.
  std::vector<Reached> reached(std::size_t tree, const RawMatrix& X, std::int64_t row) const {
    return X.is_float() ? reached_as<float>(trees_[tree], X, row)
                        : reached_as<double>(trees_[tree], X, row);
  }

  std::span<const std::uint32_t> leaf_nodes(std::size_t tree) const {
    return {leaf_nodes_.data() + trees_[tree].leaf_begin, trees_[tree].n_leaves};
  }
  std::size_t n_trees() const { return trees_.size(); }
  std::size_t n_nodes(std::size_t tree) const { return trees_[tree].n_nodes; }
  /// Index of a tree's first leaf, if the leaves of all trees are numbered consecutively.
  std::size_t leaf_begin(std::size_t tree) const { return trees_[tree].leaf_begin; }
  /// A row must have at least this many values.
  std::int64_t n_columns() const { return n_columns_; }
  /// Whether missing values go down every branch somewhere in a tree, or in any tree.
  bool is_fractional(std::size_t tree) const { return trees_[tree].is_fractional; }
  bool is_fractional() const { return !share_.empty(); }
  /// How many rows to predict with one tree before the next takes its place in the cache.
  std::int64_t rows_together() const;

 private:
  struct Node {
    double threshold;       // NaN, with the index of the leaf or list, in leaves and listed nodes
    std::uint32_t feature;  // highest bits: missing values go left; the node is listed
    std::uint32_t left;     // the other children follow; a leaf points to itself
  };
  /// The same in eight bytes, for the most frequent case: contiguous float32 rows without missing
  /// values.
  struct SmallNode {
    float threshold;      // the largest float32 up to the threshold: splits float32 values alike
    std::uint32_t where;  // left child and, in the lowest bits, feature
  };
  /// A node that lists categories, intervals or the terms of a hyperplane.
  struct Listed {
    SplitKind kind;
    std::size_t begin, end;  // in the arrays below
    std::uint32_t missing, other;
    double threshold;  // of a hyperplane
    // For categories with small codes: where the branch of each code is stored, and how many.
    std::size_t branches = 0;
    std::int32_t n_codes = 0;
  };
  struct Rooted {
    std::size_t begin;       // of its nodes; child indices are relative to it
    std::size_t leaf_begin;  // of its leaves
    std::size_t small_begin, share_begin;
    std::uint32_t n_nodes, n_leaves;
    int depth;
    bool is_small, is_listed, is_fractional;
  };
  static constexpr int feature_bits = 11;
  static constexpr std::uint32_t missing_left_bit = 0x80000000u, listed_bit = 0x40000000u;
  static constexpr std::uint32_t feature_mask = ~(missing_left_bit | listed_bit);

  void list(const TreeView& tree, std::size_t node, std::uint32_t missing, std::uint32_t other,
            std::size_t values_begin, std::size_t terms_begin);
  bool make_small(const Rooted& tree);
  template <class T, bool has_missing>
  static std::uint32_t next_plain(const Node* nodes, const char* row, std::int64_t column_stride,
                                  std::uint32_t at);
  template <class T>
  std::uint32_t next(const Node* nodes, const char* row, std::int64_t column_stride,
                     std::uint32_t at) const;
  std::uint32_t branch_of(const Listed& split, double x) const;
  template <class T>
  void find_leaves_as(const Rooted& tree, const RawMatrix& X, bool has_missing,
                      std::uint32_t* leaves) const;
  void find_small(const Rooted& tree, const RawMatrix& X, std::uint32_t* leaves) const;
  template <class T>
  void find_in_trees_as(const char* row, std::int64_t column_stride, bool has_missing,
                        std::size_t first, std::size_t last, std::uint32_t* leaves) const;
  template <class T>
  std::vector<Reached> reached_as(const Rooted& tree, const RawMatrix& X, std::int64_t row) const;

  std::int64_t n_columns_ = 1;
  std::uint32_t largest_ = 0;  // nodes of a tree
  int deepest_ = 0;            // levels of a tree
  bool is_listed_ = false;     // whether any tree has listed nodes
  std::vector<Rooted> trees_;
  std::vector<Node> nodes_;
  std::vector<SmallNode> small_nodes_;     // of trees that are not too large
  std::vector<std::uint32_t> leaf_nodes_;  // index in its tree of each leaf
  // For the nodes of trees in which missing values go down every branch:
  std::vector<double> share_;  // of the parent's weight
  std::vector<std::uint32_t> n_children_;
  std::vector<Listed> listed_;
  std::vector<double> split_value_;
  std::vector<std::uint32_t> split_branch_;
  std::vector<std::uint8_t> branch_of_code_;
  std::vector<Term> terms_;
};

}  // namespace ramify

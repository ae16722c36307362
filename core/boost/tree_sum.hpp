// SPDX-License-Identifier: BSD-3-Clause
// The sum of the values of many trees, for many rows.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/predict.hpp"
#include "tree/tree.hpp"

namespace ramify {

/// Trees of two branches that split numbers or categories, laid out for walking. Tree i adds to
/// score i % n_scores.
class TreeSum {
 public:
  explicit TreeSum(std::size_t n_scores) : n_scores_(n_scores) {}

  void append(const TreeView& tree, std::span<const double> value);
  std::size_t size() const { return trees_.size(); }
  std::size_t n_scores() const { return n_scores_; }
  std::int64_t n_columns() const { return n_columns_; }

  /// Adds the values of trees first .. last - 1, in this order, to the scores [row][score].
  void add(const RawMatrix& X, std::size_t first, std::size_t last, double* scores,
           int n_threads) const;

 private:
  struct Node {
    double threshold;       // infinite in a leaf
    std::uint32_t feature;  // highest bit: missing rows go left
    std::uint32_t left;     // the other child follows; a leaf is its own
  };
  struct Rooted {
    std::size_t begin;  // of its nodes
    int depth;
    bool has_categories;
  };
  /// Where categories go, by code; others and unknown ones follow the heavier branch.
  struct Subset {
    std::bitset<256> goes_left;
    bool others_left;
  };
  template <bool has_missing>
  void walk(const Rooted& tree, const double* values, std::size_t n_columns, std::size_t n_rows,
            double* score) const;
  void walk_categories(const Rooted& tree, const double* values, std::size_t n_columns,
                       std::size_t n_rows, double* score) const;
  bool goes_left(std::size_t number, double x) const;

  std::size_t n_scores_;
  std::int64_t n_columns_ = 1;
  std::vector<Rooted> trees_;
  std::vector<Node> nodes_;
  std::vector<double> value_;         // of each node
  std::vector<std::int32_t> subset_;  // of each node in `subsets_`, or -1
  std::vector<Subset> subsets_;
};

}  // namespace ramify

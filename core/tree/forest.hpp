// SPDX-License-Identifier: BSD-3-Clause
// What do many trees say of a row?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/predict.hpp"

namespace ramify {

/// Trees that are asked together: a block of rows stays in the cache while one tree after the
/// other looks at it. Sums are taken in the order of the trees, so that they do not depend on
/// threads.
class Forest {
 public:
  explicit Forest(std::vector<const Predictor*> trees) : trees_(std::move(trees)) {}

  /// What the nodes of each tree are worth: `n_values` numbers per node.
  struct Values {
    std::vector<std::span<const double>> of_tree;
    std::size_t n_values = 1;
  };
  /// Which rows a tree may not answer for: skip[tree * n_rows + row]. Empty: none.
  using Skip = std::span<const std::uint8_t>;

  /// Writes the leaf of every row in every tree: leaves[row * n_trees + tree].
  void apply(const RawMatrix& X, bool has_missing, std::int64_t* leaves, int n_threads) const;

  /// Adds the values of the leaves over the trees: sums[row * n_values + k].
  void sum(const RawMatrix& X, bool has_missing, const Values& values, Skip skip, double* sums,
           int n_threads) const;

  /// Lets every tree vote for the first of its largest values, in each of `n_outputs` equal parts
  /// of them: votes[row * n_values + k].
  void vote(const RawMatrix& X, bool has_missing, const Values& values, std::size_t n_outputs,
            Skip skip, double* votes, int n_threads) const;

  std::size_t n_trees() const { return trees_.size(); }
  const Predictor& tree(std::size_t i) const { return *trees_[i]; }
  /// A row must have at least this many values.
  std::int64_t n_columns() const;

 private:
  std::vector<std::vector<double>> leaf_values(const Values& values, std::int64_t n_rows) const;
  template <class Use>
  void each_answer(const RawMatrix& X, bool has_missing, const Values& values, Skip skip,
                   int n_threads, Use use) const;

  std::vector<const Predictor*> trees_;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The training rows in the leaves of trees, and what they weigh for a new row (Meinshausen 2006):
// the mean over the trees of a row's share in the leaf that the new row reaches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tree/predict.hpp"

namespace ramify {

/// The rows in the leaves of one tree, in the caller's memory.
struct LeafRows {
  enum class Times : std::uint8_t { bytes, words, doubles };

  std::span<const std::uint32_t> begin;  // of each node, and the end of the last
  std::span<const std::uint32_t> row;
  Times kind;  // how the times of each row are stored: how often it was drawn, or its weight
  const void* times;
};

/// Lists of rows while they are made.
struct MadeLeafRows {
  std::vector<std::uint32_t> begin, row;
  std::vector<double> times;
};

/// Lists the training rows in each leaf of a tree. `times` says how often each row counts; rows
/// are listed in `order`. `parent` has the parent of each node: a leaf that no row reaches takes
/// the rows of the nearest node above that has some.
MadeLeafRows list_leaf_rows(const Predictor& predictor, std::size_t tree, const RawMatrix& X,
                            bool has_missing, std::span<const double> times,
                            std::span<const std::uint32_t> order,
                            std::span<const std::int64_t> parent);

/// The lists of all trees, and the trees.
class ForestRows {
 public:
  explicit ForestRows(const Predictor& predictor) : predictor_(predictor) {}

  void append(const LeafRows& rows) { rows_.push_back(rows); }
  const Predictor& predictor() const { return predictor_; }
  std::size_t n_trees() const { return rows_.size(); }

  /// A training row and its share in a leaf, summed over the trees it is not: divide by their
  /// number.
  struct Entry {
    std::uint32_t row;
    double weight;
  };
  /// What a new row is told: its number, the entries of one tree after the other, and how many
  /// trees there are.
  using Tell =
      std::function<void(std::size_t row, std::span<const Entry>, double n_trees, int worker)>;

  /// Calls `tell` once for each row of X, on any thread. `skip` as in LeafValues.
  void each_row(const RawMatrix& X, bool has_missing, std::span<const std::uint8_t> skip,
                int n_threads, Stop& stop, const Tell& tell) const;

 private:
  class Block;

  void take(std::size_t tree, std::size_t leaf, double share, Entry*& next) const;
  std::size_t n_rows_in(std::size_t tree, std::size_t leaf) const;

  const Predictor& predictor_;
  std::vector<LeafRows> rows_;
};

}  // namespace ramify

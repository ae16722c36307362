// SPDX-License-Identifier: BSD-3-Clause
// Grows one tree of a boosted model from the gradient pairs of its rows: places the rows of nodes
// and counts their histograms; the rest is the growing tree's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "boost/growing_tree.hpp"
#include "util/parallel.hpp"

namespace ramify {

/// The rows that a tree is grown on.
struct GrowthRows {
  std::span<const std::uint32_t> rows;  // ascending; empty for all
  std::span<const Pair> pairs;          // by row
  Scales scales;
  std::span<const double> weight;  // in units, for the record only; empty if all weigh one
  double weight_unit = 1;
  std::span<const std::uint8_t> is_used;  // columns; empty for all
};

/// Grows trees one after the other in the same memory; so there are many small steps and buffers.
class BoostedGrower {
 public:
  /// Returns the value of a leaf, before the learning rate, from its rows.
  using LeafValue = std::function<double(std::span<const std::uint32_t>)>;

  BoostedGrower(const Binned& binned, const GrowthLimits& limits, Pool& pool);

  /// Grows a tree, and adds its values to the scores of its rows. If `leaf_value` is set it
  /// computes the leaf values, else the derivatives do.
  void grow(const GrowthRows& data, double* score, const LeafValue& leaf_value);

  /// Adds the values of the tree to the scores of other rows, by their codes.
  void add_to(const Binned& binned, std::span<const std::uint32_t> rows, double* score) const;

  /// The last grown tree.
  Tree tree() const { return tree_.tree(); }

 private:
  using Family = GrowingTree::Family;
  /// The rows of a node are in one of two buffers, or are all rows.
  enum class Place : std::uint8_t { first, second, every_row };
  struct NodeRows {
    std::uint32_t begin = 0, end = 0;
    Place place = Place::every_row;
    bool has_scored = false;  // the value of the node was added to the scores of its rows
  };
  /// Some rows of a node that is split.
  struct Chunk {
    int node;
    std::size_t begin, end;
    std::size_t n_left = 0, to_left = 0, to_right = 0;
    double left_weight = 0;
  };
  void start(const GrowthRows& data);
  void partition(const std::vector<int>& batch, double* score);
  std::vector<Chunk> make_children(const std::vector<int>& batch);
  void mark(Chunk& chunk, double* score);
  void place_children(const std::vector<int>& batch, std::vector<Chunk>& chunks);
  void move_rows(const Chunk& chunk);
  void search(const std::vector<Family>& families);
  void finish(const Family& family, std::size_t block, std::span<const HistogramView> parts);
  void renew_leaves(const LeafValue& leaf_value);
  void add_leaves(double* score) const;
  RowSpan rows_of(const NodeRows& node, std::size_t begin, std::size_t end) const;

  const Binned& binned_;
  const GrowthLimits& limits_;
  Pool& pool_;
  GrowingTree tree_;
  GrowthRows data_;
  std::vector<NodeRows> node_rows_;
  std::vector<std::uint32_t> rows_[2];
  std::vector<Pair> pairs_[2];
  std::vector<std::uint8_t> is_left_;
  std::vector<std::unique_ptr<BoostHistogram>> spare_;  // for parts of the rows of a node
  bool keeps_rows_ = false;                             // also of leaves
};

}  // namespace ramify

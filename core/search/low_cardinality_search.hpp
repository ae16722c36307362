// SPDX-License-Identifier: BSD-3-Clause
// The best cut of a column of few codes, from counts by code and class; or from masks, where the
// rows of a node are bits of a word.
#pragma once

#include <span>
#include <vector>

#include "rows/row_indices.hpp"
#include "search/integer_kernels.hpp"
#include "search/mask_block.hpp"
#include "select/judge.hpp"

namespace ramify {

/// One thread's search.
class LowCardinalitySearch {
 public:
  LowCardinalitySearch(const Training& training, const IndexedRows& rows,
                       const ClassScores& scores);

  /// A node: its rows, and where it is. Its rows may be bits of the block: then `mask` has them,
  /// else it is 0.
  struct NodeQuery {
    std::span<const RowIndex> row_indices;
    std::uint32_t begin, end;
    int depth;
    std::uint64_t mask;
  };
  /// Prepares for the columns of a node.
  void start(const NodeQuery& node, std::span<const double> statistics);
  /// Looks at a column; false if it is constant. `cells` has its counts; none are needed of masks,
  /// nor of nodes too large for them.
  bool look_at(std::uint32_t column, const std::uint16_t* cells);
  /// The best split of the columns so far.
  Split best() const;
  bool has_best() const { return best_.column >= 0; }
  /// Can no column be better?
  bool is_done() const { return whole_ && !beats(max_, best_.best); }

  MaskBlock& block() { return masks_; }

 private:
  /// The first of the best cuts of a column. A full split is made of the winner only.
  struct Cut {
    int column = -1;
    double best = minus_infinity, score = minus_infinity;
    std::uint32_t code = 0, next_code = 0;
  };
  void start_channels(std::span<const double> statistics);
  void offer(std::uint32_t column);
  Seen look_at_integer_sums(std::uint32_t column, const std::uint16_t* cells);
  Seen look_at_sums(std::uint32_t column, const std::uint16_t* cells);
  template <class Cell>
  void add_codes(const Cell* cells, int stride, std::uint32_t n_codes);
  void add_masks(std::uint32_t column);
  void count_large(std::uint32_t column);

  Training training_;
  const IndexedRows& rows_;
  const ClassScores& scores_;
  const SetCriterion& criterion_;
  const IntegerKernel* whole_;  // of the criterion, if its sums are exact
  const int stride_;            // of counts
  Node node_;                   // as a judge sees it
  NodeQuery where_{};
  NodeChannels channels_;                          // for sums that are not integers
  std::vector<std::uint32_t> labels_, in_parent_;  // of each class that occurs: its name, its rows
  std::vector<std::uint16_t> parent_;              // by class
  std::vector<std::uint64_t> class_masks_;         // of those that occur
  std::vector<std::uint32_t> large_;               // [code][class] of a large node
  std::vector<double> running_;
  MaskBlock masks_;
  CutBuffers cuts_;
  LeafLimits limits_;
  Cut best_;
  double total_ = 0, max_ = 0;  // the weight of the node; of whole sums: the most a cut can score
};

}  // namespace ramify

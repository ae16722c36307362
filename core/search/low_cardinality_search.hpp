// SPDX-License-Identifier: BSD-3-Clause
// The best cut of a column of few codes, from counts by code and class; or from masks, where the
// rows of a node are bits of a word.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "rows/row_indices.hpp"
#include "search/integer_kernels.hpp"
#include "select/judge.hpp"

namespace ramify {

/// The rows of a small node as the bits of a word, for all nodes below it: nothing is moved or
/// counted there, a node is a mask and a cut another. Up to 64 rows that count as one each, or
/// fewer that count more: a row has as many bits.
class MaskBlock {
 public:
  static constexpr std::uint32_t max_weight = 64;

  /// The codes of a column that occur, and the rows with at most that code.
  struct Cuts {
    int n = -1;  // not known yet
    std::array<std::uint32_t, max_weight> code;
    std::array<std::uint64_t, max_weight> up_to;

    /// The rows with at most a code.
    std::uint64_t rows_up_to(std::uint32_t highest) const {
      int n_below = 0;  // counted without a branch: any would be a guess
      for (int i = 0; i < n; ++i) n_below += code[static_cast<std::size_t>(i)] <= highest;
      return n_below > 0 ? up_to[static_cast<std::size_t>(n_below) - 1] : 0;
    }
  };

  /// Takes the rows of a node; gives it as a mask.
  std::uint64_t start(std::span<const RowIndex> row_indices, const CodeRecords& records,
                      ItemLayout layout, std::size_t n_classes) {
    row_indices_ = row_indices;
    records_ = records;
    layout_ = layout;
    cuts_.resize(records.n_columns);
    for (Cuts& cuts : cuts_) cuts.n = -1;
    by_class_.assign(n_classes, 0);
    firsts_ = 0;
    std::uint32_t at = 0;
    for (const RowIndex& row_index : row_indices) {
      const std::uint32_t times = layout.often(row_index.low);
      by_class_[layout.label(row_index.low)] |= ~std::uint64_t{0} >> (64 - times) << at;
      firsts_ |= std::uint64_t{1} << at;
      at += times;
    }
    return at < max_weight ? (std::uint64_t{1} << at) - 1 : ~std::uint64_t{0};
  }

  const Cuts& cuts(std::uint32_t column) {
    Cuts& cuts = cuts_[column];
    if (cuts.n < 0) find(column, cuts);
    return cuts;
  }
  std::uint64_t rows_of(std::size_t label) const { return by_class_[label]; }
  /// How many of some rows each class has.
  void count(std::uint64_t rows, std::uint32_t* counts) const {
    integer_kernels().count_masks(rows, by_class_.data(), by_class_.size(), counts);
  }
  std::uint32_t n_rows(std::uint64_t mask) const {
    return static_cast<std::uint32_t>(std::popcount(mask & firsts_));
  }

 private:
  void find(std::uint32_t column, Cuts& cuts) {
    cuts.n = integer_kernels().find_codes({records_, row_indices_.data(), row_indices_.size(),
                                           layout_, column, by_code_.data(), cuts.code.data(),
                                           cuts.up_to.data()});
  }

  std::span<const RowIndex> row_indices_;
  CodeRecords records_{};
  ItemLayout layout_;
  std::vector<Cuts> cuts_;  // by column
  std::vector<std::uint64_t> by_class_;
  std::uint64_t firsts_ = 0;                  // one bit of each row
  std::array<std::uint64_t, 256> by_code_{};  // cleared after use
};

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

// SPDX-License-Identifier: BSD-3-Clause
// A node of coded rows: its classes, and what the cuts of a block score. The ways to look at a
// column (sorted keys, histograms, categories, random cuts) share it.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "plan/plan.hpp"
#include "rows/node_cells.hpp"
#include "rows/row_indices.hpp"
#include "scan/class_scores.hpp"
#include "scan/kernels.hpp"
#include "search/integer_kernels.hpp"
#include "select/split.hpp"

namespace ramify {

/// A node: its rows, the weights of its classes, and its histogram if that is kept.
struct SampledQuery {
  std::span<const RowIndex> row_indices;
  std::span<const double> sums;
  std::uint64_t key;
  int depth;
  NodeCells* cells = nullptr;
  int slot = -1;  // in `cells`; none if negative
};

/// The first of the best cuts of a column.
struct SampledCut {
  double best = minus_infinity, score = minus_infinity;
  std::uint32_t code = 0, next_code = 0;
  double threshold = std::numeric_limits<double>::quiet_NaN();  // if it is random
  bool is_constant = false;                                     // the column: there is no cut
  bool missing_left = false, saw_missing = false;
};

template <class Key>
class SampledNode {
 public:
  static constexpr std::uint32_t nobody = ~0u;
  /// The classes that occur in a node; a criterion sees no others.
  struct Classes {
    std::vector<std::uint32_t> channel;  // of each class
    std::vector<std::uint32_t> name;     // of each channel: its class
    std::vector<double> weight;          // of each channel
    std::vector<std::uint32_t> count;    // the same as integers, if they are
    double total = 0;

    int size() const { return static_cast<int>(name.size()); }
  };

  SampledNode(const Table& of_table, const Target& of_target, const Plan& of_plan,
              const IndexedRows& of_rows);

  void start(const SampledQuery& node);

  /// Scores the first cuts of the block.
  void score(int n_cuts, double* to);
  /// Looks at the scores of the block; returns the cut to keep, or -1.
  int offer(SampledCut& cut);
  /// The best cut of a column from the scores of all its cuts, and the codes that occur.
  SampledCut first_of_best(Seen seen);
  /// Takes their scores from cuts of the block that leave too few rows on a side.
  void refuse_few_rows();

  /// Puts the keys of missing values last and sums them; returns the others.
  std::span<Key> set_missing_apart(Key* keys, std::uint32_t n_codes);
  /// Scores the block with the missing rows on the right and on the left.
  void score_with_missing(std::uint32_t n_codes, SampledCut& cut);
  /// Refuses what is not admissible, as Judge::refuse, and looks at the rest.
  void offer_with_missing(std::uint32_t n_codes, SampledCut& cut);

  const double* log_table() const { return log_table_.empty() ? nullptr : log_table_.data(); }
  TermTables tables() const { return tables_.view(); }
  std::size_t n_all_classes() const { return classes.channel.size(); }

  const Table& table;
  const Target& target;
  const Plan& plan;
  const IndexedRows& rows;
  const ItemLayout layout;
  const Weigher<Key> weigher;
  const KeyKernels<Key>& kernels = ramify::kernels().keys<Key>();
  // Of the node at hand:
  SampledQuery query{};
  Classes classes;
  std::uint32_t n_rows = 0;
  double to_beat = minus_infinity;
  // Of the column at hand: a block of its cuts, and its missing values.
  CutBlock block{};
  double scores[CutBlock::stride], left_scores[CutBlock::stride];  // missing rows right, left
  std::vector<double> missing;                                     // by channel
  std::uint32_t n_missing = 0;

 private:
  std::vector<double> log_table_, left_;
  OwnTables tables_;
};

}  // namespace ramify

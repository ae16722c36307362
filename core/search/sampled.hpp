// SPDX-License-Identifier: BSD-3-Clause
// The best split of a node that looks at a few sampled columns. Nothing is kept in order: the keys
// of the rows are made and sorted for each column that is looked at.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "categories/pair_order.hpp"
#include "categories/subsets.hpp"
#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "rows/row_indices.hpp"
#include "scan/class_scores.hpp"
#include "scan/kernels.hpp"
#include "search/bucket_scores.hpp"
#include "search/column_sampler.hpp"
#include "search/integer_kernels.hpp"
#include "search/random_cuts.hpp"
#include "select/split.hpp"

namespace ramify {

template <class Key>
class SampledSearch {
 public:
  using Sum = typename Weigher<Key>::Sum;

  SampledSearch(const Table& table, const Target& target, const Plan& plan,
                const IndexedRows& rows);

  /// A node: its rows, where their codes lie, and the weights of its classes.
  struct NodeQuery {
    std::span<const RowIndex> row_indices;
    CodeRecords records;  // or, of random cuts, values
    ValueRecords values;
    std::span<const double> sums;
    std::uint64_t key;
  };

  /// The best split of a node, or one that does not exist. Removes from `live` what turns out
  /// constant.
  Split best(const NodeQuery& node, std::vector<std::uint32_t>& non_constant);

  /// Of the node that was searched last, if it had random cuts by value: these.
  const RandomCuts& random_cuts() const { return random_cuts_; }

 private:
  static constexpr std::uint32_t nobody = ~0u;
  /// The classes that occur in a node; a criterion sees no others.
  struct Classes {
    std::vector<std::uint32_t> channel;  // of each class
    std::vector<std::uint32_t> name;     // of each channel: its class
    std::vector<double> weight;          // of each channel
    std::vector<std::uint32_t> count;    // the same as whole numbers, if they are
    double total = 0;

    int size() const { return static_cast<int>(name.size()); }
  };
  /// The first of the best cuts of a column.
  struct Cut {
    double best = minus_infinity, score = minus_infinity;
    std::uint32_t code = 0, next_code = 0;
    double threshold = std::numeric_limits<double>::quiet_NaN();  // if it is random
    bool is_constant = false;                                     // the column: there is no cut
    bool missing_left = false, saw_missing = false;
  };

  void start(std::span<const double> sums);
  void prepare_integer();
  void look_at(const NodeQuery& node, std::span<const std::uint32_t> columns);
  void look_at_group(const NodeQuery& node, std::span<const std::uint32_t> columns, Cut* cuts);
  bool may_count_cells(std::span<const std::uint32_t> columns) const;
  void look_at_cells(const NodeQuery& node, std::span<const std::uint32_t> columns, Cut* cuts);
  void look_at_values(const NodeQuery& node, std::span<const std::uint32_t> columns);
  Cut first_of_best(Seen seen);
  Cut random_of(Seen seen, std::uint32_t column, std::uint64_t key) const;
  Cut best_cut(Key* keys, std::uint32_t n, const Column& column);
  bool may_narrow_down(std::uint32_t n) const;
  Cut best_in_buckets(Key* keys, std::uint32_t n);
  void score_buckets(std::span<const PairSum<Sum>> sums, BucketScores& scores);
  void walk_kept(const Key* sorted, std::uint32_t n, const BucketScores& scores,
                 Buckets<Key> buckets, Cut& cut);
  bool may_count(std::uint32_t n, const Column& column) const;
  WalkOf<Key> walk_from(const Key* sorted, std::uint32_t n, double* running) const;
  bool may_walk_sums(const Column& column) const;
  KeySumWalk sum_walk(const CountKey* sorted, std::uint32_t n, bool cut_at_end,
                      std::uint32_t* in_left, double* terms) const;
  void prepare_pairs();
  void count_pairs(const NodeQuery& node, std::span<const std::uint32_t> columns);
  Cut best_of_pairs(PairSum<Sum>* cells, const Column& column);
  Cut best_counted(const Key* keys, std::uint32_t n, const Column& column);
  template <class Fill>
  void judge_blocks(std::span<const Key> keys, Cut& cut, Fill fill);
  int offer(Cut& cut) { return offer(cut, scores_, block_.n_cuts); }
  int offer(Cut& cut, const double* scores, int n_cuts);
  // Columns with missing values, and of categories (sampled_special.hpp).
  Cut best_of_special(Key* keys, std::uint32_t n, std::uint32_t column, std::uint64_t key);
  Cut best_with_missing(Key* keys, std::uint32_t n, std::uint32_t column, std::uint64_t key);
  void walk_with_missing(const Key* sorted, std::uint32_t n_valued, const Column& column, Cut& cut);
  void walk_sums_with_missing(const Key* sorted, std::uint32_t n_valued, const Column& column,
                              Cut& cut);
  void random_with_missing(const Key* keys, std::uint32_t n_valued, std::uint32_t column,
                           std::uint64_t key, Cut& cut);
  void score_with_missing(std::uint32_t n_codes, Cut& cut);
  void offer_with_missing(std::uint32_t n_codes, Cut& cut);
  bool may_order(const Column& column) const;
  Cut best_prefix(PairSum<Sum>* cells, std::uint32_t column);
  bool start_subsets(Key* keys, std::uint32_t n, std::uint32_t column, std::uint64_t key);
  Cut best_subset(Key* keys, std::uint32_t n, std::uint32_t column, std::uint64_t key);
  void list_codes(const NodeQuery& node, Split& split);
  void random_by_code(std::span<const std::uint32_t> columns, std::uint32_t n, std::uint64_t key,
                      Cut* cuts);
  std::uint32_t last_up_to(double threshold, const Column& column, std::span<const Key> keys,
                           std::uint32_t first, std::uint32_t last) const;
  void score(int n_cuts, double* scores);

  const Table& table_;
  const Target& target_;
  const Plan& plan_;
  const ItemLayout layout_;
  const Weigher<Key> weigher_;
  const KeyKernels<Key>& kernels_ = kernels().keys<Key>();
  const IntegerKernel* whole_ = nullptr;  // of the criterion, if its sums are exact
  std::vector<double> log_table_;
  OwnTables tables_;
  // Of the node at hand:
  ColumnSampler sampler_;
  Classes classes_;
  std::vector<Cut> cuts_;  // of the columns that are looked at
  double to_beat_ = minus_infinity;
  // Room:
  std::vector<Key> keys_[columns_at_once], spare_;
  CutBlock block_{};
  std::vector<double> left_, running_, terms_;
  std::vector<Sum> counts_, by_code_;
  std::vector<PairSum<Sum>> pairs_[columns_at_once];  // cleared after use
  double scores_[CutBlock::stride];
  RandomCuts random_cuts_;                   // by value
  std::vector<std::uint32_t> counted_from_;  // rows, by column: see prepare_pairs
  // Narrow columns of a criterion with whole sums:
  int cell_stride_ = 0;
  std::vector<std::uint16_t> cells_[columns_at_once], cell_parent_;
  // Of a column with missing values: the rows without one, and scores with them on the left.
  std::vector<double> missing_;
  std::uint32_t n_missing_ = 0, n_rows_ = 0;
  double left_scores_[CutBlock::stride];
  // Of a column of categories; and of the best of two classes so far, which may be the chosen one:
  PairOrder orders_[2];
  int free_order_ = 0;  // the other one is that of:
  std::uint32_t ordered_column_ = nobody;
  double ordered_best_ = minus_infinity;
  CategorySums categories_;
  Subsets subsets_;
  std::vector<double> always_left_, sums_by_code_;
  std::vector<std::uint32_t> rows_by_code_;
};

}  // namespace ramify

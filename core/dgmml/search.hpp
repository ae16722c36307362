// SPDX-License-Identifier: BSD-3-Clause
// The search of dGMML (Li, Chen 2022): the weights of a diagonal metric in which classes are
// compact and far apart have a closed form; the column of the largest weight is cut between the
// classes.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "categories/subsets.hpp"
#include "dgmml/moments.hpp"
#include "dgmml/value_block.hpp"
#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "scan/kernels.hpp"
#include "select/admissible.hpp"
#include "select/split.hpp"

namespace ramify {

/// The moments of one column by channel, one per class that occurs in the node.
struct ColumnMoments {
  std::vector<double> weight, mean, deviation;
  double origin = 0;  // means are differences from it
  bool is_constant = false;

  std::size_t size() const { return weight.size(); }
  void resize(std::size_t n) {
    weight.assign(n, 0);
    mean.assign(n, 0);
    deviation.assign(n, 0);
    is_constant = false;
  }
  /// Over the rows of all classes.
  double total_mean() const;
};

/// How far apart the classes are in each column, and how wide each is.
struct Spreads {
  std::vector<double> total;    // weight
  std::vector<double> within;   // squared deviations from the class means
  std::vector<double> pairs;    // squared distances of two class means, over all pairs of classes
  std::vector<double> scatter;  // squared distances of class means from the overall mean, by weight
};

/// The square of a column's weight in the metric.
double squared_weight(double between, double within, double scatter);

/// The Gini gain of a cut, by the class weights on its left and in the node.
double gini_gain(std::span<const double> left, std::span<const double> all);

/// Keeps the q highest of the keys offered.
class Highest {
 public:
  void start(std::uint32_t q) {
    q_ = q;
    to_beat_ = q > 0 ? -1 : std::int64_t{1} << 32;
    keys_.clear();
  }
  void show(std::uint32_t key) {
    if (static_cast<std::int64_t>(key) > to_beat_) take(key);
  }
  /// Those kept, the highest first. It must be restarted afterwards.
  std::span<const std::uint32_t> sorted() {
    std::ranges::sort(keys_, std::greater{});
    return keys_;
  }

 private:
  void take(std::uint32_t key);

  std::size_t q_ = 0;
  std::int64_t to_beat_ = 0;
  std::vector<std::uint32_t> keys_;  // the lowest in front
};

/// A node as the search sees it.
struct DgmmlNode {
  Node& node;
  std::span<const std::uint32_t> rows;  // training rows, if they are in memory
  Moments* moments;                     // of all numeric columns, or null: use rows
  const NodeSums* given = nullptr;      // the class counts by code, if rows are elsewhere
};

/// Buffers of one thread. A column is processed by items: the rows of the node; or, in binned
/// columns, all rows of one class and one code, in the order of codes. So the sums over bins are
/// those of class counts, wherever and in whichever order they were counted.
struct DgmmlScratch {
  std::vector<std::uint32_t> channel_of;  // by class
  std::size_t n_channels = 0;
  std::uint64_t n_rows = 0;                           // of the node
  std::vector<std::uint32_t> channel;                 // by item
  std::vector<double> weight;                         // the same; empty if all rows weigh 1
  std::vector<std::uint64_t> times;                   // the same: rows; empty if items are rows
  std::vector<std::uint32_t> codes;                   // the same, of one column
  int column = -1;                                    // the current column
  std::vector<std::uint32_t> row_codes, row_channel;  // by row of the node, if items are not rows
  std::vector<std::uint64_t> cell_rows;               // by code and channel; zero between uses
  std::vector<double> cell_weight;                    // the same
  std::uint32_t lowest_code = 0, highest_code = 0;
  ColumnMoments moments;       // of the current column
  std::vector<double> parent;  // class weights of the node, by channel
  Spreads spreads;
  std::vector<double> scores;
  std::vector<std::uint8_t> is_certain;  // the same: whether a score is from class counts by code
  std::vector<Highest> top, bottom;      // by channel
  std::vector<double> sums, left, with_missing;
  std::vector<std::uint64_t> counts;
  CategorySums categories;
  std::vector<std::uint32_t> place;  // of each category among those that occur; zero between uses
  Subsets subsets;

  std::uint64_t times_of(std::size_t i) const { return times.empty() ? 1 : times[i]; }
  double weight_of(std::size_t i) const {
    return weight.empty() ? static_cast<double>(times_of(i)) : weight[i];
  }
};

class DgmmlSearch {
 public:
  /// `rows` maps each training row to its row in the table. `block` may be null if nodes come
  /// without moments.
  DgmmlSearch(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
              const Plan& plan, const ValueBlock* block);

  /// The split of a node, or one that does not exist. Removes columns from `node.non_constant` that
  /// turn out constant.
  Split best(const DgmmlNode& node, DgmmlScratch& scratch) const;

  /// The codes of a column for the rows of a node.
  std::span<const std::uint32_t> codes_of(std::span<const std::uint32_t> rows, int column,
                                          DgmmlScratch& scratch) const;

 private:
  void start(const DgmmlNode& node, DgmmlScratch& scratch) const;
  /// Makes items of a column.
  void read_column(const DgmmlNode& node, int column, DgmmlScratch& scratch) const;
  void read_codes(std::span<const std::uint32_t> rows, int column,
                  std::vector<std::uint32_t>& codes) const;
  void count_rows(const DgmmlNode& node, std::size_t n_cells, DgmmlScratch& scratch) const;
  void take_counts(const DgmmlNode& node, DgmmlScratch& scratch) const;
  static void make_items(std::size_t n_cells, bool is_weighted, DgmmlScratch& scratch);
  /// The lowest and the highest code of the rows without missing values.
  std::pair<std::uint32_t, std::uint32_t> known_range(int column,
                                                      const DgmmlScratch& scratch) const;
  Split best_of(const DgmmlNode& node, std::span<const std::uint32_t> columns,
                DgmmlScratch& scratch) const;
  // Scores are squared weights of columns in the metric, -1 for a constant column.
  void score_all(const DgmmlNode& node, std::span<const std::uint32_t> columns,
                 DgmmlScratch& scratch) const;
  void make_certain(const DgmmlNode& node, std::span<const std::uint32_t> columns,
                    DgmmlScratch& scratch) const;
  double score(const DgmmlNode& node, int column, DgmmlScratch& scratch) const;
  double score_regression(const ColumnMoments& moments) const;
  double score_categories(const CategorySums& categories) const;
  void look_up(const DgmmlNode& node, int column, DgmmlScratch& scratch) const;
  void put_back(const DgmmlNode& node, int column, const DgmmlScratch& scratch) const;
  void look_at_rows(const DgmmlNode& node, int column, DgmmlScratch& scratch) const;

  // Numeric columns, from the codes and moments in scratch.
  Split cut(const DgmmlNode& node, int column, DgmmlScratch& scratch) const;
  std::vector<double> thresholds(SplitPoint rule, std::span<const std::size_t> order,
                                 DgmmlScratch& scratch) const;
  std::vector<double> gaps(std::span<const std::size_t> order, DgmmlScratch& scratch) const;
  double mean_of_extremes(std::span<const std::uint32_t> keys, std::size_t channel, bool is_top,
                          const DgmmlScratch& scratch) const;
  double median(const DgmmlScratch& scratch) const;
  struct Cut {
    std::uint32_t code;  // the highest on the left
    double threshold;
  };
  Split best_cut(std::span<const double> candidates, DgmmlScratch& scratch) const;
  std::optional<Cut> cut_at(double threshold, const DgmmlScratch& scratch) const;
  void count_parts(std::span<const Cut> cuts, DgmmlScratch& scratch) const;

  // Categories.
  void sum_categories(const DgmmlNode& node, int column, DgmmlScratch& scratch) const;
  Split part(const DgmmlNode& node, int column, DgmmlScratch& scratch) const;
  bool partition_by_share(Split& split, const DgmmlScratch& scratch) const;
  bool partition_by_gini(const DgmmlNode& node, Split& split, DgmmlScratch& scratch) const;
  Split fall_back(const DgmmlNode& node, std::span<const std::uint32_t> columns) const;

  const Table& table_;
  std::span<const std::uint32_t> rows_;
  bool by_code_;          // whether items are all rows of a class and code
  bool in_order_ = true;  // whether training row i is row i of the table
  const Target& target_;
  const Plan& plan_;
  const DgmmlRules& rules_;
  const ValueBlock* block_;
  Plan by_gini_;  // the same limits, for splits that Gini chooses
};

}  // namespace ramify

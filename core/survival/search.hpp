// SPDX-License-Identifier: BSD-3-Clause
// The best split of a node of a survival tree: the sums of the node are made once, then each column
// is searched along its list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.hpp"
#include "survival/curve_cuts.hpp"
#include "survival/lists.hpp"
#include "survival/log_rank.hpp"
#include "survival/sums.hpp"

namespace ramify {

/// What the columns of a node have in common.
struct SurvivalSums {
  NodeTimes times;
  std::vector<double> event_time;
  LogRankNode log_rank;
  std::vector<LogRankRow> rows;  // by row
  TimeGroups groups;             // for bounds, if there are any
  SumsNode sums;
  std::vector<std::uint32_t> rank;  // by row, for curves
};

/// A cut and its score: how many rows with a value are on its left.
struct ScoredCut {
  std::uint32_t place;
  double score;
};

/// What the cuts of a column can score at most, with missing rows on the right and on the left.
struct ColumnBounds {
  std::vector<CutRange> right{}, left{};
  float top = 0;
};

/// Room of one thread.
struct SearchRoom {
  PrefixRoom prefix;
  std::vector<LogRankCut> cuts;
  std::vector<ScoredCut> right, left;             // with missing rows on that side
  std::vector<std::uint32_t> items;               // of a column in another order
  bool skips_poor = false;                        // cuts that cannot win need no score
  std::vector<std::uint64_t> counts, dead, tied;  // by rank
};

/// A node as it is searched.
struct SearchedNode {
  ListSegment rows;
  std::uint64_t key;
};

class SurvivalSearch {
 public:
  SurvivalSearch(const Table& table, const TimeOrder& order, const Plan& plan,
                 const SurvivalRules& rules, const SurvivalLists& lists, const RootScores& root)
      : table_(table), order_(order), plan_(plan), rules_(rules), lists_(lists), root_(root) {}

  /// Makes the sums of a node; whether there is anything to tell its rows apart by.
  bool start(const ListSegment& node, SurvivalSums& sums) const;
  /// The best split of a column; of those by tests, its p-value in logarithms as the tie-break.
  Split best_of_column(const SearchedNode& node, std::uint32_t column, const SurvivalSums& sums,
                       SearchRoom& room) const;
  /// Can the cuts of this column be bounded before they are scored?
  bool has_bounds(std::uint32_t column, const SurvivalSums& sums) const {
    return sums.groups.n > 0 && !table_.columns[column].is_categorical;
  }
  void bound(const SearchedNode& node, std::uint32_t column, const SurvivalSums& sums,
             ColumnBounds& bounds) const;
  /// The score of one of the cuts that are bounded the highest.
  double some_score(const SearchedNode& node, std::uint32_t column, const SurvivalSums& sums,
                    const ColumnBounds& bounds, SearchRoom& room) const;
  /// The best split of a column if that is no worse than `to_beat`; others may be missed.
  Split best_within(const SearchedNode& node, std::uint32_t column, const SurvivalSums& sums,
                    const ColumnBounds& bounds, double to_beat, SearchRoom& room) const;
  /// The first of the best columns, or the one that a test puts first.
  Split choose(const SearchedNode& node, std::span<const Split> found, const SurvivalSums& sums,
               SearchRoom& room) const;

 private:
  friend class CategorySearch;
  friend class ColumnTests;
  struct Found {
    double top = minus_infinity, score = minus_infinity;
    std::uint32_t place = 0;
    bool missing_left = false;
  };
  bool has_limits() const {
    return plan_.min_leaf_weight > 0 || rules_.min_events > 0 ||
           rules_.criterion == SurvivalCriterion::maxstat;
  }
  /// May a side of this weight, and of these events, in units, be a child?
  bool allows(const SurvivalSums& sums, std::uint64_t left, std::uint64_t events) const;

  Split numeric(const SearchedNode& node, std::uint32_t column, WalkedList list,
                const SurvivalSums& sums, SearchRoom& room) const;
  Split random(const SearchedNode& node, std::uint32_t column, WalkedList list,
               const SurvivalSums& sums, SearchRoom& room) const;
  Found best_of_list(WalkedList list, const SurvivalSums& sums, SearchRoom& room,
                     const ColumnBounds* bounds = nullptr, double to_beat = minus_infinity) const;
  Split written(std::uint32_t column, const WalkedList& list, const Found& found) const;
  bool takes_side(const WalkedList& list, bool missing_left) const;
  bool is_varied(const WalkedList& list, std::uint32_t column) const;
  WalkedList limited(WalkedList list) const;
  void score_list(const WalkedList& list, const SurvivalSums& sums, SearchRoom& room,
                  std::vector<ScoredCut>& out) const;
  void score_sums(const WalkedList& list, const SurvivalSums& sums, bool skips_poor,
                  std::vector<ScoredCut>& out) const;
  template <std::size_t n_sums>
  void score_few_sums(const WalkedList& list, const SurvivalSums& sums, bool skips_poor,
                      std::vector<ScoredCut>& out) const;
  void score_curves(const WalkedList& list, const SurvivalSums& sums, SearchRoom& room,
                    std::vector<ScoredCut>& out) const;
  void refuse(const WalkedList& list, const SurvivalSums& sums, std::vector<ScoredCut>& out) const;
  double score_one(const WalkedList& list, std::uint32_t place, const SurvivalSums& sums,
                   SearchRoom& room) const;

  const Table& table_;
  const TimeOrder& order_;
  const Plan& plan_;
  const SurvivalRules& rules_;
  const SurvivalLists& lists_;
  const RootScores& root_;
};

/// U^2 / V of one cut from the weights on its left by rank, in units, which are replaced by those
/// at risk.
double score_of_counts(const SurvivalSums& sums, Wide u, std::vector<std::uint64_t>& left);

}  // namespace ramify

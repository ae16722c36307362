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
  SumsNode sums;
  std::vector<std::uint32_t> rank;  // by row, for curves
};

/// A cut and its score: how many rows with a value are on its left.
struct ScoredCut {
  std::uint32_t place;
  double score;
};

/// Room of one thread.
struct SearchRoom {
  PrefixRoom prefix;
  std::vector<LogRankCut> cuts;
  std::vector<ScoredCut> right, left;             // with missing rows on that side
  std::vector<std::uint32_t> items;               // of a column in another order
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
  Found best_of_list(WalkedList list, const SurvivalSums& sums, SearchRoom& room) const;
  void score_list(const WalkedList& list, const SurvivalSums& sums, SearchRoom& room,
                  std::vector<ScoredCut>& out) const;
  void score_sums(const WalkedList& list, const SurvivalSums& sums,
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

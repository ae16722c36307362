// SPDX-License-Identifier: BSD-3-Clause
// The usual way to search a column: its cuts are scored block by block, missing rows on either
// side, and a judge keeps the first of the best.
#pragma once

#include "expressions/finalists.hpp"
#include "search/scratch.hpp"

namespace ramify {

class BlockSearch {
 public:
  BlockSearch(const Training& training, const Scorer& scorer, const Finalists& finalists)
      : training_(training), scorer_(scorer), finalists_(finalists) {}

  Split best(const NodeColumn& column, Scratch& scratch) const;

  /// Are there bounds of the scores of the node at hand?
  bool has_bounds(const Scratch& scratch) const {
    return scratch.scores.node_rows && !scratch.scores.node_rows->limits.classes.empty();
  }
  /// No split, but at least the highest score of a column, as its `best`.
  Split bound(const NodeColumn& column, Scratch& scratch) const;
  /// Columns whose bound is below cannot matter any more.
  double min_that_matters(const Scratch& scratch) const;

 private:
  struct Scored {
    double *right, *left;  // the second is null if no rows are missing
    double top;
  };
  void look_at(const NodeColumn& column, std::uint64_t n_missing, Judge& judge,
               Scratch& scratch) const;
  double bound_of_block(const NodeColumn& column, const Judge& judge, Scratch& scratch) const;
  Scored score(const NodeChannels& channels, std::uint64_t n_missing, const Judge& judge,
               Scratch& scratch) const;
  void offer(const NodeChannels& channels, const Scored& scored, Judge& judge,
             Scratch& scratch) const;
  void offer_with_ties(const NodeChannels& channels, const Scored& scored, Judge& judge,
                       Scratch& scratch) const;

  Training training_;
  const Scorer& scorer_;
  const Finalists& finalists_;
};

}  // namespace ramify

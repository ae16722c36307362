// SPDX-License-Identifier: BSD-3-Clause
// Scores the cuts of a block with the criterion of a plan, be it built in, compiled, for regression
// or composed: callers need not know which.
#pragma once

#include <span>

#include "expressions/evaluate.hpp"
#include "regression/scores.hpp"
#include "scan/cuts.hpp"

namespace ramify {

/// Buffers of one thread while the cuts of a column are scored.
struct ScoreBuffers {
  NodeRows own_rows;                    // of the node, filled by the leading thread
  const NodeRows* node_rows = nullptr;  // for all threads
  ColumnBuffers column;
  StepValues score_values, tie_values;  // of the current column
  std::size_t n_cuts_before = 0;        // of the block, in the column
  bool are_bounded = false;             // values are computed block by block, where they may matter
  CutBatch batch;

  /// Where the values of a block begin: they are those of the block alone, or of the column.
  std::size_t first_value() const { return are_bounded ? 0 : n_cuts_before; }
};

class Scorer {
 public:
  Scorer(const Training& training, const ClassChannels& classes,
         std::span<const std::uint32_t> rows)
      : criterion_(training.plan.criterion),
        unit_(training.target.unit),
        scores_(training.target, training.plan),
        users_(training.target, classes),
        structure_(training, rows),
        evaluator_(training.target, scores_, users_, structure_) {}
  Scorer(const Scorer&) = delete;

  /// Prepares a column: finds the values of the steps that need rows at its cuts.
  void start(const NodeColumn& column, ScoreBuffers& buffers) const;
  void score(const NodeChannels& channels, const CutBlock& block, ScoreBuffers& buffers,
             double* scores) const;

  /// Where margins are bounded (`buffers.are_bounded`): upper bounds of the scores of a block, and
  /// the margins that `score` needs, found before it is called. Cuts whose bounds are below the
  /// lowest score that matters keep their bounds.
  void bound(const NodeChannels& channels, const CutBlock& block, ScoreBuffers& buffers,
             double* bounds) const;
  void find_margins(const NodeColumn& column, const CutBlock& block, const double* bounds,
                    double min, ScoreBuffers& buffers) const;

  /// Scores by the measure that breaks ties.
  void score_ties(const NodeChannels& channels, const CutBlock& block, ScoreBuffers& buffers,
                  double* ties) const;

  /// Scores partitions of a node that are not cuts of a column: left[channel * CutBlock::stride +
  /// way] is the weight of a class on the left.
  void score_sides(const NodeChannels& channels, double* left, int n_ways, double* scores) const;

  const ClassScores& classes() const { return scores_; }
  const UserCuts& users() const { return users_; }
  const Structure& structure() const { return structure_; }
  const Evaluator& evaluator() const { return evaluator_; }

 private:
  const ChosenCriterion& criterion_;
  double unit_;  // of weights
  ClassScores scores_;
  UserCuts users_;
  Structure structure_;
  Evaluator evaluator_;
};

}  // namespace ramify

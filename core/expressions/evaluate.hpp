// SPDX-License-Identifier: BSD-3-Clause
// Evaluates expressions over cuts.
#pragma once

#include <vector>

#include "expressions/sum_measures.hpp"
#include "expressions/users.hpp"
#include "scan/class_scores.hpp"
#include "structure/structure.hpp"

namespace ramify {

/// Values of the steps that need rows: values[step][first], [first + 1], ...
struct FoundValues {
  const StepValues& values;
  std::size_t first = 0;
};

class Evaluator {
 public:
  Evaluator(const Target& target, const ClassScores& scores, const UserCuts& users,
            const Structure& structure)
      : n_extra_(target.n_extra), scores_(scores), users_(users), structure_(structure) {}

  /// Evaluates an expression for some cuts.
  void evaluate(const Expression& expression, const NodeChannels& channels, const CutSums& sums,
                const FoundValues& found, double* out) const;

  /// The same for candidates of any columns of a node.
  std::vector<double> evaluate(const Expression& expression, const Node& node,
                               const NodeChannels& channels, const NodeRows& rows,
                               std::span<const Candidate> candidates) const;

 private:
  void score_criterion(const ExpressionStep& step, const NodeChannels& channels,
                       const CutSums& sums, double* out) const;

  int n_extra_;
  const ClassScores& scores_;
  const UserCuts& users_;
  const Structure& structure_;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The best few splits of a node: which are kept, which of them the measures that follow choose, and
// what is written down of them.
#pragma once

#include <functional>
#include <vector>

#include "expressions/evaluate.hpp"
#include "select/judge.hpp"
#include "select/top.hpp"

namespace ramify {

/// The cuts of a block with their scores, the missing rows on one side.
struct ScoredCuts {
  const CutBlock& block;
  bool missing_left;
  const double* scores;
  const double* ties;     // or null
  std::size_t first_cut;  // the number of the first in its column
};

class Finalists {
 public:
  Finalists(const Training& training, const ClassChannels& classes, const Evaluator& evaluator)
      : plan_(training.plan), table_(training.table), classes_(classes), evaluator_(evaluator) {}

  /// Does the plan ask for more than the best split?
  bool are_wanted() const { return plan_.n_recorded > 0 || decide(); }

  /// Begins a node.
  void start(TopCandidates& top) const;

  /// Remembers the cuts of a block that may be among the best of the node. The sums of the block
  /// must count the missing rows on the side that is meant.
  void keep(const Judge& judge, const ScoredCuts& cuts, int n_channels, TopCandidates& top) const;

  /// Scores that are relative to those of all candidates, and the choice among them; `best` if they
  /// have no say.
  Split choose(const Node& node, const NodeChannels& channels, Split best,
               std::vector<Candidate>& kept, const NodeRows& rows) const;

  /// The best candidates, and the chosen one in any case, with their scores by the other criteria
  /// asked for. `list_codes` says which categories a subset has.
  std::vector<Recorded> record(const Node& node, const Split& chosen, std::vector<Candidate> kept,
                               const NodeRows& rows,
                               const std::function<void(Split&)>& list_codes) const;

 private:
  /// Is the split one of the best few by the score, and not simply the best?
  bool decide() const {
    const auto& composed = plan_.criterion.composed;
    return composed && (composed->top != 0 || !composed->relative.empty());
  }
  Split choose_among(const Node& node, const NodeChannels& channels,
                     const std::vector<Candidate>& kept, const NodeRows& rows) const;

  const Plan& plan_;
  const Table& table_;
  const ClassChannels& classes_;
  const Evaluator& evaluator_;
};

}  // namespace ramify

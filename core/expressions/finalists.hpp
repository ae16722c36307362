// SPDX-License-Identifier: BSD-3-Clause
// The best few splits of a node: which are kept, which of them the following measures choose, and
// what is recorded of them.
#pragma once

#include <functional>
#include <vector>

#include "expressions/evaluate.hpp"
#include "select/judge.hpp"
#include "select/top.hpp"

namespace ramify {

/// The cuts of a block with their scores, the missing values on one side.
struct ScoredCuts {
  const CutBlock& block;
  bool missing_left;
  const double* scores;
  const double* ties;     // or null
  std::size_t first_cut;  // the index of the first in its column
};

class Finalists {
 public:
  Finalists(const Training& training, const ClassChannels& classes, const Evaluator& evaluator)
      : plan_(training.plan), table_(training.table), classes_(classes), evaluator_(evaluator) {}

  /// Whether the plan requests more than the best split.
  bool are_wanted() const { return plan_.n_recorded > 0 || decide(); }

  /// Begins a node.
  void start(TopCandidates& top) const;

  /// Keeps the cuts of a block that may be among the best of the node. The sums of the block must
  /// have the missing values on the side in question.
  void keep(const Judge& judge, const ScoredCuts& cuts, int n_channels, TopCandidates& top) const;

  /// Scores relative to those of all candidates, and the choice among them; `best` if the plan
  /// needs neither.
  Split choose(const Node& node, const NodeChannels& channels, Split best,
               std::vector<Candidate>& kept, const NodeRows& rows) const;

  /// The best candidates, and always the chosen one, with their scores by the other requested
  /// criteria. `list_codes` lists the categories of a subset.
  std::vector<Recorded> record(const Node& node, const Split& chosen, std::vector<Candidate> kept,
                               const NodeRows& rows,
                               const std::function<void(Split&)>& list_codes) const;

 private:
  /// Whether the split is chosen among the best few by score, rather than simply the best.
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

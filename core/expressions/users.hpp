// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a user's criterion: the sums on both sides of cuts, class by class, in the
// user's own weights and target values.
#pragma once

#include <initializer_list>
#include <span>

#include "plan/expression.hpp"
#include "regression/target.hpp"
#include "scan/channels.hpp"

namespace ramify {

/// Some cuts of a block: left[channel * CutBlock::stride + cut].
struct CutPiece {
  const double* left;
  int n_cuts;
};

class UserCuts {
 public:
  UserCuts(const Target& target, const ClassChannels& classes)
      : target_(target), classes_(classes) {}

  /// Writes the cuts of some blocks, one block after the other, as a user's criterion sees them.
  /// Its classes are identified by position, including those that do not occur in the node.
  void show(const NodeChannels& channels, const NodeChannels::Output& output,
            std::span<const CutPiece> pieces, CutBatch& batch) const;

 private:
  const Target& target_;
  const ClassChannels& classes_;
};

/// Scores a batch with a compiled criterion. Rejects NaN scores.
void ask_compiled(CompiledCriterion criterion, void* user_data, const CutBatch& batch,
                  double* scores);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// What a built-in criterion of classes says of some cuts of a node.
#pragma once

#include <algorithm>
#include <vector>

#include "plan/plan.hpp"
#include "scan/channels.hpp"

namespace ramify {

/// Scores are written in whole packs.
inline int padded(int n_cuts) {
  constexpr int width = RAMIFY_KERNELS::pack_width;
  return (n_cuts + width - 1) / width * width;
}

/// Calls score_output(output, scores) for the only output, or averages over several: they count
/// equally.
template <class ScoreOutput>
void mean_of_outputs(const NodeChannels& channels, int n_cuts, double* mean,
                     ScoreOutput score_output) {
  if (channels.outputs.size() == 1) return score_output(channels.outputs[0], mean);
  double part[CutBlock::stride];
  std::fill_n(mean, padded(n_cuts), 0.0);
  for (const auto& output : channels.outputs) {
    if (output.n_present < 2) continue;
    score_output(output, part);
    for (int i = 0; i < padded(n_cuts); ++i)
      mean[i] += part[i] / static_cast<double>(channels.outputs.size());
  }
}

/// x log2 x of all weights that a node may have, if the criteria of a plan read it and there are
/// not too many; else nothing.
std::vector<double> make_log_table(const Target& target, const Plan& plan);

/// The same for the terms of the plan's own criterion.
class OwnTables {
 public:
  OwnTables(const Target& target, const Plan& plan);
  TermTables view() const {
    if (terms_.empty()) return {};
    return {terms_.data(), totals_.data(), n_classes_};
  }
  /// For nodes of so many classes and of this weight.
  TermTables view(int n_classes, double total) const {
    const auto at = static_cast<std::size_t>(n_classes);
    if (at < of_fewer_.size() && total < static_cast<double>(of_fewer_[at].size()))
      return {terms_.data(), of_fewer_[at].data(), n_classes};
    return view();
  }

 private:
  static constexpr int max_of_fewer = 4096;
  std::vector<double> terms_, totals_;
  // Totals of nodes that lack classes, which are small, if these matter.
  std::vector<std::vector<double>> of_fewer_;
  int n_classes_ = 0;
};

/// May the sums of a criterion be kept up to date along a walk?
inline bool has_walk(const SetCriterion& criterion, const TermTables& tables) {
  return criterion.walk_sums && (!criterion.combine || tables.terms);
}

class ClassScores {
 public:
  ClassScores(const Target& target, const Plan& plan)
      : unit_(target.unit),
        n_extra_(target.n_extra),
        own_(plan.criterion.builtin.get()),
        log_table_(make_log_table(target, plan)),
        tables_(target, plan) {}

  /// left[channel * CutBlock::stride + cut] is the weight of a class on the left; packs read beyond
  /// the last cut, so what follows must be like it.
  /// The function is the criterion's score, or that of its tie-break. Scores that are not above
  /// `wanted` may become minus infinity.
  void score(const SetCriterion& criterion, Score function, const NodeChannels& channels,
             const double* left, int n_cuts, double* scores,
             double wanted = -std::numeric_limits<double>::infinity()) const;

  const double* log_table() const { return log_table_.empty() ? nullptr : log_table_.data(); }
  TermTables tables() const { return tables_.view(); }
  TermTables tables(const NodeChannels::Output& output) const {
    return tables_.view(output.n_classes, output.total);
  }
  double unit() const { return unit_; }

 private:
  double unit_;
  int n_extra_;
  const SetCriterion* own_;
  std::vector<double> log_table_;
  OwnTables tables_;
};

}  // namespace ramify

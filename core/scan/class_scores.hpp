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

class ClassScores {
 public:
  ClassScores(const Target& target, const Plan& plan)
      : unit_(target.unit), log_table_(make_log_table(target, plan)) {}

  /// left[channel * CutBlock::stride + cut] is the weight of a class on the left; packs read beyond
  /// the last cut, so what follows must be like it.
  void score(Score function, const NodeChannels& channels, const double* left, int n_cuts,
             double* scores) const;

  const double* log_table() const { return log_table_.empty() ? nullptr : log_table_.data(); }

 private:
  double unit_;
  std::vector<double> log_table_;
};

}  // namespace ramify

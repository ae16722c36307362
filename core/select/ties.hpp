// SPDX-License-Identifier: BSD-3-Clause
// When scores are tied, and which candidate wins then: the one home of ties. Candidates come in a
// fixed order (lower column, then lower threshold, missing values on the right first), and a later
// one must be better by more than rounding.
#pragma once

#include <cmath>

namespace ramify {

/// Scores closer than this are tied. Relative above 1: chi-square and DCSM are not bounded, and
/// their last digits are rounding.
inline double tolerance(double score) { return 1e-12 * std::fmax(1, std::abs(score)); }

/// Whether a later score is better than the best so far, and not tied with it.
inline bool beats(double score, double best) { return score > best + tolerance(score); }

/// The lowest score that is tied with the highest, `top`: the first candidate that reaches it wins.
inline double enough(double top) { return top - tolerance(top); }

/// Below this, a score cannot be tied with the best, however the two were rounded: no need to look
/// closer.
inline double surely_below(double best) { return best - 2 * tolerance(best); }

/// Far below the best score: neither tied with it, nor with what is tied with it, and so on many
/// times over. Columns that far below may be searched in any order, or not at all.
inline double far_below(double best) { return best - 1000 * tolerance(best); }

/// A cut of a block, with the missing rows on one side; none if it is below 0.
struct Leader {
  int cut = -1;
  bool missing_left = false;
};

/// Compares the scores of a block of classes with what leads so far: a later cut must be better by
/// more than the tolerance, and the first of those that are tied leads. `SortedRegression` compares
/// its own; boosting needs no tolerance. `right` and `left` are the scores with the missing rows on
/// that side (`left` may be null), `top` is the highest. Nothing leads if that is below `to_beat`.
inline Leader take_lead(double top, const double* right, const double* left, int n_cuts,
                        double to_beat, double& best, double& score) {
  if (!(top > best)) return {};
  best = top;
  const double min = enough(top);
  if (score >= min || top < to_beat) return {};
  for (int i = 0; i < n_cuts; ++i) {
    if (right[i] >= min) {
      score = right[i];
      return {i, false};
    }
    if (left && left[i] >= min) {
      score = left[i];
      return {i, true};
    }
  }
  return {};
}

/// Whether a later candidate wins, if a second measure breaks ties.
inline bool wins(double score, double tie, double best, double best_tie) {
  const bool is_tied = std::abs(score - best) <= tolerance(score);
  return is_tied ? beats(tie, best_tie) : score > best;
}

/// dGMML compares squared weights, which come from rounded sums: they are tied within this share.
inline constexpr double tied_share_of_weights = 2e-9;

}  // namespace ramify

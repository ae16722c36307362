// SPDX-License-Identifier: BSD-3-Clause
// The last step of a search: one split from the best of each column.
#include <cmath>

#include "split/search.hpp"

namespace ramify {
namespace {

/// Quinlan's choice: corrected gain, then the gain ratio among the columns of at least average
/// gain.
Split choose_c45(const Target& target, const Plan& plan, const Node& node,
                 std::span<const Split> found) {
  const double total = weight_of(target, node.sums) * target.unit;
  const auto gain_of = [&](const Split& split) {
    return plan.c45.threshold_cost ? split.score - std::log2(split.n_tried) / total : split.score;
  };
  double sum = 0;
  int n_usable = 0;
  for (const Split& split : found) {
    if (!split.exists() || gain_of(split) <= 1e-12) continue;
    sum += gain_of(split);
    ++n_usable;
  }
  Split best;
  for (const Split& split : found) {
    if (!split.exists() || gain_of(split) <= 1e-12) continue;
    if (plan.c45.average_gain && gain_of(split) < sum / n_usable - 1e-3) continue;
    const double left = split.share_left, right = 1 - left;
    const double ratio = gain_of(split) / -(left * std::log2(left) + right * std::log2(right));
    if (best.exists() && !(ratio > best.score + tolerance(ratio))) continue;
    best = split;
    best.score = ratio;
  }
  return best;
}

}  // namespace

Split choose(const Target& target, const Plan& plan, const Node& node,
             std::span<const Split> found) {
  if (plan.c45.any()) return choose_c45(target, plan, node, found);
  Split best;
  for (const Split& split : found) {
    if (!split.exists()) continue;
    if (!best.exists()) {
      best = split;
      continue;
    }
    const double slack = tolerance(split.best);
    const bool tied = std::abs(split.best - best.best) <= slack;
    if (tied ? split.tie_break > best.tie_break + tolerance(split.tie_break)
             : split.best > best.best)
      best = split;
  }
  return best;
}

}  // namespace ramify

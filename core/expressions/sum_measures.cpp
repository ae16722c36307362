// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/sum_measures.hpp"

#include <algorithm>

namespace ramify {
namespace {

/// One cut, as a measure sees it.
struct SumsOfCut {
  const ExpressionStep& step;
  const NodeChannels& channels;
  int n_extra;
  const CutSums& sums;
  std::size_t cut;

  const NodeChannels::Output& output() const { return channels.outputs[0]; }
  double whole(int channel) const { return channels.parent[static_cast<std::size_t>(channel)]; }
  double left(int channel) const {
    return sums.left[static_cast<std::size_t>(channel) * sums.stride + cut];
  }
  double left_total() const {
    double total = 0;
    for (int k = 0; k < output().n_classes; ++k) total += left(output().first + k);
    return total;
  }
};

/// Area under the ROC curve of a cut as a score for a group: the share of the group on the left
/// against that of the rest, in whichever direction is better.
double folded_auc(double left, double whole, double left_total, double total) {
  if (!(whole > 0) || !(total - whole > 0)) return 0.5;
  const double auc = (1 + left / whole - (left_total - left) / (total - whole)) / 2;
  return std::max(auc, 1 - auc);
}

double imbalance(const SumsOfCut& cut) {
  const auto& output = cut.output();
  double fewest = output.total, max = 0;
  for (int k = output.first; k < output.first + output.n_classes; ++k) {
    if (cut.whole(k) <= 0) continue;
    fewest = std::min(fewest, cut.whole(k));
    max = std::max(max, cut.whole(k));
  }
  return fewest / max;
}

double class_auc(const SumsOfCut& cut) {
  const auto& output = cut.output();
  const double left_total = cut.left_total();
  double sum = 0;
  for (int k = output.first; k < output.first + output.n_classes; ++k)
    sum += folded_auc(cut.left(k), cut.whole(k), left_total, output.total);
  return sum / output.n_classes;
}

double sensitive_auc(const SumsOfCut& cut) {
  const double left_total = cut.left_total();
  double sum = 0, highest = 0.5;
  int n_present = 0;
  for (int g = cut.channels.size() - cut.n_extra; g < cut.channels.size(); ++g) {
    if (!(cut.whole(g) > 0)) continue;
    const double auc = folded_auc(cut.left(g), cut.whole(g), left_total, cut.output().total);
    sum += auc;
    highest = std::max(highest, auc);
    ++n_present;
  }
  return cut.step.first != 0 ? sum / n_present : highest;
}

double branch_balance(const SumsOfCut& cut) {
  const double share = cut.left_total() / cut.output().total;
  return 4 * share * (1 - share);
}

double prior_accuracy(const SumsOfCut& cut) {
  double best_left = 0, best_right = 0, total = 0;
  int channel = cut.output().first;
  for (std::size_t k = 0; k < cut.channels.is_present.size(); ++k) {
    if (!cut.channels.is_present[k]) continue;
    const double whole = cut.whole(channel), left = cut.left(channel);
    const double factor = cut.step.prior.empty() ? 1 : cut.step.prior.at(k) / whole;
    best_left = std::max(best_left, left * factor);
    best_right = std::max(best_right, (whole - left) * factor);
    total += whole * factor;
    ++channel;
  }
  return total > 0 ? (best_left + best_right) / total : 0;
}

using SumMeasure = double (*)(const SumsOfCut&);

SumMeasure measure_of(Measure measure) {
  switch (measure) {
    case Measure::imbalance:
      return imbalance;
    case Measure::class_auc:
      return class_auc;
    case Measure::sensitive_auc:
      return sensitive_auc;
    case Measure::branch_balance:
      return branch_balance;
    default:
      return prior_accuracy;
  }
}

}  // namespace

void measure_sums(const ExpressionStep& step, const NodeChannels& channels, int n_extra,
                  const CutSums& sums, double* out) {
  const SumMeasure measure = measure_of(step.measure);
  for (std::size_t i = 0; i < sums.n_cuts; ++i)
    out[i] = measure({step, channels, n_extra, sums, i});
}

}  // namespace ramify

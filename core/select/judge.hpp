// SPDX-License-Identifier: BSD-3-Clause
// Judges the scored cuts of one column: which are admissible, and which is the first of the best.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>

#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "scan/cuts.hpp"
#include "select/admissible.hpp"
#include "select/split.hpp"
#include "util/rng.hpp"

namespace ramify {

/// Adds the threshold in the values of the column, unless it is there or the split has none.
inline void set_threshold(const Plan& plan, const Column& column, Split& split) {
  if (split.kind != SplitKind::threshold || column.is_categorical || !std::isnan(split.threshold))
    return;
  if (plan.threshold_is_value && split.next_code < column.n_codes())
    split.threshold = column.upper(split.code);
  else
    split.threshold = column.midpoint(split.code, split.next_code);
}

/// Rejects a score that cannot be compared: nothing is tied with infinity, not even itself.
inline void check_finite(const Plan& plan, const Node& node, double score) {
  if (score < std::numeric_limits<double>::infinity()) return;
  throw std::invalid_argument("criterion='" + name_of(plan.criterion) + "' returned a score of " +
                              (std::isnan(score) ? "NaN" : "+inf") + " for a cut of a node of " +
                              std::to_string(node.n_rows()) + " rows at depth " +
                              std::to_string(node.depth) +
                              "; scores must be finite: use smaller factors or smaller weights");
}

/// A threshold between the smallest and the largest value of a column in a node.
inline double random_threshold(double low, double high, int number, std::uint64_t node_key) {
  Rng rng(node_key ^ mix(static_cast<std::uint64_t>(number) + 1));
  const double threshold = low + rng.uniform() * (high - low);
  return threshold < high ? threshold : low;
}
inline double random_threshold(const Column& column, int number, std::uint64_t node_key,
                               std::uint32_t first_code, std::uint32_t last_code) {
  return random_threshold(column.upper(first_code), column.lower(last_code), number, node_key);
}

class Judge {
 public:
  /// `missing` has the sums of the rows with a missing value, if there are any.
  Judge(const Training& training, const NodeColumn& column, const ColumnRange& range,
        std::span<const double> missing)
      : plan_(training.plan),
        node_(column.node),
        column_(training.column(column.number)),
        n_rows_(column.channels.n_rows),
        n_missing_(range.n_missing),
        n_classes_(column.channels.outputs[0].n_classes),
        total_(column.channels.outputs[0].total),
        limits_(tried_limits(training.plan, training.target, total_)),
        is_ordered_(plan_.criterion.is_ordered()) {
    if (n_missing_ > 0)
      missing_weight_ = std::accumulate(missing.begin(), missing.begin() + n_classes_, 0.0);
    best_.column = column.number;
    best_.saw_missing = n_missing_ > 0;
    if (plan_.random_cuts && !column_.is_categorical)
      draw_threshold(range.first_code, range.last_code);
  }

  bool is_random() const { return is_random_; }

  /// The highest score so far: blocks that do not reach it do not matter.
  double best() const { return best_.best; }
  /// Score of the leading cut, and its tie-breaker.
  double score() const { return best_.score; }
  double tie_break() const { return best_.tie_break; }

  /// Whether a cut separates all values from the missing ones.
  bool is_last(const CutBlock& block, int i) const {
    return block.next_code_at(i) >= column_.n_codes();
  }

  /// The only cut of a block that the random threshold allows, or -1.
  int random_cut(const CutBlock& block) const {
    int low = 0, high = block.n_cuts;  // the first cut that has the threshold on its left
    while (low < high) {
      const int middle = (low + high) / 2;
      const std::uint32_t next = block.next_code_at(middle);
      const bool is_left = next < column_.n_codes() && column_.lower(next) <= random_;
      (is_left ? low : high) = is_left ? middle + 1 : middle;
    }
    return low < block.n_cuts ? low : -1;
  }

  /// Sets the scores of inadmissible cuts to minus infinity.
  void refuse(const CutBlock& block, bool missing_left, double* scores) const {
    const auto refuse_if = [&](auto is_bad) {
      for (int i = 0; i < block.n_cuts; ++i)
        if (is_bad(i)) scores[i] = minus_infinity;
    };
    const std::uint64_t extra = missing_left ? n_missing_ : 0, n = n_rows_;
    if (n_missing_ > 0 && !may_go(plan_.missing, missing_left)) {
      std::fill_n(scores, block.n_cuts, minus_infinity);
      return;
    }
    if (limits_.rows > 1)
      refuse_if([&](int i) { return !limits_.allow_rows(block.n_left(i) + extra, n); });
    if (limits_.weight > 0)
      refuse_if([&](int i) {
        return !limits_.allow_weight(weight_left(block, i, missing_left), total_);
      });
    if (!may_stand_apart(plan_.missing, missing_left))
      refuse_if([&](int i) { return is_last(block, i); });
    if (plan_.c45.min_branch > 0 && !column_.is_categorical)
      refuse_if([&](int i) {
        return !is_last(block, i) &&
               !(column_.upper(block.code_at(i)) + 1e-5 < column_.lower(block.next_code_at(i)));
      });
    if (!plan_.monotonic.empty() && plan_.monotonic[best_.column] != 0)
      refuse_if([&](int i) { return !is_monotonic(block, i, missing_left); });
    if (is_random_)
      refuse_if([&](int i) {
        if (is_last(block, i)) return !std::isinf(random_);
        return !(column_.upper(block.code_at(i)) <= random_ &&
                 random_ < column_.lower(block.next_code_at(i)));
      });
  }

  /// Considers the scores of a block, of which `top` is the highest: with the missing values on the
  /// right, and on the left (or null).
  void offer(const CutBlock& block, double top, const double* right, const double* left,
             double to_beat) {
    note_tries(block, right);
    if (!(top > best_.best)) return;
    check_finite(plan_, node_, top);
    const Leader found =
        take_lead(top, right, left, block.n_cuts, to_beat, best_.best, best_.score);
    if (found.cut >= 0) keep(block, found.cut, found.missing_left, best_.score, minus_infinity);
  }

  /// Whether a block whose highest score is `top` could change the choice, be it by a tie.
  bool may_matter(double top, double to_beat) const {
    return top > minus_infinity && top >= best_.score - tolerance(top) && top >= to_beat;
  }

  /// The same for criteria that break ties by a second measure.
  void offer_with_ties(const CutBlock& block, const double* right, const double* right_ties,
                       const double* left, const double* left_ties) {
    for (int i = 0; i < block.n_cuts; ++i) {
      consider(block, i, false, right[i], right_ties[i]);
      if (left) consider(block, i, true, left[i], left_ties[i]);
    }
  }

  /// The column's best split. Its threshold is looked up only if it wins: see set_threshold.
  Split result() const { return best_.exists() ? finished(best_) : best_; }

  /// Returns one cut of a block as a split.
  Split split_at(const CutBlock& block, int i, bool missing_left, double score) const {
    check_finite(plan_, node_, score);
    Split split = best_;
    set(split, block, i, missing_left, score, minus_infinity);
    split.best = score;
    split = finished(std::move(split));
    set_threshold(plan_, column_, split);
    return split;
  }

 private:
  /// Samples a threshold between the smallest and the largest value in the node; no other cut is
  /// admissible then.
  void draw_threshold(std::uint32_t first_code, std::uint32_t last_code) {
    is_random_ = true;
    random_ =
        std::numeric_limits<double>::infinity();  // one value only: separate it from missing ones
    if (first_code == last_code) return;
    random_ = random_threshold(column_, best_.column, node_.key, first_code, last_code);
  }

  static double two_branch_entropy(double share) {
    using RAMIFY_KERNELS::log2_of;
    return -(share * log2_of(share) + (1 - share) * log2_of(1 - share));
  }

  double weight_left(const CutBlock& block, int i, bool missing_left) const {
    if (!block.left) return static_cast<double>(block.n_left(i) + (missing_left ? n_missing_ : 0));
    double weight = missing_weight_ * (missing_left - block.missing_moved);
    for (int k = 0; k < n_classes_; ++k) weight += block.left[k * CutBlock::stride + i];
    return weight;
  }

  /// The share of the second of two classes must rise (or fall) from left to right, within the
  /// bounds of the ancestors. In columns without a constraint any cut is fine: the predictions of
  /// its leaves are clipped to these bounds.
  bool is_monotonic(const CutBlock& block, int i, bool missing_left) const {
    const double ones = block.left[CutBlock::stride + i],
                 weight = weight_left(block, i, block.missing_moved);
    double left = ones / weight, right = (node_.sums[1] - ones) / (total_ - weight);
    if (is_ordered_) {  // the block holds the predictions; missing values on the right, left
      const int first = missing_left ? 3 : 1;
      left = block.left[first * CutBlock::stride + i];
      right = block.left[(first + 1) * CutBlock::stride + i];
    } else if (!node_.regression.outputs.empty()) {
      const auto [centre, scale] = node_.regression.outputs[0].fixed_point;
      left = centre + scale * left;
      right = centre + scale * right;
    }
    return ramify::is_monotonic(plan_.monotonic[best_.column], left, right, node_);
  }

  void note_tries(const CutBlock& block, const double* scores) {
    if (plan_.corrects_scores())
      for (int i = 0; i < block.n_cuts; ++i) best_.n_tried += scores[i] > minus_infinity;
  }

  void consider(const CutBlock& block, int i, bool missing_left, double score, double tie) {
    if (score == minus_infinity) return;
    check_finite(plan_, node_, score);
    best_.best = std::max(best_.best, score);
    if (wins(score, tie, best_.score, best_.tie_break)) keep(block, i, missing_left, score, tie);
  }

  void keep(const CutBlock& block, int i, bool missing_left, double score, double tie) {
    set(best_, block, i, missing_left, score, tie);
  }

  void set(Split& split, const CutBlock& block, int i, bool missing_left, double score,
           double tie) const {
    split.score = score;
    split.tie_break = tie;
    split.code = block.code_at(i);
    split.next_code = block.next_code_at(i);
    split.rows_left = block.n_left(i);
    split.missing_left = missing_left;
    split.share_left = weight_left(block, i, missing_left) / total_;
  }

  Split finished(Split split) const {
    split.is_optimal = !is_random_;
    if (plan_.c45.any()) split.branch_entropy = two_branch_entropy(split.share_left);
    if (column_.is_categorical)
      split.kind = SplitKind::categories;  // `list_codes` finds which, if the split is chosen
    else if (is_random_)
      split.threshold = random_;
    return split;
  }

  const Plan& plan_;
  const Node& node_;
  const Column& column_;
  std::uint64_t n_rows_, n_missing_;
  double missing_weight_ = 0;
  int n_classes_;  // channels of the first output
  double total_;
  LeafLimits limits_;
  bool is_ordered_;
  double random_ = 0;
  bool is_random_ = false;
  Split best_;
};

}  // namespace ramify

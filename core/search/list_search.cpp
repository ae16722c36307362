// SPDX-License-Identifier: BSD-3-Clause
#include "search/list_search.hpp"

#include <algorithm>

#include "search/list_walk.hpp"

namespace ramify {
ListSearch::ListSearch(const Training& training, const FlaggedLists& lists,
                       const Weighing& weighing, const ClassScores& scores)
    : training_(training),
      lists_(lists),
      weighing_(weighing),
      scores_(scores),
      criterion_(training.plan.criterion),
      builtin_(criterion_.builtin.get()),
      classes_(training.target),
      kernels_(flag_kernels()) {
  const auto n = static_cast<std::size_t>(training.target.n_classes[0]);
  channels_.channel.resize(n);
  channels_.is_present.resize(n);
  channels_.outputs.resize(1);
  channels_.channels.channel = channels_.channel.data();
  for (auto* counts : {&left_[0], &left_[1], &at_start_}) counts->resize(n);
  in_parent_.resize(n);
  shares_.resize(n);
  for (auto* floats : {&factors_, &bends_, &per_own_, &per_rest_, &weights_}) floats->resize(n);
  counts_.resize(n);
  terms_.resize(2 * n);
  valued_.resize(n);
}

void ListSearch::start(const ListNode& node, std::span<const double> statistics,
                       std::atomic<double>* to_beat) {
  where_ = node;
  shared_to_beat_ = to_beat;
  node_.begin = node.begin;
  node_.end = node.end;
  node_.depth = node.depth;
  node_.key = node.key;
  node_.lower = node.lower;
  node_.upper = node.upper;
  if (!training_.plan.monotonic.empty()) node_.sums.assign(statistics.begin(), statistics.end());
  channels_.n_rows = node.n_rows();
  channels_.parent.clear();
  labels_.clear();
  NodeChannels::Output output;
  for (std::size_t k = 0; k < statistics.size(); ++k) {
    channels_.is_present[k] = statistics[k] > 0;
    channels_.channel[k] = 0;
    if (!(statistics[k] > 0)) continue;
    channels_.channel[k] = static_cast<std::uint32_t>(channels_.parent.size());
    if (weighing_.counts())
      in_parent_[channels_.parent.size()] = static_cast<std::uint32_t>(statistics[k]);
    channels_.parent.push_back(statistics[k]);
    labels_.push_back(static_cast<std::uint32_t>(k));
    output.total += statistics[k];
  }
  output.n_known = statistics.size();
  output.n_classes = output.n_present = static_cast<int>(channels_.parent.size());
  channels_.outputs[0] = output;
  channels_.channels.n_channels = output.n_classes;
  cuts_.to_beat = lead_ = lead_tie_ = minus_infinity;
  weighing_.by_row ? start_weights() : set_filter();
}

/// The codes beside a cut are looked up when it is chosen: most cuts that lead are overtaken.
void ListSearch::name_codes(Split& split) const {
  const auto column = static_cast<std::uint32_t>(split.column);
  const void* items = lists_.items(where_, column);
  split.code = lists_.code(where_, column, items, split.rows_left - 1);
  if (split.rows_left < where_.n_rows())
    split.next_code = lists_.code(where_, column, items, split.rows_left);
}

/// Stands before the first cut of a column, of which the rows without a value are counted.
ListSearch::Walk ListSearch::begin(std::uint32_t column) {
  const Column& info = training_.table.columns[column];
  const std::uint32_t n = lists_.n_valued(where_, column), n_missing = where_.n_rows() - n;
  const void* items = lists_.items(where_, column);
  const FlagLayout layout = lists_.layout(where_.is_short);
  const bool has_few_cuts = info.is_low_cardinality();
  std::fill_n(left_[0].begin(), labels_.size(), 0u);
  std::ranges::fill(weight_left_, 0.0);
  std::ranges::fill(weight_missing_, 0.0);
  Walk walk{column,
            info,
            items,
            n,
            n_missing,
            0,
            {items, n, 0, 0, 0, layout, left_[0].data(), has_few_cuts},
            {items, n, 0, n_missing, 0, layout, left_[1].data(), has_few_cuts}};
  if (n > 0 && n_missing > 0) note_missing(walk);
  return walk;
}

NodeColumn ListSearch::name_column(const Walk& walk) const {
  return {node_, channels_, static_cast<int>(walk.column), nullptr};
}

/// Tells other threads of a best score, and takes over theirs. Which columns these looked at before
/// is chance: what is left out for them must be far below.
void ListSearch::share_best(double best) {
  if (!shared_to_beat_) return;
  const double own = far_below(best);
  double known = shared_to_beat_->load(std::memory_order_relaxed);
  while (known < own &&
         !shared_to_beat_->compare_exchange_weak(known, own, std::memory_order_relaxed)) {
  }
  cuts_.to_beat = std::max(cuts_.to_beat, known);
}

ListSearch::Found ListSearch::look_at(std::uint32_t column, Split& split) {
  share_best(minus_infinity);
  Walk walk = begin(column);
  if (walk.n == 0) return Found::constant;
  while (walk.right.next < walk.n) {
    walk.first = walk.right.next;
    std::copy_n(left_[0].begin(), labels_.size(), at_start_.begin());
    if (!has_filter_ || weighing_.by_row || walk.n_missing > 0) {
      if (may_matter(walk)) score_block(walk);
    } else if (find_cuts(walk)) {
      score_found(walk);
    }
  }
  if (walk.n_missing == 0 && walk.right.n_cuts == 0) return Found::constant;
  if (!walk.judge) return Found::nothing;
  split = walk.judge->result();
  if (split.exists() && wins(split.score, split.tie_break, lead_, lead_tie_)) {
    lead_ = split.score;
    lead_tie_ = split.tie_break;
  }
  cuts_.to_beat = std::max(cuts_.to_beat, surely_below(split.best));
  share_best(split.best);
  return split.exists() ? Found::split : Found::nothing;
}

/// The rows without a value: how many each class has, and what they weigh.
void ListSearch::note_missing(const Walk& walk) {
  const auto n_classes = static_cast<std::size_t>(channels_.size());
  std::fill_n(left_[1].begin(), labels_.size(), 0u);
  cuts_.missing.assign(2 * n_classes, 0);
  const FlagLayout layout = walk.right.layout;
  for (std::uint32_t i = walk.n; i < where_.n_rows(); ++i) {
    const std::uint32_t item = lists_.item(where_, walk.items, i),
                        at = channels_.channel[layout.label(item)];
    ++left_[1][at];
    if (weighing_.by_row) weight_missing_[at] += rows_.weight[layout.row(item)];
  }
  for (std::size_t k = 0; k < n_classes; ++k)
    cuts_.missing[k] = weighing_.by_row       ? weight_missing_[k]
                       : weighing_.by_class() ? weighing_.of_class[labels_[k]] * left_[1][k]
                                              : left_[1][k];
  count_valued(walk);
}

/// The rows with a value, by class.
void ListSearch::count_valued(const Walk& walk) {
  if (!weighing_.by_class()) {
    for (std::size_t k = 0; k < labels_.size(); ++k)
      valued_[k] = channels_.parent[k] - cuts_.missing[k];
    return;
  }
  std::fill_n(valued_.begin(), labels_.size(), 0.0);
  for (std::uint32_t i = 0; i < walk.n; ++i)
    ++valued_[channels_.channel[walk.right.layout.label(lists_.item(where_, walk.items, i))]];
}

/// Makes class weights of a block's counts: products of whole units, exact.
void ListSearch::weigh_classes(int n_cuts) {
  for (std::size_t k = 0; k < labels_.size(); ++k) {
    double* const own = cuts_.block.left + k * CutBlock::stride;
    for (int i = 0; i < n_cuts; ++i) own[i] *= weighing_.of_class[labels_[k]];
  }
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "split/list_search.hpp"

#include <algorithm>
#include <cmath>

#include "split/list_walk.hpp"

namespace ramify {
namespace {

/// What floats lose in a sum over all classes, and more: see docs/design/lists.md.
constexpr double filter_share = 1 - 2e-5;
/// Of the rows of a node: more than a deviation loses.
constexpr double filter_slack = 1.0 / (1 << 21);
/// The same where classes have weights: each adds a rounded product to the sums.
constexpr double weighted_slack(std::size_t n_classes) {
  return (static_cast<double>(n_classes) + 16) / (1 << 23);
}
/// Of the square of a node's weight, times the sum of factors: more than a sum of squares loses
/// where weights are looked up.
constexpr double square_slack = 0x1p-40;
/// Classes side by side that kernels of such weights are made for.
constexpr std::size_t most_lanes = 32;
/// Rows that a float counts one by one.
constexpr double most_exact = 1 << 24;

}  // namespace

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
  factors_.resize(n);
  counts_.resize(n);
  terms_.resize(2 * n);
  valued_.resize(n);
}

void ListSearch::start(const ListNode& node, std::span<const double> facts) {
  where_ = node;
  node_.begin = node.begin;
  node_.end = node.end;
  node_.depth = node.depth;
  node_.key = node.key;
  node_.lower = node.lower;
  node_.upper = node.upper;
  if (!training_.plan.monotonic.empty()) node_.sums.assign(facts.begin(), facts.end());
  channels_.n_rows = node.n_rows();
  channels_.parent.clear();
  labels_.clear();
  NodeChannels::Output output;
  for (std::size_t k = 0; k < facts.size(); ++k) {
    channels_.is_present[k] = facts[k] > 0;
    channels_.channel[k] = 0;
    if (!(facts[k] > 0)) continue;
    channels_.channel[k] = static_cast<std::uint32_t>(channels_.parent.size());
    if (weighing_.counts())
      in_parent_[channels_.parent.size()] = static_cast<std::uint32_t>(facts[k]);
    channels_.parent.push_back(facts[k]);
    labels_.push_back(static_cast<std::uint32_t>(k));
    output.total += facts[k];
  }
  output.n_known = facts.size();
  output.n_classes = output.n_present = static_cast<int>(channels_.parent.size());
  channels_.outputs[0] = output;
  channels_.channels.n_channels = output.n_classes;
  cuts_.to_beat = minus_infinity;
  weighing_.by_row ? start_weights() : set_filter(channels_.parent);
}

/// Weights that are looked up: which lane of the sums a label adds to, and the filter.
void ListSearch::start_weights() {
  const std::size_t n_classes = channels_.parent.size();
  std::size_t n_lanes = 2;
  while (n_lanes < n_classes) n_lanes *= 2;
  for (auto* lanes : {&weight_left_, &weight_at_start_, &weight_missing_, &zero_, &weight_shares_,
                      &weight_factors_})
    lanes->assign(n_lanes, 0);
  const bool is_wide = n_lanes > most_lanes;
  is_class_.assign(is_wide ? 0 : channels_.channel.size() * n_lanes, 0);
  if (!is_wide)
    for (std::size_t k = 0; k < n_classes; ++k) is_class_[labels_[k] * n_lanes + k] = 1;
  rows_ = {lists_.weights(where_), is_wide ? 0 : static_cast<int>(n_lanes),
           is_class_.data(),       weight_left_.data(),
           weight_missing_.data(), zero_.data()};
  const DeviationBound bound = builtin_->bound;
  has_hulls_ = false;
  has_filter_ = bound && !is_wide;
  if (!has_filter_) return;
  const double total = channels_.outputs[0].total;
  double factors = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    const double in_parent = channels_.parent[k];
    weight_shares_[k] = in_parent / total;
    weight_factors_[k] = bound.factor(in_parent, total, static_cast<int>(n_classes),
                                      training_.target.unit, builtin_->settings);
    factors += weight_factors_[k];
  }
  weight_filter_ = {static_cast<int>(n_classes),
                    weight_shares_.data(),
                    weight_factors_.data(),
                    square_slack * factors * total * total,
                    total,
                    0};
}

void ListSearch::set_filter(std::span<const double> parent) {
  const DeviationBound bound = builtin_ ? builtin_->bound : DeviationBound();
  const double total = channels_.outputs[0].total;
  const int n_classes = channels_.size();
  const bool has_weights = weighing_.by_class();
  has_filter_ = false;
  has_hulls_ =
      criterion_.spares_cuts() && n_classes == 2 && total <= HullCall::most_weight && !has_weights;
  if (!bound || where_.n_rows() > most_exact) return;
  bool equal = true;
  double factors = 0;
  row_shares_.clear();
  for (std::size_t k = 0; k < parent.size(); ++k) {
    shares_[k] = static_cast<float>(parent[k] / total);
    factors_[k] = static_cast<float>(
        bound.factor(parent[k], total, n_classes, training_.target.unit, builtin_->settings));
    equal = equal && factors_[k] == factors_[0];
    factors += factors_[k];
    if (has_weights)
      row_shares_.push_back(static_cast<float>(weighing_.of_class[labels_[k]] / total));
  }
  has_filter_ = has_weights || n_classes <= kernels_.most_factors ||
                (equal && lists_.layout(where_.is_short).class_bits <= most_label_bits);
  const double whole = has_weights ? 1 : total,
               slack = whole * (has_weights ? weighted_slack(labels_.size()) : filter_slack);
  filter_ = {.n_classes = n_classes,
             .label = labels_.data(),
             .weight = has_weights ? row_shares_.data() : nullptr,
             .share = shares_.data(),
             .factor = factors_.data(),
             .equal_factors = equal,
             .slack = static_cast<float>(slack),
             .total_slack = static_cast<float>(slack * std::sqrt(factors)),
             .total = static_cast<float>(whole),
             .least = 0};
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
  const bool has_few_cuts = info.is_narrow();
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

ListSearch::Found ListSearch::look_at(std::uint32_t column, Split& split) {
  Walk walk = begin(column);
  if (walk.n == 0) return Found::constant;
  while (walk.right.next < walk.n) {
    walk.first = walk.right.next;
    std::copy_n(left_[0].begin(), labels_.size(), at_start_.begin());
    if (may_matter(walk, cuts_.to_beat)) score_block(walk);
  }
  if (walk.n_missing == 0 && walk.right.n_cuts == 0) return Found::constant;
  if (!walk.judge) return Found::nothing;
  split = walk.judge->result();
  cuts_.to_beat = std::max(cuts_.to_beat, surely_below(split.best));
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

/// Goes on by a block, if there is a filter.
bool ListSearch::may_matter(Walk& walk, double to_beat) {
  if (!has_filter_) return true;
  const double wanted = walk.judge ? std::max(to_beat, walk.judge->best()) : to_beat;
  const double least = std::max(-1.0, builtin_->bound.least(surely_below(wanted)) * filter_share);
  if (weighing_.by_row) {
    weight_filter_.least = least;
    std::ranges::copy(weight_left_, weight_at_start_.begin());
    const auto scan = where_.is_short ? kernels_.scan_weights_short : kernels_.scan_weights;
    const bool matters = scan(walk.right, rows_, weight_filter_);
    return matters || (walk.n_missing > 0 && walk.right.next == walk.n);
  }
  filter_.least = static_cast<float>(least);
  const auto scan = where_.is_short ? kernels_.scan_short : kernels_.scan;
  bool matters = scan(walk.right, filter_);
  if (walk.n_missing == 0) return matters;
  matters |= scan(walk.left, filter_);
  return matters || walk.right.next == walk.n;  // all values against the missing ones
}

}  // namespace ramify

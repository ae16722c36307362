// SPDX-License-Identifier: BSD-3-Clause
// Which cuts of a flagged list may matter, by the bound of the criterion; see docs/design/lists.md.
#include <algorithm>
#include <cmath>

#include "search/list_search.hpp"
#include "search/list_walk.hpp"

namespace ramify {
namespace {

/// `filter_slack` where classes have weights: each adds a rounded product to the sums.
constexpr double weighted_slack(std::size_t n_classes) {
  return (static_cast<double>(n_classes) + 16) / (1 << 23);
}
/// Of the square of a node's weight, times the sum of factors: more than a sum of squares loses
/// where weights are looked up.
constexpr double square_slack = 0x1p-40;
/// Classes side by side that kernels of such weights are made for.
constexpr std::size_t max_lanes = 32;
/// Rows that a float counts one by one.
constexpr double max_exact = 1 << 24;
/// Rows of a node of which it is written down what is needed for each number of them on the left.
constexpr std::uint32_t max_filled = 1 << 21;
/// What is needed is written anew when the score to reach has grown by this share, and a good part
/// of the node's rows was passed since: writing costs about as much as passing them.
constexpr double worth_filling = 1.0 / 32;
constexpr std::uint32_t partition_passed = 4;
constexpr std::size_t room_behind = 64;  // vectors read beyond the end

}  // namespace

/// Weights that are looked up: which lane of the sums a label adds to, and the filter.
void ListSearch::start_weights() {
  const std::size_t n_classes = channels_.parent.size();
  std::size_t n_lanes = 2;
  while (n_lanes < n_classes) n_lanes *= 2;
  for (auto* lanes : {&weight_left_, &weight_at_start_, &weight_missing_, &zero_, &weight_shares_,
                      &weight_factors_})
    lanes->assign(n_lanes, 0);
  const bool is_wide = n_lanes > max_lanes;
  is_class_.assign(is_wide ? 0 : channels_.channel.size() * n_lanes, 0);
  if (!is_wide)
    for (std::size_t k = 0; k < n_classes; ++k) is_class_[labels_[k] * n_lanes + k] = 1;
  rows_ = {lists_.weights(where_), is_wide ? 0 : static_cast<int>(n_lanes),
           is_class_.data(),       weight_left_.data(),
           weight_missing_.data(), zero_.data()};
  const DeviationBound& bound = builtin_->bound;
  has_hulls_ = false;
  has_filter_ = bound && bound.min && !bound.of_all_classes && !is_wide;
  if (!has_filter_) return;
  note_node();
  // These know sums of squares only: |a| + |b| + ... is at most the root of K times theirs.
  const double times =
      bound.norm == DeviationNorm::magnitudes ? static_cast<double>(n_classes) : 1.0;
  const double total = channels_.outputs[0].total;
  double factors = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    const double in_parent = channels_.parent[k];
    weight_shares_[k] = in_parent / total;
    const int own = static_cast<int>(k);
    weight_factors_[k] = times * bound.factor(bound_node_, own) *
                         (bound.bend ? 1 + bound.bend(bound_node_, own) : 1);
    factors += weight_factors_[k];
  }
  weight_filter_ = {static_cast<int>(n_classes),
                    weight_shares_.data(),
                    weight_factors_.data(),
                    square_slack * factors * total * total,
                    total,
                    0};
}

/// Tells the bound of the criterion about the node.
void ListSearch::note_node() {
  const DeviationBound& bound = builtin_->bound;
  bound_node_ = {.parent = channels_.parent.data(),
                 .n_classes = channels_.size(),
                 .total = channels_.outputs[0].total,
                 .unit = training_.target.unit,
                 .settings = &builtin_->settings,
                 .classes = labels_.data()};
  is_filled_ = bound.fill && weighing_.counts() && where_.n_rows() <= max_filled;
  filled_for_ = minus_infinity;
  if (is_filled_ && bound.fill_sides) {
    const std::size_t n = where_.n_rows() + 1;
    auto& sides = sides_[channels_.size()];
    if (sides.size() < 2 * n) {
      const std::size_t m = std::max(n, std::min<std::size_t>(sides.size(), max_filled));
      sides.resize(2 * m);
      bound.fill_sides(builtin_->settings, channels_.size(), static_cast<int>(m), sides.data());
    }
    bound_node_.sides = sides.data();
    bound_node_.terms = sides.data() + sides.size() / 2;
  }
  if (bound.find_statistics && (is_filled_ || bound.min)) bound.find_statistics(bound_node_);
}

void ListSearch::set_filter() {
  const double total = channels_.outputs[0].total;
  const int n_classes = channels_.size();
  const bool has_weights = weighing_.by_class();
  has_filter_ = false;
  has_hulls_ =
      criterion_.spares_cuts() && n_classes == 2 && total <= HullCall::max_weight && !has_weights;
  if (!builtin_ || !builtin_->bound || where_.n_rows() > max_exact) return;
  const DeviationBound& bound = builtin_->bound;
  note_node();
  if (!is_filled_ && !bound.min) return;
  DeviationNorm norm = bound.norm;
  const bool is_evidence = norm == DeviationNorm::evidence;
  if (is_evidence && (n_classes == 2 || n_classes > kernels_.max_factors)) return;
  if (bound.of_all_classes && (n_classes == 2 || has_weights)) return;
  double times = 1;
  if (n_classes > kernels_.max_factors && norm != DeviationNorm::squares) {
    if (norm == DeviationNorm::magnitudes) times = n_classes;
    norm = DeviationNorm::squares;  // which are no less
  }
  const bool are_roots = norm == DeviationNorm::magnitudes;
  // Where weights differ a factor does not bend: it is what it may become.
  const bool is_bent = bound.bend && !has_weights && !is_evidence;
  const bool is_cumulative = bound.is_cumulative && n_classes > 2;
  bool equal = norm == DeviationNorm::squares && !is_bent && !is_cumulative;
  double sum = 0, largest = 0, bend = 0, up_to = 0;
  row_shares_.clear();
  for (std::size_t k = 0; k < labels_.size(); ++k) {
    const int own = static_cast<int>(k);
    const double in_parent = channels_.parent[k],
                 own_bend = bound.bend ? bound.bend(bound_node_, own) : 0,
                 factor = times * bound.factor(bound_node_, own) * (has_weights ? 1 + own_bend : 1);
    up_to = (is_cumulative ? up_to : 0) + in_parent;
    shares_[k] = static_cast<float>(up_to / total);
    factors_[k] = static_cast<float>(are_roots ? std::sqrt(factor) : factor);
    bends_[k] = static_cast<float>(own_bend / in_parent);
    bend = std::max(bend, own_bend);
    if (is_evidence) {
      per_own_[k] = static_cast<float>(1 / (in_parent + own_bend));
      per_rest_[k] = static_cast<float>(1 / (total - in_parent + own_bend));
      weights_[k] = static_cast<float>(in_parent);
    }
    equal = equal && factors_[k] == factors_[0];
    sum += factors_[k];
    largest = std::max(largest, static_cast<double>(factors_[k]));
    if (has_weights)
      row_shares_.push_back(static_cast<float>(weighing_.of_class[labels_[k]] / total));
  }
  has_filter_ = has_weights || n_classes <= kernels_.max_factors ||
                (equal && lists_.layout(where_.is_short).class_bits <= max_label_bits);
  const double whole = has_weights ? 1 : total,
               slack = whole * (has_weights ? weighted_slack(labels_.size()) : filter_slack);
  const bool is_largest = norm == DeviationNorm::largest;
  const double both = are_roots ? sum * sum : is_largest ? largest : sum;  // squared
  filter_ = {.n_classes = n_classes,
             .norm = norm,
             .label = labels_.data(),
             .weight = has_weights ? row_shares_.data() : nullptr,
             .share = shares_.data(),
             .factor = factors_.data(),
             .equal_factors = equal,
             .is_cumulative = is_cumulative,
             .bend = is_bent ? bends_.data() : nullptr,
             .per_own = per_own_.data(),
             .per_rest = per_rest_.data(),
             .in_parent = weights_.data(),
             .adjust = is_evidence ? static_cast<float>(bend) : 0.0f,
             .both = static_cast<float>(both),
             .slack = static_cast<float>(slack),
             .total_slack = static_cast<float>(slack * std::sqrt(both) *
                                               (is_bent ? 2 * std::sqrt(1 + bend) : 1)),
             .total = static_cast<float>(whole),
             .min = 0};
}

/// The score that a cut must reach to matter.
double ListSearch::wanted(const Walk& walk) const {
  return walk.judge ? std::max(cuts_.to_beat, walk.judge->best()) : cuts_.to_beat;
}

/// The tie-break of the best so far, if its score is what is wanted.
double ListSearch::wanted_tie(const Walk& walk) const {
  if (!builtin_->bound.fill_tied) return minus_infinity;
  const double score = wanted(walk);
  double tie = minus_infinity;
  const auto note = [&](double own, double own_tie) {
    if (own >= score) tie = std::max(tie, own_tie);
  };
  note(lead_, lead_tie_);
  if (walk.judge) note(walk.judge->score(), walk.judge->tie_break());
  return tie;
}

/// What a deviation must be like, per n_L n_R, for a score.
double ListSearch::min_for(double score) const {
  if (!builtin_->bound.min) return -1;
  return std::max(-1.0, builtin_->bound.min(bound_node_, surely_below(score)) * filter_share);
}

/// Sets what the filter asks for.
void ListSearch::request_cuts(double score, double tie) {
  filter_.needed = nullptr;
  filter_.min = -1;
  if (score == minus_infinity) return;
  if (!is_filled_) {
    filter_.min = static_cast<float>(min_for(score));
    return;
  }
  const bool is_tied = builtin_->bound.fill_tied && tie > minus_infinity;
  const bool has_grown = !(score - filled_for_ <= worth_filling * std::abs(score)) ||
                         (is_tied && tie != filled_for_tie_);
  const bool is_first = filled_for_ == minus_infinity;
  if (is_first || (has_grown && partition_passed * n_passed_ >= where_.n_rows())) {
    n_passed_ = 0;
    filled_for_ = score;
    filled_for_tie_ = tie;
    const std::size_t n = where_.n_rows();
    needed_.resize(std::max(needed_.size(), n + room_behind));
    needed_floats_.resize(needed_.size());
    const RowRange rows{1, static_cast<int>(n)};
    if (is_tied)
      builtin_->bound.fill_tied(bound_node_, surely_below(score), surely_below(tie), rows,
                                needed_.data());
    else
      builtin_->bound.fill(bound_node_, surely_below(score), rows, needed_.data());
    for (std::size_t i = 1; i < n; ++i)
      needed_floats_[i] = static_cast<float>(needed_[i] * filter_share);
  }
  filter_.needed = needed_floats_.data();
}

CutSumsCall ListSearch::sums_call(const Walk& walk) {
  CutBlock& block = cuts_.block;
  return {channels_.size(), channels_.channel.data(), channels_.is_present.data(), valued_.data(),
          block.left,       block.rows_left,          walk.n_missing > 0};
}

/// Are all classes on both sides of where the walk is?
bool ListSearch::has_all_classes(const Walk& walk) const {
  if (walk.right.next == walk.n) return false;
  for (std::size_t k = 0; k < labels_.size(); ++k)
    if (left_[0][k] == 0 || left_[0][k] == in_parent_[k]) return false;
  return true;
}

/// Goes on by a block: are there cuts that may matter? They are in the block then.
bool ListSearch::find_cuts(Walk& walk) {
  CutBlock& block = cuts_.start(channels_.size());
  request_cuts(wanted(walk), wanted_tie(walk));
  const auto find = where_.is_short ? kernels_.find_cuts_short : kernels_.find_cuts;
  const std::uint32_t n_before = walk.right.n_cuts;
  const bool of_all = builtin_->bound.of_all_classes;
  if (of_all && !has_all_classes(walk)) request_cuts(minus_infinity);
  block.n_cuts = find(walk.right, filter_, sums_call(walk));
  if (of_all && !has_all_classes(walk) && filter_.min >= 0) {  // behind some cut a class ends
    walk.right.next = walk.first;
    walk.right.n_cuts = n_before;
    std::copy_n(at_start_.begin(), labels_.size(), left_[0].begin());
    request_cuts(minus_infinity);
    block.n_cuts = find(walk.right, filter_, sums_call(walk));
  }
  n_passed_ += walk.right.next - walk.first;
  is_dense_ = 2 * static_cast<std::uint32_t>(block.n_cuts) >= walk.right.n_cuts - n_before;
  return block.n_cuts > 0;
}

/// Goes on by a block, if there is a filter: may one of its cuts matter?
bool ListSearch::may_matter(Walk& walk) {
  if (!has_filter_) return true;
  if (weighing_.by_row) {
    weight_filter_.min = min_for(wanted(walk));
    std::ranges::copy(weight_left_, weight_at_start_.begin());
    const auto scan = where_.is_short ? kernels_.scan_weights_short : kernels_.scan_weights;
    const bool matters = scan(walk.right, rows_, weight_filter_);
    return matters || (walk.n_missing > 0 && walk.right.next == walk.n);
  }
  cuts_.start(channels_.size());
  request_cuts(builtin_->bound.of_all_classes ? minus_infinity : wanted(walk));
  const auto find = where_.is_short ? kernels_.find_cuts_short : kernels_.find_cuts;
  bool matters = find(walk.right, filter_, sums_call(walk)) > 0;
  matters |= find(walk.left, filter_, sums_call(walk)) > 0;
  return matters || walk.right.next == walk.n;  // all values against the missing ones
}

}  // namespace ramify

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
/// The same where rows have weights: each label adds a rounded product to the sums.
constexpr double weighted_slack(std::size_t n_labels) {
  return (static_cast<double>(n_labels) + 16) / (1 << 23);
}
/// Rows that a float counts one by one.
constexpr double most_exact = 1 << 24;

}  // namespace

ListSearch::ListSearch(const Training& training, const FlaggedLists& lists, const RowLabels& labels,
                       const ClassScores& scores)
    : training_(training),
      lists_(lists),
      row_labels_(labels),
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
  for (auto* counts : {&left_[0], &left_[1], &at_start_}) counts->resize(labels.n);
  in_parent_.resize(n);
  label_channel_.resize(labels.n);
  label_occurs_.resize(labels.n);
  shares_.resize(n);
  factors_.resize(n);
  counts_.resize(n);
  terms_.resize(2 * n);
  valued_.resize(labels.n);
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
    if (!row_labels_.has_weights())
      in_parent_[channels_.parent.size()] = static_cast<std::uint32_t>(facts[k]);
    channels_.parent.push_back(facts[k]);
    if (!row_labels_.has_weights()) labels_.push_back(static_cast<std::uint32_t>(k));
    output.total += facts[k];
  }
  output.n_known = facts.size();
  output.n_classes = output.n_present = static_cast<int>(channels_.parent.size());
  channels_.outputs[0] = output;
  channels_.channels.n_channels = output.n_classes;
  cuts_.to_beat = minus_infinity;
  if (row_labels_.has_weights()) start_labels();
  set_filter(channels_.parent);
}

void ListSearch::start_labels() {
  const double total = channels_.outputs[0].total;
  label_place_.clear();
  label_shares_.clear();
  for (std::uint32_t label = 0; label < row_labels_.n; ++label) {
    const std::uint32_t its_class = row_labels_.class_of[label];
    label_occurs_[label] = channels_.is_present[its_class];
    label_channel_[label] = 0;
    if (!label_occurs_[label]) continue;
    label_channel_[label] = static_cast<std::uint32_t>(labels_.size());
    labels_.push_back(label);
    label_place_.push_back(channels_.channel[its_class]);
    label_shares_.push_back(static_cast<float>(row_labels_.weight[label] / total));
  }
}

void ListSearch::set_filter(std::span<const double> parent) {
  const DeviationBound bound = builtin_ ? builtin_->bound : DeviationBound();
  const double total = channels_.outputs[0].total;
  const int n_classes = channels_.size();
  const bool has_weights = row_labels_.has_weights();
  has_filter_ = false;
  has_hulls_ =
      criterion_.spares_cuts() && n_classes == 2 && total <= HullCall::most_weight && !has_weights;
  if (!bound || where_.n_rows() > most_exact) return;
  bool equal = true;
  double factors = 0;
  for (std::size_t k = 0; k < parent.size(); ++k) {
    shares_[k] = static_cast<float>(parent[k] / total);
    factors_[k] = static_cast<float>(
        bound.factor(parent[k], total, n_classes, training_.target.unit, builtin_->settings));
    equal = equal && factors_[k] == factors_[0];
    factors += factors_[k];
  }
  has_filter_ = has_weights || n_classes <= kernels_.most_factors ||
                (equal && lists_.layout(where_.is_short).class_bits <= most_label_bits);
  const double whole = has_weights ? 1 : total,
               slack = whole * (has_weights ? weighted_slack(labels_.size()) : filter_slack);
  filter_ = {.n_classes = n_classes,
             .label = labels_.data(),
             .n_labels = static_cast<int>(labels_.size()),
             .weight = has_weights ? label_shares_.data() : nullptr,
             .place = label_place_.data(),
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

/// The rows without a value: how many have each label, and what each class of them weighs.
void ListSearch::note_missing(const Walk& walk) {
  const auto n_classes = static_cast<std::size_t>(channels_.size());
  const auto& channel = row_labels_.has_weights() ? label_channel_ : channels_.channel;
  std::fill_n(left_[1].begin(), labels_.size(), 0u);
  for (std::uint32_t i = walk.n; i < where_.n_rows(); ++i)
    ++left_[1][channel[walk.right.layout.label(lists_.item(where_, walk.items, i))]];
  cuts_.missing.assign(2 * n_classes, 0);
  for (std::size_t j = 0; j < labels_.size(); ++j)
    if (row_labels_.has_weights())
      cuts_.missing[label_place_[j]] += row_labels_.weight[labels_[j]] * left_[1][j];
    else
      cuts_.missing[j] = left_[1][j];
  count_valued(walk);
}

/// The rows with a value, by label.
void ListSearch::count_valued(const Walk& walk) {
  if (!row_labels_.has_weights()) {
    for (std::size_t k = 0; k < labels_.size(); ++k)
      valued_[k] = channels_.parent[k] - cuts_.missing[k];
    return;
  }
  std::fill_n(valued_.begin(), labels_.size(), 0.0);
  for (std::uint32_t i = 0; i < walk.n; ++i)
    ++valued_[label_channel_[walk.right.layout.label(lists_.item(where_, walk.items, i))]];
}

/// Makes class weights of a block's counts by label: sums of whole units, exact. Labels are
/// ascending by class, so that what is written has been read.
void ListSearch::weigh_labels(int n_cuts) {
  double* left = cuts_.block.left;
  std::size_t j = 0;
  for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(channels_.size()); ++k) {
    double* const own = left + k * CutBlock::stride;
    const std::size_t first = j;
    for (; j < labels_.size() && label_place_[j] == k; ++j) {
      const double weight = row_labels_.weight[labels_[j]];
      const double* const counts = left + j * CutBlock::stride;
      for (int i = 0; i < n_cuts; ++i) own[i] = (j == first ? 0.0 : own[i]) + weight * counts[i];
    }
  }
}

/// Goes on by a block, if there is a filter.
bool ListSearch::may_matter(Walk& walk, double to_beat) {
  if (!has_filter_) return true;
  const double wanted = walk.judge ? std::max(to_beat, walk.judge->best()) : to_beat;
  filter_.least = static_cast<float>(
      std::max(-1.0, builtin_->bound.least(surely_below(wanted)) * filter_share));
  const auto scan = where_.is_short ? kernels_.scan_short : kernels_.scan;
  bool matters = scan(walk.right, filter_);
  if (walk.n_missing == 0) return matters;
  matters |= scan(walk.left, filter_);
  return matters || walk.right.next == walk.n;  // all values against the missing ones
}

/// The block as keys: an item is given the number of cuts before it as its code.
std::uint32_t ListSearch::write_keys(Walk& walk) {
  const FlagLayout layout = walk.right.layout;
  if (keys_.size() < walk.n - walk.first + 1) keys_.resize(walk.n - walk.first + 1);
  std::uint32_t* keys = keys_.data();
  std::uint32_t code = 0;
  const auto write = [&]<class Item>(const Item* items) {
    const std::uint32_t n = walk.n, first = walk.first;
    std::uint32_t i = first;
    keys[0] = layout.label(items[i]);
    for (++i; i < n && code < CutBlock::capacity; ++i) {
      code += (items[i] & FlagLayout::flag<Item>) != 0;
      keys[i - first] = code << layout.class_bits | layout.label(items[i]);
    }
    return i;
  };
  std::uint32_t end = where_.is_short ? write(static_cast<const std::uint16_t*>(walk.items))
                                      : write(static_cast<const std::uint32_t*>(walk.items));
  std::uint32_t n_keys = end - walk.first;
  const bool is_full = code == CutBlock::capacity;
  if (!is_full && walk.n_missing > 0) keys[n_keys++] = (code + 1) << layout.class_bits;
  if (!has_filter_) {
    walk.right.n_cuts += code;
    walk.right.next = is_full ? end - 1 : walk.n;
    for (std::uint32_t i = 0; i + walk.first < walk.right.next; ++i)
      ++left_[0][channels_.channel[keys[i] & ((1u << layout.class_bits) - 1)]];
  }
  return n_keys;
}

void ListSearch::score_block(Walk& walk) {
  const auto n_classes = static_cast<std::size_t>(channels_.size());
  const bool has_weights = row_labels_.has_weights();
  if (has_filter_ && labels_.size() == 2) at_start_[0] = walk.first - at_start_[1];
  CutBlock& block = cuts_.start(static_cast<int>(labels_.size()));
  if (!walk.judge)
    walk.judge.emplace(training_, name_column(walk), ColumnRange{0, 0, walk.n_missing},
                       cuts_.missing);
  const bool by_sums = builtin_ && !has_weights && has_walk(*builtin_, scores_.tables()) &&
                       n_classes > 2 && !walk.info.is_narrow();
  const double top = by_sums ? score_sums(walk, write_keys(walk)) : score_sides(walk);
  if (block.n_cuts == 0 || top == minus_infinity) return;
  if (criterion_.has_tie_break()) {
    if (walk.judge->may_matter(top, cuts_.to_beat)) offer_with_ties(walk);
    return;
  }
  walk.judge->offer(block, top, cuts_.scores[0], walk.n_missing > 0 ? cuts_.scores[1] : nullptr,
                    cuts_.to_beat);
}

/// A judge asks of the codes beside a cut only whether rows without a value follow.
void ListSearch::note_last(const Walk& walk) {
  CutBlock& block = cuts_.block;
  for (int i = 0; i < block.n_cuts; ++i)
    block.next_code[i] = block.rows_left[i] == walk.n ? walk.info.n_codes() : 0;
}

/// Writes the class weights on the left of the cuts of a block.
void ListSearch::sum_block(Walk& walk) {
  const int n_classes = channels_.size();
  CutBlock& block = cuts_.block;
  FlagScan again = walk.right;  // without a filter nobody has gone along the block yet
  again.next = walk.first;
  again.left = at_start_.data();
  FlagScan& scan = has_filter_ ? again : walk.right;
  const bool has_weights = row_labels_.has_weights();
  const auto& channel = has_weights ? label_channel_ : channels_.channel;
  const auto& occurs = has_weights ? label_occurs_ : channels_.is_present;
  const auto sum = where_.is_short ? kernels_.sum_cuts_short : kernels_.sum_cuts;
  block.n_cuts = sum(scan, {static_cast<int>(labels_.size()), channel.data(), occurs.data(),
                            valued_.data(), block.left, block.rows_left, walk.n_missing > 0});
  if (block.n_cuts == 0) return;
  if (has_weights) weigh_labels(block.n_cuts);
  for (int k = 0; k < n_classes; ++k) {  // packs read beyond the end
    double* left = block.left + k * CutBlock::stride;
    std::fill(left + block.n_cuts, left + padded(block.n_cuts), left[block.n_cuts - 1]);
  }
  if (walk.n_missing > 0) note_last(walk);
}

/// Scores a block by the class weights on the left.
double ListSearch::score_sides(Walk& walk) {
  sum_block(walk);
  CutBlock& block = cuts_.block;
  if (block.n_cuts == 0) return minus_infinity;
  double *right = cuts_.scores[0], *left = cuts_.scores[1];
  const double top = score_left(walk, false, right);
  if (walk.n_missing == 0) return top;
  move_missing(block, true, cuts_.missing, channels_.size());
  return std::max(top, score_left(walk, true, left));
}

void ListSearch::score_cuts(const double* left, int n_cuts, double* scores) {
  if (builtin_) return scores_.score(*builtin_, builtin_->score, channels_, left, n_cuts, scores);
  const CutPiece piece{left, n_cuts};
  UserCuts(training_.target, classes_)
      .show(channels_, channels_.outputs[0], std::span(&piece, 1), batch_);
  ask_compiled(criterion_.compiled, criterion_.user_data, batch_, scores);
}

/// Scores the cuts of the block, as far as they may matter; the highest.
double ListSearch::score_left(const Walk& walk, bool missing_left, double* scores) {
  CutBlock& block = cuts_.block;
  const double wanted = std::max(cuts_.to_beat, walk.judge->best());
  // All values against the missing rows: nothing is on the right if these are on the left.
  const int n_all = block.n_cuts;
  if (missing_left && walk.judge->is_last(block, n_all - 1))
    scores[--block.n_cuts] = minus_infinity;
  if (block.n_cuts == 0) {
    block.n_cuts = n_all;
    return minus_infinity;
  }
  const double middle = block.rows_left[block.n_cuts / 2] + (missing_left ? walk.n_missing : 0);
  const HullCall hulls{block.left, channels_.parent.data(), block.n_cuts,
                       hull_chunk(middle, channels_.outputs[0].total), corners_};
  bool any = true;
  if (wanted > minus_infinity && has_hulls_ && block.n_cuts >= 2 * hulls.n_all_corners())
    any = score_chunks(hulls, wanted, scores);
  else
    score_cuts(block.left, block.n_cuts, scores);
  block.n_cuts = n_all;
  if (!any) {
    if (walk.n_missing > 0) std::fill_n(scores, n_all, minus_infinity);  // the other side may count
    return minus_infinity;
  }
  if (walk.n_missing == 0) note_last(walk);
  walk.judge->refuse(block, missing_left, scores);
  return kernels().largest(scores, block.n_cuts);
}

/// Scores those cuts of which the corners around them say that they may reach a score; the others
/// get none. Was there one?
bool ListSearch::score_chunks(const HullCall& hulls, double wanted, double* scores) {
  kernels().write_hulls(hulls);
  score_cuts(corners_, hulls.n_all_corners(), corner_scores_);
  const double least = surely_below(wanted) - hull_slack(wanted);
  const auto may_matter = [&](int chunk) {
    const double* corner = corner_scores_ + chunk * HullCall::n_corners;
    return !std::all_of(corner, corner + HullCall::n_corners + 1,
                        [&](double score) { return score < least && score > minus_infinity; });
  };
  bool any = false;
  for (int i = 0, n = hulls.n_chunks(); i < n; ++i) {
    if (!may_matter(i)) continue;
    if (!any) std::fill_n(scores, hulls.n_cuts, minus_infinity);
    const int begin = i * hulls.chunk;
    while (i + 1 < n && may_matter(i + 1)) ++i;
    score_cuts(hulls.left + begin, std::min(hulls.n_cuts, (i + 1) * hulls.chunk) - begin,
               scores + begin);
    any = true;
  }
  return any;
}

/// The same for criteria that settle ties by a second measure.
void ListSearch::offer_with_ties(Walk& walk) {
  CutBlock& block = cuts_.block;
  const auto score = [&](bool missing_left) {
    move_missing(block, missing_left, cuts_.missing, channels_.size());
    scores_.score(*builtin_, builtin_->tie_break, channels_, block.left, block.n_cuts,
                  cuts_.ties[missing_left]);
  };
  const bool has_left = walk.n_missing > 0;
  if (has_left) score(true);
  score(false);
  walk.judge->offer_with_ties(block, cuts_.scores[0], cuts_.ties[0],
                              has_left ? cuts_.scores[1] : nullptr, cuts_.ties[1]);
}

/// Scores a block by one sum per side, for criteria that see the classes so.
double ListSearch::score_sums(const Walk& walk, std::uint32_t n_keys) {
  const auto n_classes = static_cast<std::size_t>(channels_.size());
  CutBlock& block = cuts_.block;
  const auto score = [&](bool missing_left, double* scores) {
    const std::uint32_t n_before = missing_left ? walk.n_missing : 0;
    for (std::size_t k = 0; k < n_classes; ++k)
      counts_[k] = at_start_[k] + (missing_left ? static_cast<std::uint32_t>(cuts_.missing[k]) : 0);
    KeySumWalk keys{keys_.data(),
                    n_keys,
                    0,
                    false,
                    {0, 0, walk.right.layout.class_bits},
                    channels_.channel.data(),
                    channels_.size(),
                    channels_.parent.data(),
                    channels_.outputs[0].total,
                    walk.first + n_before,
                    in_parent_.data(),
                    counts_.data(),
                    terms_.data(),
                    terms_.data() + n_classes,
                    scores_.log_table(),
                    builtin_,
                    scores_.tables()};
    builtin_->walk_key_sums(keys, block, scores);
  };
  block.left = nullptr;
  double *right = cuts_.scores[0], *left = walk.n_missing > 0 ? cuts_.scores[1] : nullptr;
  if (left) score(true, left);
  score(false, right);
  if (block.n_cuts == 0) return minus_infinity;
  for (int i = 0; i < block.n_cuts; ++i) block.rows_left[i] += walk.first;
  note_last(walk);
  walk.judge->refuse(block, false, right);
  if (left) walk.judge->refuse(block, true, left);
  const double top = kernels().largest(right, block.n_cuts);
  return left ? std::max(top, kernels().largest(left, block.n_cuts)) : top;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// How a search along lists scores the blocks of cuts that may matter.
#include <algorithm>

#include "search/list_search.hpp"
#include "search/list_walk.hpp"

namespace ramify {

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

void ListSearch::judge(Walk& walk) {
  if (!walk.judge)
    walk.judge.emplace(training_, name_column(walk), ColumnRange{0, 0, walk.n_missing},
                       cuts_.missing);
}

/// Is a block scored by one sum per side?
bool ListSearch::has_sums(const Walk& walk) const {
  return builtin_ && weighing_.counts() && has_walk(*builtin_, scores_.tables()) &&
         channels_.size() > 2 && !walk.info.is_low_cardinality();
}

void ListSearch::score_block(Walk& walk) {
  if (has_filter_ && labels_.size() == 2) at_start_[0] = walk.first - at_start_[1];
  cuts_.start(static_cast<int>(labels_.size()));
  judge(walk);
  is_dense_ = true;
  offer(walk, has_sums(walk) ? score_sums(walk, write_keys(walk)) : score_sides(walk));
}

/// Scores the cuts of a block that were found to matter.
void ListSearch::score_found(Walk& walk) {
  CutBlock& block = cuts_.block;
  if (!has_sums(walk) || builtin_->has_integer_sums) {  // then sums are the same in any order
    judge(walk);
    end_sums(walk);
    offer(walk, score_left(walk, false, cuts_.scores[0]));
    return;
  }
  // The last digits of sums along a list depend on where they began: here scores only tell whether
  // the block is worth a walk.
  if (!is_dense_) {
    const double min = wanted(walk);
    end_sums(walk);
    score_cuts(block.left, block.n_cuts, cuts_.scores[0]);
    const double top = kernels().largest(cuts_.scores[0], block.n_cuts);
    if (top < surely_below(min) - hull_slack(min)) return;
  }
  score_block(walk);
}

/// Shows the scores of a block to the judge, the highest being `top`.
void ListSearch::offer(Walk& walk, double top) {
  const CutBlock& block = cuts_.block;
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
  CutBlock& block = cuts_.block;
  FlagScan again = walk.right;  // without a filter nobody has gone along the block yet
  again.next = walk.first;
  again.left = at_start_.data();
  FlagScan& scan = has_filter_ ? again : walk.right;
  const CutSumsCall call = sums_call(walk);
  const bool is_short = where_.is_short;
  RowWeights rows = rows_;
  if (has_filter_) rows.left = weight_at_start_.data();
  if (weighing_.by_row)
    block.n_cuts = (is_short ? kernels_.sum_weights_short : kernels_.sum_weights)(scan, call, rows);
  else
    block.n_cuts = (is_short ? kernels_.sum_cuts_short : kernels_.sum_cuts)(scan, call);
  if (block.n_cuts > 0) end_sums(walk);
}

/// What is left to do when the counts of a block's cuts are written.
void ListSearch::end_sums(const Walk& walk) {
  CutBlock& block = cuts_.block;
  if (weighing_.by_class()) weigh_classes(block.n_cuts);
  for (int k = 0; k < channels_.size(); ++k) {  // packs read beyond the end
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
  if (wanted > minus_infinity && has_hulls_ && is_dense_ &&
      block.n_cuts >= 2 * hulls.n_all_corners())
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
  const double min = surely_below(wanted) - hull_slack(wanted);
  const auto may_matter = [&](int chunk) {
    const double* corner = corner_scores_ + chunk * HullCall::n_corners;
    return !std::all_of(corner, corner + HullCall::n_corners + 1,
                        [&](double score) { return score < min && score > minus_infinity; });
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
                    scores_.tables(channels_.outputs[0])};
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

// SPDX-License-Identifier: BSD-3-Clause
#include "search/sorted_cuts.hpp"

#include <algorithm>

namespace ramify {
namespace {

/// Rows at least, and classes at most, that are counted in the bytes of a word.
constexpr std::uint32_t many_rows = 16, max_in_word = 8;

}  // namespace

SortedCuts::SortedCuts(const SortedLists& lists, const ListSegment& node,
                       const NodeChannels& channels, const Column& info, std::uint32_t column,
                       std::vector<double>& left)
    : info_(info),
      column_(column),
      items_(lists.items(node, column)),
      layout_(lists.layout()),
      n_(lists.n_valued(node, column)),
      n_missing_(node.n_rows() - n_),
      channel_(channels.channel.data()),
      weight_(lists.weights()),
      left_(left) {
  left.assign(static_cast<std::size_t>(channels.size()), 0);
}

void SortedCuts::add(std::uint32_t begin, std::uint32_t end, double* sums) const {
  if (weight_)
    for (std::uint32_t i = begin; i < end; ++i)
      sums[channel_[layout_.label(items_[i])]] += weight_[layout_.row(items_[i])];
  else if (end - begin >= many_rows && left_.size() <= max_in_word)
    add_words(begin, end, sums);
  else
    for (std::uint32_t i = begin; i < end; ++i) sums[channel_[layout_.label(items_[i])]] += 1;
}

/// A sum in memory must be stored before the next row of the class can be added; a word need not.
void SortedCuts::add_words(std::uint32_t begin, std::uint32_t end, double* sums) const {
  constexpr std::uint32_t max_count = 255;
  while (begin < end) {
    const std::uint32_t stop = begin + std::min(end - begin, max_count);
    std::uint64_t counts = 0;
    for (; begin < stop; ++begin)
      counts += std::uint64_t{1} << 8 * channel_[layout_.label(items_[begin])];
    for (std::size_t k = 0; k < left_.size(); ++k)
      sums[k] += static_cast<double>(counts >> 8 * k & 255);
  }
}

void SortedCuts::go_to(std::uint32_t place) {
  add(next_, place, left_.data());
  next_ = place;
}

void SortedCuts::sum_missing(double* sums) const { add(n_, n_ + n_missing_, sums); }

std::span<const std::uint32_t> SortedCuts::cuts_of_block(std::uint32_t* places,
                                                         std::uint32_t& end) const {
  std::uint32_t n_cuts = 0, i = next_;
  while (i + 1 < n_ && n_cuts < CutBlock::capacity) {  // no branch but the end
    const std::uint32_t stop = std::min(n_ - 1, i + CutBlock::capacity - n_cuts);
    while (i < stop) {
      places[n_cuts] = ++i;
      n_cuts += is_cut(i);
    }
  }
  end = n_cuts == CutBlock::capacity ? places[n_cuts - 1] : n_;
  if (n_cuts < CutBlock::capacity && n_missing_ > 0) places[n_cuts++] = n_;
  return {places, n_cuts};
}

std::uint32_t* SortedCuts::write_places(std::uint32_t begin, std::uint32_t end,
                                        std::uint32_t* places) const {
  for (std::uint32_t i = begin; i < std::min(end, n_); ++i) {
    *places = i;
    places += is_cut(i);
  }
  if (begin <= n_ && n_ < end && n_missing_ > 0) *places++ = n_;
  return places;
}

void SortedCuts::sum(std::span<const std::uint32_t> places, CutBlock& block) {
  block.n_cuts = static_cast<int>(places.size());
  std::ranges::copy(places, block.rows_left);
  const std::size_t n_classes = left_.size();
  if (n_classes == 2 && !weight_)
    count_second(places, block);
  else
    for (std::size_t i = 0; i < places.size(); ++i) {
      go_to(places[i]);
      for (std::size_t k = 0; k < n_classes; ++k) block.left[k * CutBlock::stride + i] = left_[k];
    }
  for (std::size_t k = 0; k < n_classes; ++k) {  // packs read beyond the end
    double* left = block.left + k * CutBlock::stride;
    std::fill(left + block.n_cuts, left + padded(block.n_cuts), left_[k]);
  }
}

/// Two classes: the second one tells of both.
void SortedCuts::count_second(std::span<const std::uint32_t> places, CutBlock& block) {
  auto seconds = static_cast<std::uint32_t>(left_[1]), at = next_;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (; at < places[i]; ++at) seconds += channel_[layout_.label(items_[at])];
    block.left[i] = static_cast<std::int32_t>(at - seconds);
    block.left[CutBlock::stride + i] = static_cast<std::int32_t>(seconds);
  }
  next_ = at;
  left_[0] = at - seconds;
  left_[1] = seconds;
}

std::uint32_t SortedCuts::write_keys(std::uint32_t end, std::vector<std::uint32_t>& keys) const {
  // The first row behind the last cut ends it.
  const std::uint32_t stop = std::min(end + 1, n_), n = stop - next_;
  if (keys.size() < n + 1) keys.resize(n + 1);
  std::uint32_t code = 0;
  keys[0] = layout_.label(items_[next_]);
  for (std::uint32_t i = 1; i < n; ++i) {
    code += is_cut(next_ + i);
    keys[i] = code << layout_.class_bits | layout_.label(items_[next_ + i]);
  }
  if (end < n_ || n_missing_ == 0) return n;
  keys[n] = (code + 1) << layout_.class_bits;
  return n + 1;
}

void SortedCuts::note_last(CutBlock& block) const {
  for (int i = 0; i < block.n_cuts; ++i)
    block.next_code[i] = block.rows_left[i] == n_ ? info_.n_codes() : 0;
}

CutScorer::CutScorer(const Training& training, const ClassScores& scores,
                     const ClassChannels& classes, const NodeChannels& channels)
    : training_(training),
      scores_(scores),
      classes_(classes),
      channels_(channels),
      criterion_(training.plan.criterion),
      builtin_(criterion_.builtin.get()) {
  const auto n = static_cast<std::size_t>(training.target.n_classes[0]);
  counts_.resize(n);
  in_parent_.resize(n);
  terms_.resize(2 * n);
}

void CutScorer::start(bool has_weights) {
  is_counted_ = !has_weights;
  const bool spares_cuts = builtin_
                               ? builtin_->quasi_convex || builtin_->info->is_quasi_convex_of_two
                               : criterion_.declared_quasi_convex;
  has_hulls_ = spares_cuts && channels_.size() == 2 && is_counted_ &&
               channels_.outputs[0].total <= HullCall::max_weight;
  if (is_counted_) std::ranges::copy(channels_.parent, in_parent_.begin());
}

/// Sums along the list cost a few additions a row, not a term a class and cut. Where they are exact
/// a cut may as well be scored by itself, which only pays if few are: if there is a bound.
bool CutScorer::has_key_sums(const Column& info) const {
  const int n_classes = channels_.size();
  return builtin_ && is_counted_ && has_walk(*builtin_, scores_.tables()) && n_classes > 2 &&
         !info.is_low_cardinality() &&
         (!builtin_->has_integer_sums || n_classes > SortedScan::max_classes);
}

void CutScorer::score(SortedCuts& cuts, CutBuffers& buffers, bool is_dense) {
  CutBlock& block = buffers.block;
  if (block.n_cuts == 0) return;
  cuts.note_last(block);
  double top = score_side(cuts, buffers, false, is_dense);
  if (cuts.n_missing() > 0) {
    move_missing(block, true, buffers.missing, channels_.size());
    top = std::max(top, score_side(cuts, buffers, true, is_dense));
  }
  offer(cuts, buffers, top);
}

void CutScorer::score_cuts(const double* left, int n_cuts, double* scores, double wanted) {
  if (builtin_)
    return scores_.score(*builtin_, builtin_->score, channels_, left, n_cuts, scores, wanted);
  const CutPiece piece{left, n_cuts};
  UserCuts(training_.target, classes_)
      .show(channels_, channels_.outputs[0], std::span(&piece, 1), batch_);
  ask_compiled(criterion_.compiled, criterion_.user_data, batch_, scores);
}

/// Scores the cuts of the block, as far as they may matter; the highest.
double CutScorer::score_side(const SortedCuts& cuts, CutBuffers& buffers, bool missing_left,
                             bool is_dense) {
  CutBlock& block = buffers.block;
  double* scores = buffers.scores[missing_left];
  const double wanted = std::max(buffers.to_beat, cuts.judge->best());
  // All values against the missing ones: nothing is on the right if these are on the left.
  const int n_all = block.n_cuts;
  if (missing_left && cuts.judge->is_last(block, n_all - 1))
    scores[--block.n_cuts] = minus_infinity;
  bool any = block.n_cuts > 0;
  if (any) {
    const double middle = block.rows_left[block.n_cuts / 2] + (missing_left ? cuts.n_missing() : 0);
    const HullCall hulls{block.left, channels_.parent.data(), block.n_cuts,
                         hull_chunk(middle, channels_.outputs[0].total), corners_};
    if (is_dense && wanted > minus_infinity && has_hulls_ &&
        block.n_cuts >= 2 * hulls.n_all_corners())
      any = score_chunks(hulls, wanted, scores);
    else
      score_cuts(block.left, block.n_cuts, scores, surely_below(wanted) - hull_slack(wanted));
  }
  block.n_cuts = n_all;
  if (!any) {
    std::fill_n(scores, n_all, minus_infinity);
    return minus_infinity;
  }
  cuts.judge->refuse(block, missing_left, scores);
  return kernels().largest(scores, block.n_cuts);
}

/// Scores those cuts of which the corners around them say that they may reach a score; the others
/// get none. Was there one?
bool CutScorer::score_chunks(const HullCall& hulls, double wanted, double* scores) {
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

void CutScorer::score_keys(SortedCuts& cuts, CutBuffers& buffers, std::uint32_t end) {
  const auto n_classes = static_cast<std::size_t>(channels_.size());
  CutBlock& block = buffers.start(channels_.size());
  const std::uint32_t n_keys = cuts.write_keys(end, keys_);
  const bool has_missing = cuts.n_missing() > 0;
  const auto score = [&](bool missing_left) {
    for (std::size_t k = 0; k < n_classes; ++k)
      counts_[k] =
          static_cast<std::uint32_t>(cuts.left()[k] + (missing_left ? buffers.missing[k] : 0));
    KeySumWalk keys{.items = keys_.data(),
                    .n = n_keys,
                    .next = 0,
                    .cut_at_end = false,
                    .layout = {0, 0, cuts.class_bits()},
                    .channel = channels_.channel.data(),
                    .n_classes = channels_.size(),
                    .parent = channels_.parent.data(),
                    .total = channels_.outputs[0].total,
                    .rows_before = cuts.next() + (missing_left ? cuts.n_missing() : 0),
                    .count_parent = in_parent_.data(),
                    .count_left = counts_.data(),
                    .term_left = terms_.data(),
                    .term_right = terms_.data() + n_classes,
                    .log_table = scores_.log_table(),
                    .criterion = builtin_,
                    .tables = scores_.tables(channels_.outputs[0])};
    builtin_->walk_key_sums(keys, block, buffers.scores[missing_left]);
  };
  block.left = nullptr;
  if (has_missing) score(true);
  score(false);
  if (block.n_cuts == 0) return;
  for (int i = 0; i < block.n_cuts; ++i) block.rows_left[i] += cuts.next();
  cuts.note_last(block);
  double top = minus_infinity;
  for (int side = 0; side <= has_missing; ++side) {
    cuts.judge->refuse(block, side == 1, buffers.scores[side]);
    top = std::max(top, kernels().largest(buffers.scores[side], block.n_cuts));
  }
  offer(cuts, buffers, top);
}

/// Shows the scores of a block to the judge, the highest being `top`.
void CutScorer::offer(SortedCuts& cuts, CutBuffers& buffers, double top) {
  if (top == minus_infinity) return;
  if (criterion_.has_tie_break()) {
    if (cuts.judge->may_matter(top, buffers.to_beat)) offer_with_ties(cuts, buffers);
    return;
  }
  const double* left = cuts.n_missing() > 0 ? buffers.scores[1] : nullptr;
  cuts.judge->offer(buffers.block, top, buffers.scores[0], left, buffers.to_beat);
}

/// The same for criteria that settle ties by a second measure.
void CutScorer::offer_with_ties(SortedCuts& cuts, CutBuffers& buffers) {
  CutBlock& block = buffers.block;
  const auto score = [&](bool missing_left) {
    move_missing(block, missing_left, buffers.missing, channels_.size());
    scores_.score(*builtin_, builtin_->tie_break, channels_, block.left, block.n_cuts,
                  buffers.ties[missing_left]);
  };
  const bool has_left = cuts.n_missing() > 0;
  if (has_left) score(true);
  score(false);
  cuts.judge->offer_with_ties(block, buffers.scores[0], buffers.ties[0],
                              has_left ? buffers.scores[1] : nullptr, buffers.ties[1]);
}

}  // namespace ramify

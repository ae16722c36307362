// SPDX-License-Identifier: BSD-3-Clause
#include "search/blocks.hpp"

#include <algorithm>
#include <optional>

#include "methods/central.hpp"

namespace ramify {
namespace {

/// Leaves but one cut in a block; false if there is none (-1).
bool keep_cut(CutBlock& block, int n_channels, int cut) {
  if (cut < 0) return false;
  for (int k = 0; k < n_channels; ++k) {
    double* left = block.left + k * CutBlock::stride;
    std::fill_n(left, padded(1), left[cut]);  // packs read beyond the end
  }
  block.rows_left[0] = block.rows_left[cut];
  if (block.is_supplied) block.supplied_left[0] = block.supplied_left[cut];
  block.code[0] = block.code[cut];
  block.next_code[0] = block.next_code[cut];
  block.n_cuts = 1;
  return true;
}

}  // namespace

Split BlockSearch::best(const NodeColumn& column, Scratch& scratch) const {
  scorer_.start(column, scratch.scores);
  std::optional<Judge> judge;
  const auto start = [&](const ColumnRange& range) {
    judge.emplace(training_, column, range, scratch.cuts.missing);
  };
  std::optional<CentralCuts> central;
  if (training_.plan.central_cuts && !training_.column(column.number).is_categorical)
    central.emplace(training_, column);
  const auto visit = [&](std::uint64_t n_missing) {
    if (central) central->keep(scratch.cuts.block, column.channels.size());
    if (scratch.cuts.block.n_cuts > 0) look_at(column, n_missing, *judge, scratch);
  };
  if (!each_cut(training_, column, scratch.categories, scratch.cuts, start, visit))
    return Split::constant();
  Split split = judge->result();
  const bool has_value = split.next_code < training_.column(column.number).n_codes();
  if (central && split.exists() && has_value) split.threshold = central->threshold(split);
  return split;
}

Split BlockSearch::bound(const NodeColumn& column, Scratch& scratch) const {
  scorer_.start(column, scratch.scores);
  std::optional<Judge> judge;
  Split found;
  const auto start = [&](const ColumnRange& range) {
    judge.emplace(training_, column, range, scratch.cuts.missing);
  };
  const auto visit = [&](std::uint64_t) {
    found.best = std::max(found.best, bound_of_block(column, *judge, scratch));
  };
  return each_block(training_, column, scratch.cuts, start, visit) ? found : Split::constant();
}

/// At least the highest score of the block.
double BlockSearch::bound_of_block(const NodeColumn& column, const Judge& judge,
                                   Scratch& scratch) const {
  const CutBlock& block = scratch.cuts.block;
  double* bounds = scratch.cuts.scores[0];
  scorer_.bound(column.channels, block, scratch.scores, bounds);
  judge.refuse(block, false, bounds);
  return kernels().largest(bounds, block.n_cuts);
}

double BlockSearch::min_that_matters(const Scratch& scratch) const {
  return finalists_.are_wanted() ? far_below(scratch.top.min()) : scratch.cuts.to_beat;
}

void BlockSearch::look_at(const NodeColumn& column, std::uint64_t n_missing, Judge& judge,
                          Scratch& scratch) const {
  const ChosenCriterion& criterion = training_.plan.criterion;
  CutBlock& block = scratch.cuts.block;
  if (judge.is_random() && !finalists_.are_wanted() && !criterion.composed)  // one will do
    if (!keep_cut(block, column.channels.size(), judge.random_cut(block))) return;
  if (scratch.scores.are_bounded) {
    double min = min_that_matters(scratch);
    if (!finalists_.are_wanted()) min = std::max(min, far_below(judge.best()));
    const double bound = bound_of_block(column, judge, scratch);
    if (bound < min || bound == minus_infinity) {
      scratch.scores.n_cuts_before += static_cast<std::size_t>(block.n_cuts);
      return;
    }
    scorer_.find_margins(column, block, scratch.cuts.scores[0], min, scratch.scores);
  }
  const Scored scored = score(column.channels, n_missing, judge, scratch);
  if (criterion.has_tie_break())
    offer_with_ties(column.channels, scored, judge, scratch);
  else
    offer(column.channels, scored, judge, scratch);
  scratch.scores.n_cuts_before += static_cast<std::size_t>(block.n_cuts);
}

/// Scores the cuts of the block, with the missing rows on the right, and on the left if there are
/// any.
BlockSearch::Scored BlockSearch::score(const NodeChannels& channels, std::uint64_t n_missing,
                                       const Judge& judge, Scratch& scratch) const {
  CutBuffers& cuts = scratch.cuts;
  CutBlock& block = cuts.block;
  const int n_cuts = block.n_cuts;
  double *right = cuts.scores[0], *left = n_missing > 0 ? cuts.scores[1] : nullptr;
  scorer_.score(channels, block, scratch.scores, right);
  judge.refuse(block, false, right);
  const double top = kernels().largest(right, n_cuts);
  if (!left) return {right, nullptr, top};
  move_missing(block, true, cuts.missing, channels.size());
  // The cut of all values against the missing rows leaves nothing on the right now; do not show it
  // to a user's code. refuse() gives it its score.
  if (!training_.plan.criterion.is_builtin() && judge.is_last(block, n_cuts - 1)) --block.n_cuts;
  if (block.n_cuts > 0) scorer_.score(channels, block, scratch.scores, left);
  block.n_cuts = n_cuts;
  judge.refuse(block, true, left);
  return {right, left, std::max(top, kernels().largest(left, n_cuts))};
}

void BlockSearch::offer(const NodeChannels& channels, const Scored& scored, Judge& judge,
                        Scratch& scratch) const {
  CutBuffers& cuts = scratch.cuts;
  if (finalists_.are_wanted()) {
    const auto keep = [&](bool missing_left, const double* scores) {
      move_missing(cuts.block, missing_left, cuts.missing, channels.size());
      finalists_.keep(judge,
                      {cuts.block, missing_left, scores, nullptr, scratch.scores.n_cuts_before},
                      channels.size(), scratch.top);
    };
    if (scored.left) keep(true, scored.left);
    keep(false, scored.right);
  }
  judge.offer(cuts.block, scored.top, scored.right, scored.left, cuts.to_beat);
}

void BlockSearch::offer_with_ties(const NodeChannels& channels, const Scored& scored, Judge& judge,
                                  Scratch& scratch) const {
  CutBuffers& cuts = scratch.cuts;
  const bool keeps = finalists_.are_wanted();
  // Spare the second measure where the first decides.
  if (!keeps && !judge.may_matter(scored.top, cuts.to_beat)) return;
  const auto score_side = [&](bool missing_left, const double* scores, double* ties) {
    move_missing(cuts.block, missing_left, cuts.missing, channels.size());
    scorer_.score_ties(channels, cuts.block, scratch.scores, ties);
    if (keeps)
      finalists_.keep(judge, {cuts.block, missing_left, scores, ties, scratch.scores.n_cuts_before},
                      channels.size(), scratch.top);
  };
  if (scored.left) score_side(true, scored.left, cuts.ties[1]);
  score_side(false, scored.right, cuts.ties[0]);
  judge.offer_with_ties(cuts.block, scored.right, cuts.ties[0], scored.left, cuts.ties[1]);
}

}  // namespace ramify

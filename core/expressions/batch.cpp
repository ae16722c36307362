// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/batch.hpp"

#include <algorithm>

namespace ramify {
/// Copies the used part of the block, not its full capacity: most blocks are small.
void CutBatches::Part::take(const CutBlock& from, int n_channels) {
  const int n = from.n_cuts;
  block.n_cuts = n;
  block.missing_moved = from.missing_moved;
  block.items = from.items;
  block.layout = from.layout;
  block.n_valued = from.n_valued;
  block.missing_code = from.missing_code;
  std::copy_n(from.rows_left, n, block.rows_left);
  block.is_supplied = from.is_supplied;
  if (from.is_supplied) std::copy_n(from.supplied_left, n, block.supplied_left);
  if (!from.items) {
    std::copy_n(from.code, n, block.code);
    std::copy_n(from.next_code, n, block.next_code);
  }
  left.resize(static_cast<std::size_t>(n_channels) * CutBlock::stride);
  block.left = left.data();
  for (int k = 0; k < n_channels; ++k)
    std::copy_n(from.left + k * CutBlock::stride, n, block.left + k * CutBlock::stride);
}

void CutBatches::add_part(std::size_t place, const CutBlock& block, bool missing_left) {
  if (parts_.size() == pool_.size()) pool_.emplace_back();
  Part& part = pool_[parts_.size()];
  part.place = place;
  part.first_cut = n_cuts_before_;
  part.missing_left = missing_left;
  part.take(block, channels_.size());
  parts_.push_back(&part);
  n_cuts_ += block.n_cuts;
}

void CutBatches::add(std::size_t place, CutBuffers& cuts, std::uint64_t n_missing) {
  CutBlock& block = cuts.block;
  add_part(place, block, false);
  if (n_missing > 0) {
    move_missing(block, true, cuts.missing, channels_.size());
    // The cut between all values and the missing ones now has an empty right side: skip it.
    const int n_shown = block.n_cuts;
    if (judges_[place]->is_last(block, n_shown - 1)) --block.n_cuts;
    if (block.n_cuts > 0) add_part(place, block, true);
    block.n_cuts = n_shown;
  }
  n_cuts_before_ += static_cast<std::size_t>(block.n_cuts);
  if (n_cuts_ >= batch_cuts) flush();
}

std::vector<Split> CutBatches::finish() {
  if (n_cuts_ > 0) flush();
  std::vector<Split> found(judges_.size());
  for (std::size_t place = 0; place < judges_.size(); ++place)
    found[place] = judges_[place] ? judges_[place]->result() : Split::constant();
  return found;
}

void CutBatches::flush() {
  judge(score());
  parts_.clear();
  n_cuts_ = 0;
}

CutBatches::Scores CutBatches::score() const {
  const ChosenCriterion& criterion = training_.plan.criterion;
  std::vector<CutPiece> pieces;
  for (const Part* part : parts_) pieces.push_back({part->block.left, part->block.n_cuts});
  const auto n = static_cast<std::size_t>(n_cuts_);
  Scores all{std::vector<double>(n), std::vector<double>(criterion.has_tie_break() ? n : 0)};
  std::vector<double> scores(n);
  const auto add_to = [&](std::vector<double>& mean) {
    for (std::size_t i = 0; i < n; ++i)
      mean[i] += scores[i] / static_cast<double>(channels_.outputs.size());
  };
  for (const auto& output : channels_.outputs) {
    if (output.n_present < 2) continue;
    CutBatch batch;
    users_.show(channels_, output, pieces, batch);
    if (!all.ties.empty()) {
      criterion.interpreted_tie_break(CutBatch(batch), scores.data());
      add_to(all.ties);
    }
    criterion.interpreted(std::move(batch), scores.data());
    add_to(all.scores);
  }
  return all;
}

void CutBatches::judge(const Scores& all) {
  std::ptrdiff_t at = 0;
  // The two copies of a block differ by the cut between all values and the missing ones, which is
  // scored once.
  const auto scores_of = [&](const std::vector<double>& from, const Part& part, int n_cuts) {
    if (from.empty()) return std::vector<double>();
    std::vector<double> scores(from.begin() + at, from.begin() + at + part.block.n_cuts);
    scores.resize(static_cast<std::size_t>(n_cuts), minus_infinity);
    return scores;
  };
  const auto look_at = [&](const Part& part, int n_cuts) {
    Scores own{scores_of(all.scores, part, n_cuts), scores_of(all.ties, part, n_cuts)};
    const Judge& judge = *judges_[part.place];
    judge.refuse(part.block, part.missing_left, own.scores.data());
    if (finalists_ && finalists_->are_wanted())
      finalists_->keep(judge,
                       {part.block, part.missing_left, own.scores.data(),
                        own.ties.empty() ? nullptr : own.ties.data(), part.first_cut},
                       channels_.size(), *top_);
    at += part.block.n_cuts;
    return own;
  };
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = *parts_[i];
    const int n_cuts = part.block.n_cuts;
    Scores right = look_at(part, n_cuts), left;
    if (i + 1 < parts_.size() && parts_[i + 1]->missing_left) left = look_at(*parts_[++i], n_cuts);
    const double* left_scores = left.scores.empty() ? nullptr : left.scores.data();
    Judge& judge = *judges_[part.place];
    if (!all.ties.empty()) {
      judge.offer_with_ties(part.block, right.scores.data(), right.ties.data(), left_scores,
                            left.ties.data());
      continue;
    }
    double top = kernels().largest(right.scores.data(), n_cuts);
    if (left_scores) top = std::max(top, kernels().largest(left_scores, n_cuts));
    judge.offer(part.block, top, right.scores.data(), left_scores, minus_infinity);
  }
}

}  // namespace ramify

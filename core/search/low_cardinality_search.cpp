// SPDX-License-Identifier: BSD-3-Clause
#include "search/low_cardinality_search.hpp"

#include <algorithm>
#include <bit>

namespace ramify {

LowCardinalitySearch::LowCardinalitySearch(const Training& training, const IndexedRows& rows,
                                           const ClassScores& scores)
    : training_(training),
      rows_(rows),
      scores_(scores),
      criterion_(*training.plan.criterion.builtin),
      whole_(integer_kernels().of(criterion_.info->name)),
      stride_(CellCall::stride_for(training.target.n_all_classes())),
      limits_(tried_limits(training.plan)) {
  const std::size_t n = training.target.n_all_classes();
  channels_.channel.resize(n);
  channels_.is_present.resize(n);
  channels_.outputs.resize(1);
  channels_.channels.channel = channels_.channel.data();
  in_parent_.resize(n);
  class_masks_.resize(n);
  running_.resize(n);
  parent_.resize(static_cast<std::size_t>(stride_));
}

void LowCardinalitySearch::start(const NodeQuery& node, std::span<const double> statistics) {
  where_ = node;
  labels_.clear();
  total_ = 0;
  double squares = 0;
  for (std::size_t k = 0; k < statistics.size(); ++k) {
    const auto n = static_cast<std::uint32_t>(statistics[k]);
    parent_[k] = static_cast<std::uint16_t>(n);
    if (n == 0) continue;
    in_parent_[labels_.size()] = n;
    if (node.mask != 0) class_masks_[labels_.size()] = masks_.rows_of(k) & node.mask;
    labels_.push_back(static_cast<std::uint32_t>(k));
    total_ += statistics[k];
    squares += statistics[k] * statistics[k];
  }
  constexpr double rounding = 1e-13;
  if (whole_) max_ = whole_->max(total_, squares) + rounding;
  best_ = {};
  cuts_.to_beat = minus_infinity;
  if (!whole_ || total_ > CellCall::max_weight) start_channels(statistics);
}

void LowCardinalitySearch::start_channels(std::span<const double> statistics) {
  node_.begin = where_.begin;
  node_.end = where_.end;
  node_.depth = where_.depth;
  channels_.parent.clear();
  for (std::size_t k = 0; k < statistics.size(); ++k) {
    channels_.is_present[k] = statistics[k] > 0;
    channels_.channel[k] = 0;
  }
  for (const std::uint32_t label : labels_) {
    channels_.channel[label] = static_cast<std::uint32_t>(channels_.parent.size());
    channels_.parent.push_back(statistics[label]);
  }
  NodeChannels::Output output;
  output.total = total_;
  output.n_classes = output.n_present = static_cast<int>(labels_.size());
  channels_.outputs[0] = output;
  channels_.channels.n_channels = output.n_classes;
  channels_.n_rows = where_.end - where_.begin;
}

bool LowCardinalitySearch::look_at(std::uint32_t column, const std::uint16_t* cells) {
  const bool is_integer = whole_ && (where_.mask != 0 || cells);
  const Seen seen = is_integer ? look_at_integer_sums(column, cells) : look_at_sums(column, cells);
  if (seen == Seen::scored) offer(column);
  return seen != Seen::constant;
}

/// Looks at the scores of a column, and keeps its best cut if it wins against those before.
void LowCardinalitySearch::offer(std::uint32_t column) {
  const CutBlock& block = cuts_.block;
  double* const scores = cuts_.scores[0];
  if (limits_.any()) {
    const auto all = static_cast<std::uint32_t>(total_);
    for (int i = 0; i < block.n_cuts; ++i)
      if (!limits_.allow(block.rows_left[i], all, block.rows_left[i], total_))
        scores[i] = minus_infinity;
  }
  const double top = kernels().largest(scores, block.n_cuts);
  if (!(top > minus_infinity) || top < cuts_.to_beat) return;
  check_finite(training_.plan, node_, top);
  cuts_.to_beat = std::max(cuts_.to_beat, surely_below(top));
  if (has_best() && !wins(top, minus_infinity, best_.best, minus_infinity)) return;
  best_ = {.column = static_cast<int>(column)};
  const int i =
      take_lead(top, scores, nullptr, block.n_cuts, minus_infinity, best_.best, best_.score).cut;
  best_.code = block.code[i];
  best_.next_code = block.code[i + 1];
}

Split LowCardinalitySearch::best() const {
  Split split;
  if (!has_best()) return split;
  split.column = best_.column;
  split.score = best_.score;
  split.best = best_.best;
  split.code = best_.code;
  split.next_code = best_.next_code;
  set_threshold(training_.plan, training_.table.columns[static_cast<std::size_t>(split.column)],
                split);
  return split;
}

/// By integers.
Seen LowCardinalitySearch::look_at_integer_sums(std::uint32_t column, const std::uint16_t* cells) {
  CutBlock& block = cuts_.block;
  if (where_.mask == 0)
    return whole_->walk_cells({cells, stride_, training_.table.columns[column].n_codes(),
                               parent_.data(), total_, cuts_.to_beat},
                              block, cuts_.scores[0]);
  const MaskBlock::Cuts& cuts = masks_.cuts(column);
  return whole_->walk_masks(
      {cuts.up_to.data(), cuts.code.data(), cuts.n, where_.mask, class_masks_.data(),
       in_parent_.data(), static_cast<int>(labels_.size()), total_, cuts_.to_beat},
      block, cuts_.scores[0]);
}

/// By the class weights on the left, which every criterion knows.
Seen LowCardinalitySearch::look_at_sums(std::uint32_t column, const std::uint16_t* cells) {
  const std::uint32_t n_codes = training_.table.columns[column].n_codes();
  CutBlock& block = cuts_.start(channels_.size());
  block.n_cuts = 0;
  if (where_.mask != 0) {
    add_masks(column);
  } else if (cells) {
    add_codes(cells, stride_, n_codes);
  } else {
    count_large(column);
    add_codes(large_.data(), static_cast<int>(channels_.channel.size()), n_codes);
  }
  if (block.n_cuts == 0) return Seen::constant;
  for (int k = 0; k < channels_.size(); ++k) {  // packs read beyond the end
    double* left = block.left + k * CutBlock::stride;
    std::fill(left + block.n_cuts, left + padded(block.n_cuts), left[block.n_cuts - 1]);
  }
  scores_.score(criterion_, criterion_.score, channels_, block.left, block.n_cuts, cuts_.scores[0]);
  return Seen::scored;
}

/// Notes the codes that occur and what lies up to each, by class.
template <class Cell>
void LowCardinalitySearch::add_codes(const Cell* cells, int stride, std::uint32_t n_codes) {
  CutBlock& block = cuts_.block;
  const auto n_classes = static_cast<std::size_t>(channels_.size());
  std::fill_n(running_.begin(), n_classes, 0.0);
  std::uint32_t n_left = 0;
  int m = 0;
  for (std::uint32_t code = 0; code < n_codes; ++code, cells += stride) {
    std::uint32_t n = 0;
    for (const std::uint32_t label : labels_) n += cells[label];
    if (n == 0) continue;
    n_left += n;
    for (std::size_t k = 0; k < n_classes; ++k)
      block.left[k * CutBlock::stride + static_cast<std::size_t>(m)] = running_[k] +=
          cells[labels_[k]];
    block.rows_left[m] = n_left;
    block.code[m++] = code;
  }
  block.n_cuts = m - 1;  // behind the last code there is no cut
}

void LowCardinalitySearch::add_masks(std::uint32_t column) {
  CutBlock& block = cuts_.block;
  const MaskBlock::Cuts& cuts = masks_.cuts(column);
  std::uint64_t before = 0;
  int m = 0;
  for (int i = 0; i < cuts.n && before != where_.mask; ++i) {
    const std::uint64_t rows = cuts.up_to[static_cast<std::size_t>(i)] & where_.mask;
    if (rows == before) continue;
    before = rows;
    for (int k = 0; k < channels_.size(); ++k)
      block.left[k * CutBlock::stride + m] =
          std::popcount(rows & class_masks_[static_cast<std::size_t>(k)]);
    block.rows_left[m] = static_cast<std::uint32_t>(std::popcount(rows));
    block.code[m++] = cuts.code[static_cast<std::size_t>(i)];
  }
  block.n_cuts = m - 1;
}

/// Counts that sixteen bits do not hold.
void LowCardinalitySearch::count_large(std::uint32_t column) {
  const ItemLayout layout = rows_.layout();
  const std::size_t n_classes = channels_.channel.size();
  const CodeRecords& records = rows_.records();
  const std::uint32_t unit = layout.times_bits == 0;
  large_.assign(training_.table.columns[column].n_codes() * n_classes, 0);
  const auto* const codes = static_cast<const std::uint8_t*>(records.codes) + column;
  for (const RowIndex& row_index : where_.row_indices)
    large_[codes[row_index.row * records.n_columns] * n_classes + layout.label(row_index.low)] +=
        layout.times(row_index.low) + unit;
}

}  // namespace ramify

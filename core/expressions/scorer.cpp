// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/scorer.hpp"

#include <algorithm>
#include <tuple>

namespace ramify {
namespace {

CutSums sums_of(const CutBlock& block) {
  return {block.left, CutBlock::stride, static_cast<std::size_t>(block.n_cuts)};
}

}  // namespace

void Scorer::start(const NodeColumn& column, ScoreBuffers& buffers) const {
  buffers.n_cuts_before = 0;
  buffers.are_bounded = false;
  if (!criterion_.composed) return;
  if (structure_.bounded_step() >= 0 && !buffers.node_rows->limits.classes.empty()) {
    buffers.are_bounded = true;
    buffers.column.margins.reset();
    buffers.score_values.resize(criterion_.composed->score.size());
    return;
  }
  structure_.at_cuts(criterion_.composed->score, column.node, *buffers.node_rows, column.number,
                     buffers.column, buffers.score_values);
  structure_.at_cuts(criterion_.composed->tie, column.node, *buffers.node_rows, column.number,
                     buffers.column, buffers.tie_values);
}

void Scorer::score(const NodeChannels& channels, const CutBlock& block, ScoreBuffers& buffers,
                   double* scores) const {
  if (criterion_.numeric)
    return score_regression(criterion_, channels, block.left, block.n_cuts, scores);
  if (criterion_.is_builtin())
    return scores_.score(*criterion_.builtin, criterion_.builtin->score, channels, block.left,
                         block.n_cuts, scores);
  if (criterion_.composed)
    return evaluator_.evaluate(criterion_.composed->score, channels, sums_of(block),
                               {buffers.score_values, buffers.first_value()}, scores);
  mean_of_outputs(channels, block.n_cuts, scores, [&](const auto& output, double* out) {
    const CutPiece piece{block.left, block.n_cuts};
    users_.show(channels, output, std::span(&piece, 1), buffers.batch);
    ask_compiled(criterion_.compiled, criterion_.user_data, buffers.batch, out);
  });
}

void Scorer::bound(const NodeChannels& channels, const CutBlock& block, ScoreBuffers& buffers,
                   double* bounds) const {
  const auto s = static_cast<std::size_t>(structure_.bounded_step());
  const Expression& expression = criterion_.composed->score;
  const MarginKind kind = margin_kind(expression[s]);
  const auto& [space, limits] = std::tie(buffers.node_rows->space, buffers.node_rows->limits);
  const WeighedCuts cuts{block.left, CutBlock::stride, static_cast<std::size_t>(block.n_cuts),
                         unit_};
  std::vector<double>& found = buffers.score_values[s];
  found.resize(cuts.n_cuts);
  const auto n = static_cast<std::uint32_t>(space.n_rows());
  buffers.column.bounds.find(
      space, limits, kind, cuts, block.rows_left, block.items ? MarginBounds::few_of(n) : 0,
      [&](std::uint32_t place) { return structure_.row_at(block.items, place); }, found.data());
  evaluator_.evaluate(expression, channels, sums_of(block), {buffers.score_values}, bounds);
}

void Scorer::find_margins(const NodeColumn& column, const CutBlock& block, const double* bounds,
                          double min, ScoreBuffers& buffers) const {
  const auto s = static_cast<std::size_t>(structure_.bounded_step());
  if (!buffers.column.margins)
    structure_.start_margins(criterion_.composed->score[s], column.node, *buffers.node_rows,
                             column.number, buffers.column);
  int cuts[CutBlock::capacity];
  std::uint32_t n_left[CutBlock::capacity];
  double margins[CutBlock::capacity];
  std::size_t n = 0;
  for (int i = 0; i < block.n_cuts; ++i) {
    cuts[n] = i;
    n_left[n] = block.rows_left[i];
    n += bounds[i] >= min;
  }
  buffers.column.margins->margins({n_left, n}, margins);
  for (std::size_t i = 0; i < n; ++i)
    buffers.score_values[s][static_cast<std::size_t>(cuts[i])] = margins[i];
}

void Scorer::score_ties(const NodeChannels& channels, const CutBlock& block, ScoreBuffers& buffers,
                        double* ties) const {
  if (criterion_.composed)
    return evaluator_.evaluate(criterion_.composed->tie, channels, sums_of(block),
                               {buffers.tie_values, buffers.n_cuts_before}, ties);
  scores_.score(*criterion_.builtin, criterion_.builtin->tie_break, channels, block.left,
                block.n_cuts, ties);
}

void Scorer::score_sides(const NodeChannels& channels, double* left, int n_ways,
                         double* scores) const {
  for (int k = 0; k < channels.size(); ++k) {  // packs read beyond the end
    double* way = left + k * CutBlock::stride;
    std::fill(way + n_ways, way + padded(n_ways), way[n_ways - 1]);
  }
  if (criterion_.numeric) return score_regression(criterion_, channels, left, n_ways, scores);
  if (criterion_.is_builtin())
    return scores_.score(*criterion_.builtin, criterion_.builtin->score, channels, left, n_ways,
                         scores);
  if (criterion_.composed) {
    const CutSums sums{left, CutBlock::stride, static_cast<std::size_t>(n_ways)};
    return evaluator_.evaluate(criterion_.composed->score, channels, sums, {StepValues()}, scores);
  }
  const CutPiece piece{left, n_ways};
  CutBatch batch;
  users_.show(channels, channels.outputs[0], std::span(&piece, 1), batch);
  if (criterion_.interpreted)
    criterion_.interpreted(std::move(batch), scores);
  else
    ask_compiled(criterion_.compiled, criterion_.user_data, batch, scores);
}

}  // namespace ramify

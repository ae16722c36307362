// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "select/ties.hpp"
#include "simd/clones.hpp"

namespace ramify {
namespace {

void normalise(Normalise how, std::span<double> x) {
  const auto [low, high] = std::ranges::minmax(x);
  const bool are_equal = high - low <= tolerance(high);  // up to rounding
  for (double& value : x) {
    if (how == Normalise::by_max)
      value = std::abs(high) > 1e-12 ? value / high : 0;
    else if (how == Normalise::by_range)
      value = are_equal ? 1 : (value - low) / (high - low);
    else
      value = value != 0 ? low / value : 1;
  }
}

RAMIFY_CLONES void add_values(double* __restrict x, const double* __restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] += y[i];
}
RAMIFY_CLONES void multiply_values(double* __restrict x, const double* __restrict y,
                                   std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] *= y[i];
}
RAMIFY_CLONES void keep_lower(double* __restrict x, const double* __restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = y[i] < x[i] ? y[i] : x[i];
}
RAMIFY_CLONES void refuse_no_regression(double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = x[i] == x[i] ? x[i] : minus_infinity;
}
RAMIFY_CLONES void write_scores(const double* __restrict lowest, const double* __restrict x,
                                std::size_t n, double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = (lowest[i] == minus_infinity) | (x[i] != x[i]) ? minus_infinity : x[i];
}

/// The sums of candidates, channel by channel.
std::vector<double> sums_of(std::span<const Candidate> candidates, int n_channels) {
  const std::size_t n = candidates.size();
  std::vector<double> sums(n * static_cast<std::size_t>(n_channels));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < candidates[i].left.size(); ++k)
      sums[k * n + i] = candidates[i].left[k];
  return sums;
}

/// Scores some cuts of a block with a user's criterion.
void score_by_user(const ExpressionStep& step, CutBatch&& batch, double* scores) {
  if (step.kind == ExpressionStep::Kind::function)
    step.function(std::move(batch), scores);
  else
    ask_compiled(step.compiled, step.user_data, batch, scores);
}

}  // namespace

void Evaluator::evaluate(const Expression& expression, const NodeChannels& channels,
                         const CutSums& sums, const FoundValues& found, double* out) const {
  const std::size_t n_cuts = sums.n_cuts, stride = n_cuts + 8;  // packs write beyond
  if (expression.size() == 1 && expression[0].kind == ExpressionStep::Kind::criterion) {
    score_criterion(expression[0], channels, sums, out);
    return refuse_no_regression(out, n_cuts);
  }
  double near[8 * CutBlock::stride];  // most expressions are small
  std::unique_ptr<double[]> far;
  if ((expression.size() + 1) * stride > std::size(near))
    far = std::make_unique_for_overwrite<double[]>((expression.size() + 1) * stride);
  double* const lowest = far ? far.get() : near;  // minus infinity: the criterion rejects the cut
  std::fill_n(lowest, n_cuts, -minus_infinity);
  std::size_t depth = 0;  // of the stack, whose values follow
  const auto values_at = [&](std::size_t place) { return lowest + (place + 1) * stride; };
  for (std::size_t s = 0; s < expression.size(); ++s) {
    const ExpressionStep& step = expression[s];
    using Kind = ExpressionStep::Kind;
    if (step.kind == Kind::add || step.kind == Kind::multiply) {
      --depth;
      (step.kind == Kind::add ? add_values : multiply_values)(values_at(depth - 1),
                                                              values_at(depth), n_cuts);
      continue;
    }
    if (step.kind == Kind::normalise) {
      normalise(step.how, std::span(values_at(depth - 1), n_cuts));
      continue;
    }
    double* const values = values_at(depth++);
    if (step.kind == Kind::number) {
      std::fill_n(values, n_cuts, step.number);
    } else if (step.kind == Kind::criterion || step.kind == Kind::compiled ||
               step.kind == Kind::function) {
      score_criterion(step, channels, sums, values);
      keep_lower(lowest, values, n_cuts);
    } else if (looks_at_rows(step)) {
      std::copy_n(found.values[s].begin() + static_cast<std::ptrdiff_t>(found.first), n_cuts,
                  values);
    } else if (step.kind == Kind::measure) {
      measure_sums(step, channels, n_extra_, sums, values);
    }
  }
  write_scores(lowest, values_at(0), n_cuts, out);
}

std::vector<double> Evaluator::evaluate(const Expression& expression, const Node& node,
                                        const NodeChannels& channels, const NodeRows& rows,
                                        std::span<const Candidate> candidates) const {
  const std::size_t n = candidates.size();
  std::vector<double> values(n);
  if (n == 0) return values;
  const auto sums = sums_of(candidates, channels.size());
  const auto found = structure_.at_candidates(expression, node, rows, candidates);
  evaluate(expression, channels, {sums.data(), n, n}, {found}, values.data());
  return values;
}

/// Scores some cuts with a built-in or a user's criterion, as many at a time as a block holds.
void Evaluator::score_criterion(const ExpressionStep& step, const NodeChannels& channels,
                                const CutSums& sums, double* out) const {
  const auto score = [&](const double* left, int n, double* scores) {
    if (step.kind == ExpressionStep::Kind::criterion)
      return scores_.score(*step.criterion, step.criterion->score, channels, left, n, scores);
    mean_of_outputs(channels, n, scores, [&](const NodeChannels::Output& output, double* to) {
      const CutPiece piece{left, n};
      CutBatch batch;
      users_.show(channels, output, std::span(&piece, 1), batch);
      score_by_user(step, std::move(batch), to);
    });
  };
  if (sums.stride == CutBlock::stride && sums.n_cuts <= CutBlock::capacity)
    return score(sums.left, static_cast<int>(sums.n_cuts), out);
  double scores[CutBlock::stride];
  const int n_channels = channels.size();
  std::vector<double> block(static_cast<std::size_t>(n_channels) * CutBlock::stride);
  for (std::size_t begin = 0; begin < sums.n_cuts; begin += CutBlock::capacity) {
    const auto n = static_cast<int>(std::min<std::size_t>(CutBlock::capacity, sums.n_cuts - begin));
    for (int k = 0; k < n_channels; ++k) {
      double* to = block.data() + k * CutBlock::stride;
      std::copy_n(sums.left + static_cast<std::size_t>(k) * sums.stride + begin, n, to);
      std::fill(to + n, to + CutBlock::stride, to[n - 1]);  // packs read beyond the end
    }
    score(block.data(), n, scores);
    std::copy_n(scores, n, out + begin);
  }
}

}  // namespace ramify

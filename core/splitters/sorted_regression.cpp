// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/sorted_regression.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "regression/scores.hpp"
#include "select/judge.hpp"
#include "util/exact_sum.hpp"

namespace ramify {
namespace {

/// Steps that a row of weight one deviates by at most: sixteen of them fit 32 bits.
constexpr double max_steps = 1 << 26;
/// What floats keep of a value at least.
constexpr double kept = 1 - 2e-6;
/// Steps that a sum of 32 bits and the sum before it lose as floats, and more.
constexpr double float_slack = 200;
/// What every row may be away from its integer number of steps, and more.
constexpr double row_slack = 0.51;

/// Steps per unit of the fixed-point scale.
double steps_for(std::span<const double> weights) {
  const double heaviest = weights.empty() ? 1 : *std::ranges::max_element(weights);
  return max_steps / std::bit_ceil(static_cast<std::uint32_t>(heaviest));
}

/// The first of the best cuts of a column leads if it is better than those before.
void take_lead(std::uint32_t column, double top, std::span<const double> scores, Split& best,
               auto rows_left) {
  if (!(top > minus_infinity) || (best.exists() && !beats(top, best.best))) return;
  std::uint32_t at = 0;
  while (!(scores[at] >= enough(top))) ++at;
  best.column = static_cast<int>(column);
  best.score = scores[at];
  best.best = top;
  best.rows_left = rows_left(at);
}

}  // namespace

SortedRegression::SortedRegression(const Table& table, std::span<const std::uint32_t> rows,
                                   const Target& target, const Plan& plan, Pool& pool)
    : MeasuredSplitter(target, plan),
      pool_(pool),
      has_weights_(!target.weight.empty()),
      steps_per_unit_(steps_for(target.weight)),
      lists_(table, rows, target, pool),
      partitions_(lists_, target.n_rows, pool),
      steps_(target.n_rows),
      weight_(target.weight.begin(), target.weight.end()),
      few_number_(target.n_rows) {
  for (int worker = 0; worker < pool.size(); ++worker)
    desks_.push_back(std::make_unique<Desk>(table.columns.size()));
  for (std::uint32_t n = 0; n <= FewRows::max; ++n)
    for (std::uint32_t left = 1; left <= FewRows::max; ++left) {
      const bool is_admissible = left >= min_rows(n) && left + min_rows(n) <= n;
      few_places_[n][left - 1] = !is_admissible ? std::numeric_limits<double>::quiet_NaN()
                                 : has_weights_ ? 0
                                                : left;
    }
}

void SortedRegression::measure_root(Node& node, Waiting& root) {
  std::vector<std::uint32_t>& rows = desks_[0]->regression.left;
  rows.resize(node.end);
  std::iota(rows.begin(), rows.end(), 0u);
  MeasuredSplitter::measure(root, rows, desks_[0]->regression);
  write_root(root, node);
}

SortedRegression::Scale SortedRegression::scale_of(const Waiting& node) const {
  const RegressionCall call =
      regression_call(plan_.criterion, node.output.fixed_point, node.impurity, node.sums);
  return {node.sums[0], node.sums[1] / node.sums[0], call.factor};
}

/// Rows on either side of a cut.
std::uint32_t SortedRegression::min_rows(std::uint32_t n) const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(tried_limits(plan_).rows, n));
}

void SortedRegression::start(Waiting& node, std::span<const double>,
                             std::span<const std::uint32_t> columns, Workers workers) {
  if (node.is_few) return;
  if (node.n_rows() <= FewRows::max) {
    desk(workers).few.read(lists_, node, columns, few_number_);
    node.end = node.n_rows();
    node.begin = 0;
    node.is_few = true;
  }
}

Split SortedRegression::best_of(const Waiting& node, std::span<const std::uint32_t> columns,
                                std::span<std::uint8_t> is_constant, Workers workers) {
  return node.is_few ? best_of_few(node, columns, is_constant, desk(workers))
                     : best_near_peaks(node, columns, is_constant, workers);
}

std::uint32_t SortedRegression::row_at(const Waiting& node, std::uint32_t column,
                                       std::uint32_t place, Workers workers) {
  const FewRows& few = desk(workers).few;
  return node.is_few ? few.row(few.number_at(column, node.begin + place))
                     : lists_.row_at(node, column, place);
}

/// How many steps each row of a node is away from the mean.
SortedScan SortedRegression::count_steps(const Waiting& node, std::uint32_t column,
                                         const Scale& scale, Desk& mine) {
  const double mean = scale.mean, up = steps_per_unit_;
  const std::uint32_t n = node.n_rows();
  const double* quantised = regression_.quantised();
  if (has_weights_)
    lists_.each_row(node, column, 0, n, [&](std::uint32_t row) {
      const double own = quantised[2 * std::size_t{row}], sum = quantised[2 * std::size_t{row} + 1];
      steps_[row] = static_cast<std::int32_t>(nearest_integer((sum - own * mean) * up));
    });
  else
    lists_.each_row(node, column, 0, n, [&](std::uint32_t row) {
      steps_[row] = static_cast<std::int32_t>(nearest_integer((quantised[row] - mean) * up));
    });
  mine.shares.resize(n + 1 + SortedScan::room_behind);
  sorted_kernels().shares(n, min_rows(n), has_weights_, mine.shares.data());
  return {.layout = lists_.layout(),
          .shares = mine.shares.data(),
          .total = static_cast<float>(scale.total),
          .steps = steps_.data(),
          .whole_weight = has_weights_ ? weight_.data() : nullptr};
}

/// What a cut must remove in floats, so that it may be among the best if one removes `peak`.
/// A cut's D is off by the slack of all rows at most, so its root D / sqrt(n_L n_R) by that of the
/// most uneven cut; see docs/design/lists.md.
float SortedRegression::near_peak(const Waiting& node, const Scale& scale, double peak) const {
  const double min = min_rows(node.n_rows());
  const double slack =
      (row_slack * node.n_rows() + float_slack) / std::sqrt(min * (scale.total - min));
  const double tied = 8 * tolerance(1) * steps_per_unit_ * steps_per_unit_ / scale.factor;
  const double min_peak = std::max(0.0, std::sqrt(peak) * kept - slack);
  const double root = std::sqrt(std::max(0.0, min_peak * min_peak - tied)) * kept - slack;
  return root > 0 ? static_cast<float>(root * root * kept) : 0.0f;
}

/// The best split of some columns; those that are constant are marked.
Split SortedRegression::best_near_peaks(const Waiting& node, std::span<const std::uint32_t> columns,
                                        std::span<std::uint8_t> is_constant, Workers workers) {
  Desk& mine = desk(workers);
  const Scale scale = scale_of(node);
  const SortedScan scan = count_steps(node, columns[0], scale, mine);
  each_column(node, columns.size(), pool_, workers, [&](std::size_t i, int) {
    mine.peaks[i] = sorted_kernels().peak(scan, {lists_.items(node, columns[i]), node.n_rows()});
  });
  float peak = -1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    is_constant[columns[i]] = std::isnan(mine.peaks[i]);
    if (mine.peaks[i] > peak) peak = mine.peaks[i];
  }
  Split best;
  if (peak < 0) return best;
  const float wanted = near_peak(node, scale, peak);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!(mine.peaks[i] >= wanted)) continue;
    score_near(node, columns[i], scan, scale, wanted, mine);
    const double top = *std::ranges::max_element(mine.scores);
    take_lead(columns[i], top, mine.scores, best,
              [&](std::uint32_t at) { return mine.places[at]; });
  }
  return best;
}

/// The places and exact scores of the cuts of a column that come near what is wanted.
void SortedRegression::score_near(const Waiting& node, std::uint32_t column, const SortedScan& scan,
                                  const Scale& scale, float wanted, Desk& mine) const {
  mine.places.resize(node.n_rows());
  const std::uint32_t n = sorted_kernels().near(scan, {lists_.items(node, column), node.n_rows()},
                                                wanted, mine.places.data());
  mine.scores.resize(n);
  const double* quantised = regression_.quantised();
  double left = 0, sum = 0;
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    lists_.each_row(node, column, at, mine.places[i], [&](std::uint32_t row) {
      left += has_weights_ ? quantised[2 * std::size_t{row}] : 1;
      sum += has_weights_ ? quantised[2 * std::size_t{row} + 1] : quantised[row];
    });
    at = mine.places[i];
    mine.scores[i] = scale.score(left, sum);
  }
}

FewScan SortedRegression::few_scan(const Waiting& node, std::uint32_t column, const Scale& scale,
                                   Desk& mine) const {
  const double* quantised = regression_.quantised();
  const std::uint32_t n = node.n_rows();
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t number = mine.few.number_at(column, node.begin + i);
    const std::uint32_t row = mine.few.row(number);
    mine.few_sums[number] = has_weights_ ? quantised[2 * std::size_t{row} + 1] : quantised[row];
    if (has_weights_) mine.few_weight[number] = quantised[2 * std::size_t{row}];
  }
  return {.items = mine.few.items() + node.begin,
          .n = n,
          .sums = mine.few_sums,
          .weight = has_weights_ ? mine.few_weight : nullptr,
          .places = few_places_[n],
          .total = scale.total,
          .mean = scale.mean,
          .factor = scale.factor};
}

/// The same for few rows.
Split SortedRegression::best_of_few(const Waiting& node, std::span<const std::uint32_t> columns,
                                    std::span<std::uint8_t> is_constant, Desk& mine) {
  const SortedKernels& kernels = sorted_kernels();
  const FewScan scan = few_scan(node, columns[0], scale_of(node), mine);
  double scores[FewRows::max];
  Split best;
  const auto take = [&](std::uint32_t column, double top) {
    kernels.few_scores(scan, column, scores);
    if (node.n_rows() == 2) top = scores[0];
    take_lead(column, top, std::span(scores, node.n_rows()), best,
              [](std::uint32_t at) { return at + 1; });
  };
  if (node.n_rows() == 2) {  // every column that tells the two apart is tied: the first
    const auto differs = [&](std::uint32_t column) {
      return mine.few.differ(column, node.begin + 1);
    };
    const auto first = std::ranges::find_if(columns, differs);
    if (first != columns.end()) take(*first, minus_infinity);
    return best;
  }
  kernels.few_tops(scan, columns.data(), columns.size(), mine.tops.data());
  std::size_t winner = columns.size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double top = mine.tops[i];
    if (std::isnan(top))
      is_constant[columns[i]] = 1;
    else if (top > minus_infinity && (winner == columns.size() || beats(top, mine.tops[winner])))
      winner = i;
  }
  if (winner < columns.size()) take(columns[winner], mine.tops[winner]);
  return best;
}

std::pair<bool, bool> SortedRegression::measure(const Waiting& node, std::span<const double>,
                                                const Split& split, std::span<Waiting> children,
                                                Workers workers) {
  Desk& mine = desk(workers);
  const auto column = static_cast<std::uint32_t>(split.column);
  std::vector<std::uint32_t>& rows = mine.regression.left;
  for (Waiting& child : children) {
    rows.clear();
    if (node.is_few)
      for (std::uint32_t i = child.begin; i < child.end; ++i)
        rows.push_back(mine.few.row(mine.few.number_at(column, i)));
    else
      lists_.each_row(node, column, child.begin - node.begin, child.end - node.begin,
                      [&](std::uint32_t row) { rows.push_back(row); });
    MeasuredSplitter::measure(child, rows, mine.regression);
  }
  return {!children[0].is_leaf, !children[1].is_leaf};
}

void SortedRegression::partition_lists(const Waiting& node, const Split& split,
                                       std::span<const std::uint32_t> columns, Keep keep,
                                       Workers workers) {
  if (!node.is_few)
    return partitions_.run(node, ListCut(lists_, node, split), columns, keep, workers);
  FewRows& few = desk(workers).few;
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < split.rows_left; ++i)
    left |= 1u << few.number_at(static_cast<std::uint32_t>(split.column), node.begin + i);
  sorted_kernels().few_partition({few.items() + node.begin, node.n_rows(), left}, columns.data(),
                                 columns.size());
}

std::span<const double> SortedRegression::statistics(const Waiting& node, std::size_t,
                                                     Workers workers) {
  Desk& mine = desk(workers);
  mine.statistics[0] = node.output.value;
  mine.statistics[1] = node.impurity;
  mine.statistics[2] = node.sums[0];
  return mine.statistics;
}

}  // namespace ramify

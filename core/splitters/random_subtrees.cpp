// SPDX-License-Identifier: BSD-3-Clause
// All that grows from a small node of numbers by random cuts.
#include <algorithm>
#include <bit>
#include <cmath>

#include "regression/loss_terms.hpp"
#include "search/subtree_kernels.hpp"
#include "select/judge.hpp"
#include "splitters/random_regression.hpp"
#include "util/exact_sum.hpp"

namespace ramify {

const SmallSubtree& RandomRegression::grow_subtree(const Waiting& node,
                                                   std::span<const double> statistics,
                                                   Workers workers) {
  Desk& mine = desk(workers);
  SubtreeDesk& own = mine.subtree;
  mine.make_room(records_.n_columns);
  const auto row_indices = std::span(row_indices_).subspan(node.begin, node.n_rows());
  const ValueRecords records = values(node, mine);
  own.rows.start(row_indices, records.values, records.n_columns, records.width,
                 [](const RowIndex&) { return 1u; });
  const auto n_quantised = static_cast<std::size_t>(regression_.n_quantised());
  for (std::size_t i = 0; i < row_indices.size(); ++i) {
    own.y[i] = target_.values[row_indices[i].low];
    own.weight[i] = target_.weight_of(row_indices[i].low);
    own.quantised[i] = regression_.quantised()[row_indices[i].low * n_quantised + n_quantised - 1];
  }
  own.subtree.start(statistics.size());
  SubtreeWaiting first{node, own.rows.all(), node.n_rows()};
  first.non_constant = own.non_constant.start_with(mine.non_constant.view(node.non_constant));
  first.place = own.subtree.add(node.n_rows(), statistics.back());
  std::ranges::copy(statistics, own.subtree.statistics_of(first.place).begin());
  own.waiting.assign(1, first);
  while (!own.waiting.empty()) {
    const SubtreeWaiting next = own.waiting.back();
    own.waiting.pop_back();
    split_subtree(next, mine);
  }
  return own.subtree;
}

/// Makes the children of a node, if a cut pays.
void RandomRegression::split_subtree(SubtreeWaiting node, Desk& mine) {
  SubtreeDesk& own = mine.subtree;
  mine.sampler.fill(own.non_constant.view(node.non_constant), plan_.max_columns, node.key);
  own.constant.clear();
  SubtreeChoice best;
  // Two rows are parted alike by every column that tells them apart, which ties: the first will do.
  const std::size_t at_once = node.n_rows == 2 ? 1 : SubtreeCall::max_columns;
  for (auto columns = mine.sampler.draw(); !columns.empty() && best.column < 0;
       columns = mine.sampler.draw())
    for (std::size_t first = 0; first < columns.size() && (at_once > 1 || best.column < 0);
         first += at_once)
      best_in_subtree(node, columns.subspan(first, std::min(at_once, columns.size() - first)), mine,
                      best);
  if (best.column < 0 || !score_pays(plan_, target_, best.score, gain_unit(node), node.sums[0]))
    return;
  std::ranges::sort(own.constant);
  own.non_constant.drop(node.non_constant, own.constant);
  SubtreeWaiting children[] = {node, node};
  children[0].rows = best.left;
  children[0].n_rows = best.n_left;
  children[1].rows = node.rows & ~best.left;
  children[1].n_rows = node.n_rows - best.n_left;
  for (std::size_t branch = 0; branch < 2; ++branch) {
    SubtreeWaiting& child = children[branch];
    child.depth = node.depth + 1;
    child.key = child_key(node.key, branch);
    measure_subtree(child, mine);
    child.place = own.subtree.add(child.n_rows, child.sums[0]);
    const std::span<double> statistics = own.subtree.statistics_of(child.place);
    statistics[0] = child.output.value;
    statistics[1] = child.impurity;
    statistics[2] = child.sums[0];
  }
  SmallSubtree::Grown& grown = own.subtree.nodes[static_cast<std::size_t>(node.place)];
  grown.first_child = children[0].place;
  grown.column = best.column;
  grown.threshold = best.threshold;
  grown.gain = best.score * gain_unit(node);
  for (std::size_t branch = 2; branch-- > 0;)
    if (!is_leaf(children[branch], {})) own.waiting.push_back(children[branch]);
}

/// Looks at some columns, notes which are constant, and keeps the first of the best cuts.
void RandomRegression::best_in_subtree(const SubtreeWaiting& node,
                                       std::span<const std::uint32_t> columns, Desk& mine,
                                       SubtreeChoice& best) {
  constexpr int max = SubtreeCall::max_columns;
  SubtreeDesk& own = mine.subtree;
  const void* values[max];
  double min[max], most_of[max], threshold[max], sum[max], weight[max];
  std::uint64_t left[max];
  std::uint32_t n_left[max], tried[max];
  for (std::size_t j = 0; j < columns.size(); ++j) values[j] = own.rows.column(columns[j]);
  SubtreeCall call{own.rows.width(),   values,    static_cast<int>(columns.size()),
                   own.rows.n_lanes(), node.rows, own.rows.firsts()};
  const SubtreeKernels& kernels = subtree_kernels();
  kernels.find_ends(call, min, most_of);
  int n = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (!(min[j] < most_of[j])) {
      own.constant.push_back(columns[j]);
      continue;
    }
    values[n] = values[j];
    tried[n] = columns[j];
    threshold[n++] = random_threshold(min[j], most_of[j], static_cast<int>(columns[j]), node.key);
  }
  if (n == 0) return;
  call.n_columns = n;
  kernels.find_left(call, threshold, left, n_left);
  kernels.sum_lanes(left, n, call.n_lanes, own.quantised, sum);
  const bool is_counted = regression_.n_quantised() == 1;
  if (!is_counted) kernels.sum_lanes(left, n, call.n_lanes, own.weight, weight);
  for (int j = 0; j < n; ++j) {
    const std::uint32_t column = tried[j];
    mine.threshold[column] = threshold[j];
    mine.n_left[column] = n_left[j];
    mine.weight[column] = is_counted ? n_left[j] : weight[j];
    mine.sum[column] = sum[j];
  }
  const Choice found =
      choose(node, node.n_rows, std::span(tried, static_cast<std::size_t>(n)), mine);
  if (found.column < 0 || (best.column >= 0 && !beats(found.score, best.score))) return;
  const auto at = std::ranges::find(tried, static_cast<std::uint32_t>(found.column)) - tried;
  best = {found, n_left[at], left[at], threshold[at]};
}

namespace {

/// What Numbers::learn_one finds by squared error, of rows that count once.
double learn_lanes(const LaneTargets& lanes, double n, RegressionStatistics::Output& output) {
  double low, high;
  subtree_kernels().target_ends(lanes, &low, &high);
  set_fixed_point(low, high, output);
  if (!output.is_varied) return 0;
  const auto sum_of = [&](double from, bool is_squared, double largest) {
    if (largest == 0) return 0.0;
    const TermSteps steps(n, n, largest);
    LaneTerms terms{from, is_squared, steps.up, steps.finer, 0, 0};
    subtree_kernels().target_terms(lanes, terms);
    return steps.sum(terms.coarse, terms.fine);
  };
  return measure_squares(n, low, high, output, sum_of) / n;
}

}  // namespace

/// Learns the numbers of a node, and makes it ready to be split unless it is a leaf.
void RandomRegression::measure_subtree(SubtreeWaiting& node, Desk& mine) {
  SubtreeDesk& own = mine.subtree;
  if (node.n_rows == 1) {
    const int lane = std::countr_zero(node.rows);
    return measure_row(node, own.y[lane], own.weight[lane]);
  }
  if (regression_.n_quantised() == 1 && plan_.criterion.loss() == RegressionLoss::squared) {
    const LaneTargets lanes{own.y, node.rows, own.rows.n_lanes()};
    const double n = node.sums[0] = node.n_rows;
    node.sums[1] = 0;
    node.impurity = learn_lanes(lanes, n, node.output);
    ask_leaf(node, node.n_rows, mine.regression.node);
    if (node.is_leaf) return;
    const QuantisedSteps steps(n, n, 1);
    const auto [centre, scale] = node.output.fixed_point;
    node.sums[1] = subtree_kernels().quantise_targets(lanes, centre, 1 / scale, steps.up,
                                                      steps.down, own.quantised);
    return;
  }
  RegressionBuffers& buffers = mine.regression;
  buffers.y.resize(node.n_rows);
  buffers.weight.resize(target_.weight.empty() ? 0 : node.n_rows);
  int lanes[SmallSubtree::max_rows];
  std::size_t n = 0;
  for (std::uint64_t rows = node.rows; rows != 0; rows &= rows - 1) {
    lanes[n] = std::countr_zero(rows);
    buffers.y[n] = own.y[lanes[n]];
    ++n;
  }
  for (std::size_t i = 0; i < buffers.weight.size(); ++i) buffers.weight[i] = own.weight[lanes[i]];
  learn(node, buffers);
  if (node.is_leaf) return;
  node.sums[1] =
      RegressionTarget::quantise_one(buffers, node.sums[0], node.output.fixed_point, own.found);
  for (std::size_t i = 0; i < n; ++i) own.quantised[lanes[i]] = own.found[i];
}

}  // namespace ramify

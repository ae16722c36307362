// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/random_regression.hpp"

#include <algorithm>

#include "regression/scores.hpp"
#include "select/judge.hpp"

namespace ramify {

RandomRegression::RandomRegression(const Table& table, std::span<const std::uint32_t> rows,
                                   const Target& target, const Plan& plan, Pool& pool)
    : MeasuredSplitter(target, plan), records_(table.row_values()), row_indices_(target.n_rows) {
  for (std::uint32_t i = 0; i < target.n_rows; ++i) row_indices_[i] = {i, rows[i]};
  const auto width = static_cast<std::size_t>(records_.width);
  for (int worker = 0; worker < pool.size(); ++worker)
    desks_.push_back(
        std::make_unique<Desk>(Desk{CacheLocalRows(width * table.columns.size(), target.n_rows)}));
}

RandomRegression::Waiting RandomRegression::root(Node& node) {
  handed_over_.begin(node.non_constant);
  Waiting first;
  first.begin = node.begin;
  first.end = node.end;
  first.depth = node.depth;
  first.key = node.key;
  first.non_constant.n = static_cast<std::uint32_t>(node.non_constant.size());
  measure(first, *desks_[0]);
  node.regression.outputs = {first.output};
  node.regression.impurity = first.impurity;
  node.sums.assign(first.sums, first.sums + 2);
  return first;
}

ValueRecords RandomRegression::values(const Waiting& node, const Desk& mine) const {
  ValueRecords values = records_;
  if (node.level > 0) values.values = mine.cache_local.at(node.level);
  return values;
}

/// Copies the values of the rows of a node, if it is small enough and they are not near yet.
void RandomRegression::move_to_cache(Waiting& node, Desk& mine) {
  const int wanted = mine.cache_local.wanted(node.n_rows());
  if (wanted <= node.level) return;
  const auto row_indices = std::span(row_indices_).subspan(node.begin, node.n_rows());
  mine.cache_local.copy(wanted, values(node, mine).values, row_indices.size(),
                        [&](std::size_t i) { return row_indices[i].row; });
  for (std::uint32_t i = 0; i < row_indices.size(); ++i) row_indices[i].row = i;
  node.level = wanted;
}

void RandomRegression::measure(Waiting& node, Desk& mine) {
  std::vector<std::uint32_t>& rows = mine.regression.left;
  rows.resize(node.n_rows());
  for (std::uint32_t i = 0; i < node.n_rows(); ++i) rows[i] = row_indices_[node.begin + i].low;
  MeasuredSplitter::measure(node, rows, mine.regression);
}

Split RandomRegression::best(Waiting& node, std::span<const double>, Workers workers,
                             const std::function<bool()>&) {
  Desk& mine = desk(workers);
  if (workers.n == 1) move_to_cache(node, mine);
  std::vector<std::uint32_t>& non_constant = mine.non_constant.take(node.non_constant);
  mine.sampler.fill(non_constant, plan_.max_columns, node.key);
  Split split;
  for (auto columns = mine.sampler.draw(); !columns.empty() && !split.exists();
       columns = mine.sampler.draw()) {
    split = best_of(node, columns, mine);
    std::size_t i = 0;
    std::erase_if(non_constant, [&](std::uint32_t column) {
      while (i < columns.size() && columns[i] < column) ++i;
      if (i == columns.size() || columns[i] != column) return false;
      return mine.threshold[column] != mine.threshold[column];  // constant: no threshold
    });
  }
  if (split.exists()) mine.non_constant.keep(node.non_constant);
  return split;
}

Split RandomRegression::best_of(const Waiting& node, std::span<const std::uint32_t> columns,
                                Desk& mine) {
  mine.make_room(records_.n_columns);
  std::ranges::fill(mine.threshold, std::numeric_limits<double>::quiet_NaN());
  const ValuePasses call{values(node, mine),      row_indices_.data() + node.begin,
                         node.n_rows(),           columns.data(),
                         columns.size(),          mine.min.data(),
                         mine.max.data(),         mine.threshold.data(),
                         regression_.quantised(), regression_.n_quantised(),
                         mine.n_left.data(),      mine.weight.data(),
                         mine.sum.data()};
  sampled_kernels().find_ends(call);
  for (const std::uint32_t column : columns)
    if (mine.min[column] < mine.max[column])
      mine.threshold[column] =
          random_threshold(mine.min[column], mine.max[column], static_cast<int>(column), node.key);
  sampled_kernels().sum_up_to(call);
  const Choice choice = choose(node, node.n_rows(), columns, mine);
  Split split;
  if (choice.column < 0) return split;
  split.column = choice.column;
  split.score = split.best = choice.score;
  split.threshold = mine.threshold[static_cast<std::size_t>(choice.column)];
  split.is_optimal = false;
  return split;
}

/// Arrays by column.
void RandomRegression::Desk::make_room(std::size_t n_columns) {
  constexpr std::size_t lanes = ValuePasses::lanes;
  const std::size_t room = (n_columns + lanes) / lanes * lanes;
  if (n_left.size() == room) return;
  for (auto* regression : {&min, &max, &threshold, &weight, &sum}) regression->resize(room);
  n_left.resize(room);
}

/// The first of the best cuts, whose sums are known.
RandomRegression::Choice RandomRegression::choose(const MeasuredNode& node, std::uint32_t n_rows,
                                                  std::span<const std::uint32_t> columns,
                                                  const Desk& mine) const {
  const LeafLimits limits = tried_limits(plan_);
  double left[2 * CutBlock::stride], scores[CutBlock::stride];
  std::uint32_t tried[CutBlock::capacity];
  const RegressionCall call =
      regression_call(plan_.criterion, node.output.fixed_point, node.impurity, node.sums);
  Choice best;
  int m = 0;
  const auto score = [&] {
    for (int i = m; i % RAMIFY_KERNELS::pack_width; ++i) {  // packs read beyond the last cut
      left[i] = left[m - 1];
      left[CutBlock::stride + i] = left[CutBlock::stride + m - 1];
    }
    RegressionCall mine_too = call;
    mine_too.left = left;
    mine_too.n_cuts = m;
    if (m > 0) plan_.criterion.numeric->score(mine_too, scores);
    for (int i = 0; i < m; ++i) {
      if (!(scores[i] > minus_infinity) || (best.column >= 0 && !beats(scores[i], best.score)))
        continue;
      best = {static_cast<int>(tried[i]), scores[i]};
    }
    m = 0;
  };
  for (const std::uint32_t column : columns) {
    const bool is_constant = mine.threshold[column] != mine.threshold[column];
    if (is_constant || !limits.allow_rows(mine.n_left[column], n_rows)) continue;
    left[m] = mine.weight[column];
    left[CutBlock::stride + m] = mine.sum[column];
    tried[m++] = column;
    if (m == CutBlock::capacity) score();
  }
  score();
  return best;
}

void RandomRegression::partition(Waiting& node, std::span<const double>, Split& split,
                                 Workers workers, std::vector<Waiting>& children) {
  Desk& mine = desk(workers);
  if (mine.spare.size() < node.n_rows()) mine.spare.resize(node.n_rows());
  const std::uint32_t n_left = sampled_kernels().partition_values(
      {values(node, mine), nullptr, row_indices_.data() + node.begin, node.n_rows(),
       static_cast<std::uint32_t>(split.column), split.threshold, mine.spare.data()});
  children.clear();
  const auto add = [&](std::size_t branch, std::uint32_t begin, std::uint32_t end) {
    Waiting& child = children.emplace_back();
    child.begin = begin;
    child.end = end;
    child.depth = node.depth + 1;
    child.key = child_key(node.key, branch);
    child.non_constant = node.non_constant;
    child.level = node.level;
    measure(child, mine);
  };
  add(0, node.begin, node.begin + n_left);
  add(1, node.begin + n_left, node.end);
}

std::span<const double> RandomRegression::statistics(const Waiting& node, std::size_t,
                                                     Workers workers) {
  Desk& mine = desk(workers);
  return mine.statistics = {node.output.value, node.impurity, node.sums[0]};
}

void RandomRegression::hand_over(Waiting& node) {
  handed_over_.give(desks_[0]->non_constant, node.non_constant);
}

void RandomRegression::take_over(Waiting& node, Workers workers) {
  handed_over_.take(node.non_constant, desk(workers).non_constant);
}

}  // namespace ramify

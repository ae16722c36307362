// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/random_regression.hpp"

#include <algorithm>
#include <utility>

#include "regression/scores.hpp"
#include "select/judge.hpp"

namespace ramify {

RandomRegression::RandomRegression(const Table& table, std::span<const std::uint32_t> rows,
                                   const Target& target, const Plan& plan, Pool& pool)
    : MeasuredSplitter(target, plan), records_(table.row_values()), row_indices_(target.n_rows) {
  for (std::uint32_t i = 0; i < target.n_rows; ++i) row_indices_[i] = {i, rows[i]};
  for (int worker = 0; worker < pool.size(); ++worker) desks_.push_back(std::make_unique<Desk>());
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

void RandomRegression::measure(Waiting& node, Desk& mine) {
  std::vector<std::uint32_t>& rows = mine.regression.left;
  rows.resize(node.n_rows());
  for (std::uint32_t i = 0; i < node.n_rows(); ++i) rows[i] = row_indices_[node.begin + i].low;
  MeasuredSplitter::measure(node, rows, mine.regression);
}

Split RandomRegression::best(Waiting& node, std::span<const double>, Workers workers,
                             const std::function<bool()>&) {
  Desk& mine = desk(workers);
  std::vector<std::uint32_t>& non_constant = mine.non_constant.take(node.non_constant);
  mine.sampler.fill(non_constant, plan_.max_columns, node.key);
  Split split;
  for (auto columns = mine.sampler.draw(); !columns.empty() && !split.exists();
       columns = mine.sampler.draw()) {
    mine.cuts.find({records_, row_indices(node), columns, node.key},
                   RegressionAdds{regression_.quantised(), regression_.n_quantised() == 1});
    split = first_of_best(node, mine.cuts);
    std::size_t cut = 0;
    std::erase_if(non_constant, [&](std::uint32_t column) {
      while (cut < columns.size() && columns[cut] < column) ++cut;
      return cut < columns.size() && columns[cut] == column && mine.cuts.is_constant(cut);
    });
  }
  if (split.exists()) mine.non_constant.keep(node.non_constant);
  return split;
}

Split RandomRegression::first_of_best(const Waiting& node, const RandomCuts& cuts) const {
  const LeafLimits limits = tried_limits(plan_);
  double left[2 * CutBlock::stride], scores[CutBlock::stride];
  std::size_t tried[CutBlock::capacity];
  RegressionCall call =
      regression_call(plan_.criterion, node.output.fixed_point, node.impurity, node.sums);
  call.left = left;
  Split split;
  split.is_optimal = false;
  int m = 0;
  const auto score = [&] {
    if (m == 0) return;
    for (double* sums : {left, left + CutBlock::stride})  // packs read beyond the last cut
      std::fill(sums + m, sums + padded(m), sums[m - 1]);
    call.n_cuts = std::exchange(m, 0);
    plan_.criterion.numeric->score(call, scores);
    for (int i = 0; i < call.n_cuts; ++i) {
      if (!(scores[i] > minus_infinity) || (split.exists() && !beats(scores[i], split.score)))
        continue;
      split.column = static_cast<int>(cuts.column(tried[i]));
      split.score = split.best = scores[i];
      split.threshold = cuts.threshold(tried[i]);
    }
  };
  for (std::size_t cut = 0; cut < cuts.size(); ++cut) {
    if (cuts.is_constant(cut) || !limits.allow_rows(cuts.n_left(cut), node.n_rows())) continue;
    left[m] = cuts.left(0, cut);
    left[CutBlock::stride + m] = cuts.left(1, cut);
    tried[m++] = cut;
    if (m == CutBlock::capacity) score();
  }
  score();
  return split;
}

void RandomRegression::partition(Waiting& node, std::span<const double>, Split& split,
                                 Workers workers, std::vector<Waiting>& children) {
  Desk& mine = desk(workers);
  if (mine.spare.size() < node.n_rows()) mine.spare.resize(node.n_rows());
  const std::uint32_t n_left = mine.cuts.partition(
      records_, row_indices(node), mine.cuts.of_column(split.column), mine.spare.data());
  children.clear();
  const auto add = [&](std::size_t branch, std::uint32_t begin, std::uint32_t end) {
    Waiting& child = children.emplace_back();
    child.begin = begin;
    child.end = end;
    child.depth = node.depth + 1;
    child.key = child_key(node.key, branch);
    child.non_constant = node.non_constant;
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

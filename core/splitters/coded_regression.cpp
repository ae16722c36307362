// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/coded_regression.hpp"

#include <algorithm>
#include <utility>

#include "regression/scores.hpp"
#include "select/judge.hpp"

namespace ramify {

CodedRegression::CodedRegression(const Table& table, std::span<const std::uint32_t> rows,
                                 const Target& target, const Plan& plan, Pool& pool)
    : MeasuredSplitter(target, plan),
      records_(table.row_values()),
      row_indices_(target.n_rows),
      desks_(static_cast<std::size_t>(pool.size())) {
  for (std::uint32_t i = 0; i < target.n_rows; ++i) row_indices_[i] = {i, rows[i]};
}

void CodedRegression::measure(Waiting& node, Desk& mine) {
  std::vector<std::uint32_t>& rows = mine.regression.left;
  rows.resize(node.n_rows());
  for (std::uint32_t i = 0; i < node.n_rows(); ++i) rows[i] = row_indices_[node.begin + i].low;
  MeasuredSplitter::measure(node, rows, mine.regression);
}

Split CodedRegression::best_of(const Waiting& node, std::span<const std::uint32_t> columns,
                               std::span<std::uint8_t> is_constant, Workers workers) {
  RandomCuts& cuts = desk(workers).cuts;
  cuts.find({records_, row_indices(node), columns, node.key},
            RegressionAdds{regression_.quantised(), regression_.n_quantised() == 1});
  for (std::size_t cut = 0; cut < columns.size(); ++cut)
    is_constant[columns[cut]] = cuts.is_constant(cut);
  return first_of_best(node, cuts);
}

Split CodedRegression::first_of_best(const Waiting& node, const RandomCuts& cuts) const {
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

std::uint32_t CodedRegression::begin_partition(const Waiting& node, const Split& split,
                                               Workers workers) {
  Desk& mine = desk(workers);
  if (mine.spare.size() < node.n_rows()) mine.spare.resize(node.n_rows());
  return mine.cuts.partition(records_, row_indices(node), mine.cuts.of_column(split.column),
                             mine.spare.data());
}

}  // namespace ramify

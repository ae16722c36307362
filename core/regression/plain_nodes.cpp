// SPDX-License-Identifier: BSD-3-Clause
#include "regression/plain_nodes.hpp"

#include <algorithm>

#include "regression/scores.hpp"
#include "select/judge.hpp"

namespace ramify {
namespace {

/// All columns are sorted lists without missing values, there is one output, and nothing limits the
/// cuts but the number of rows.
bool is_plain(const Table& table, const Plan& plan, const RegressionTarget* regression) {
  if (!regression || regression->n_channels() != 2 || plan.criterion.is_ordered() ||
      plan.min_leaf_share > 0 || plan.gives_up || !plan.monotonic.empty() ||
      plan.by_test != ByTest::none)
    return false;
  return std::ranges::none_of(table.columns, [](const Column& column) {
    return column.is_low_cardinality() || column.is_categorical || column.n_missing > 0;
  });
}

}  // namespace

PlainNodes::PlainNodes(const Training& training, const RegressionTarget* regression)
    : training_(training),
      regression_(regression),
      is_possible_(is_plain(training.table, training.plan, regression)) {
  if (!is_possible_) return;
  for (const PlainKernel& kernel : plain_kernels())
    if (kernel.info->name == training.plan.criterion.numeric->info->name) kernel_ = &kernel;
}

Split PlainNodes::best_of_all(Node& node, std::span<const std::uint32_t> columns,
                              CutBuffers&) const {
  const auto& [table, target, plan, store] = training_;
  const ItemLayout layout = store.layout();
  const int shift = layout.code_shift();
  const std::uint32_t n = node.n_rows();
  const auto items_of = [&](std::uint32_t column) {
    return training_.store.list(static_cast<int>(column)) + node.begin;
  };
  const auto is_constant = [&](const std::uint64_t* items) {
    return items[0] >> shift == items[n - 1] >> shift;
  };
  PlainWalk walk{nullptr,
                 n,
                 layout,
                 regression_->quantised(),
                 regression_->n_quantised() == 1,
                 static_cast<std::uint32_t>(std::min<std::uint64_t>(tried_limits(plan).rows, n)),
                 regression_call(plan.criterion, node.regression, 0, node.sums.data())};
  PlainCuts cuts;
  Split best;
  bool has_constant = false;
  for (const std::uint32_t column : columns) {
    walk.items = items_of(column);
    if (is_constant(walk.items)) {
      has_constant = true;
      continue;
    }
    kernel_->walk(walk, cuts);
    const double top = cuts.top;
    if (cuts.n == 0 || !(top > minus_infinity) || (best.exists() && !beats(top, best.best)))
      continue;
    int i = 0;
    while (cuts.scores[i] < enough(top)) ++i;
    best.column = static_cast<int>(column);
    best.score = cuts.scores[i];
    best.best = top;
    best.rows_left = cuts.rows_left[i];
    best.code = layout.code(walk.items[best.rows_left - 1]);
    best.next_code = layout.code(walk.items[best.rows_left]);
    best.share_left = cuts.left[i] / node.sums[0];
    if (n == 2) break;  // every column separates the two rows: a tie
  }
  if (best.exists()) set_threshold(plan, table.columns[best.column], best);
  if (has_constant && n > 2)
    std::erase_if(node.non_constant, [&](std::uint32_t column) {
      return std::ranges::binary_search(columns, column) && is_constant(items_of(column));
    });
  return best;
}

/// Returns the best of one random cut per column. A cut divides a sorted list at one place, and the
/// sums of the shorter side yield those of the other: they are exact. Removes columns from
/// `node.non_constant` that turn out constant.
Split PlainNodes::best_random(Node& node, std::span<const std::uint32_t> columns) const {
  const auto& [table, target, plan, store] = training_;
  const ItemLayout layout = store.layout();
  const std::uint32_t n = node.n_rows();
  const LeafLimits limits = tried_limits(plan);
  const double* quantised = regression_->quantised();
  const bool is_counted = regression_->n_quantised() == 1;
  double left[2 * CutBlock::stride], scores[CutBlock::stride];
  RegressionCall call = regression_call(plan.criterion, node.regression, 0, node.sums.data());
  call.left = left;
  call.n_cuts = 1;
  Split best;
  std::vector<std::uint32_t> constant;
  for (const std::uint32_t column : columns) {
    const Column& info = table.columns[column];
    const std::uint64_t* items = store.list(static_cast<int>(column)) + node.begin;
    const std::uint32_t first_code = layout.code(items[0]), last_code = layout.code(items[n - 1]);
    if (first_code == last_code) {
      constant.push_back(column);
      continue;
    }
    const double threshold =
        random_threshold(info, static_cast<int>(column), node.key, first_code, last_code);
    const std::uint64_t* cut = std::partition_point(items, items + n, [&](std::uint64_t item) {
      return info.lower(layout.code(item)) <= threshold;
    });
    const auto n_left = static_cast<std::uint32_t>(cut - items);
    const std::uint32_t code = layout.code(cut[-1]);
    if (!limits.allow_rows(n_left, n) || info.upper(code) > threshold) continue;
    const bool is_left_shorter = n_left <= n - n_left;
    double weight = 0, sum = 0;
    for (const std::uint64_t* item = is_left_shorter ? items : cut;
         item != (is_left_shorter ? cut : items + n); ++item) {
      const std::size_t row = layout.row(*item);
      weight += is_counted ? 1 : quantised[2 * row];
      sum += is_counted ? quantised[row] : quantised[2 * row + 1];
    }
    weight = is_left_shorter ? weight : node.sums[0] - weight;
    sum = is_left_shorter ? sum : node.sums[1] - sum;
    for (int i = 0; i < RAMIFY_KERNELS::pack_width; ++i) {  // packs read beyond the last cut
      left[i] = weight;
      left[CutBlock::stride + i] = sum;
    }
    plan.criterion.numeric->score(call, scores);
    const double score = scores[0];
    if (!(score > minus_infinity) || (best.exists() && !beats(score, best.best))) continue;
    best.column = static_cast<int>(column);
    best.score = best.best = score;
    best.threshold = threshold;
    best.code = code;
    best.next_code = layout.code(*cut);
    best.rows_left = n_left;
    best.share_left = weight / node.sums[0];
    best.is_optimal = false;
  }
  if (!constant.empty())
    std::erase_if(node.non_constant, [&](std::uint32_t column) {
      return std::ranges::binary_search(constant, column);
    });
  return best;
}

}  // namespace ramify

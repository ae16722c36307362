// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/regression_lists.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "regression/scores.hpp"
#include "scan/flags.hpp"
#include "select/judge.hpp"
#include "util/exact_sum.hpp"

namespace ramify {
namespace {

/// Steps that a row of weight one deviates by at most: sixteen of them fit 32 bits.
constexpr double max_steps = 1 << 26;
/// Weights that floats tell apart one by one.
constexpr double max_weight = 1 << 24;
/// Steps that a sum of 32 bits and the sum before it lose as floats, and more.
constexpr double float_slack = 200;
/// Items of the longest vector.
constexpr std::size_t vector_items = 32;
/// What every row may be away from its integer number of steps, and more.
constexpr double row_slack = 0.51;

/// All above zero, and few enough?
bool are_small(std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) {
    if (!(weight >= 1)) return false;
    total += weight;
  }
  return total < max_weight;
}

/// Steps per unit of the fixed-point scale.
double steps_for(std::span<const double> weights) {
  const double heaviest = weights.empty() ? 1 : *std::ranges::max_element(weights);
  return max_steps / std::bit_ceil(static_cast<std::uint32_t>(heaviest));
}

}  // namespace

bool RegressionLists::fits(const Table& table, const Target& target, const Plan& plan) {
  const bool is_plain = target.is_numeric() && target.n_outputs() == 1 && !plan.random_cuts &&
                        plan.criterion.numeric &&
                        plan.criterion.loss() == RegressionLoss::squared &&
                        !plan.criterion.is_ordered();
  const bool has_limits = plan.min_leaf_share > 0 || !plan.monotonic.empty();
  if (!is_plain || has_limits || target.n_rows >= max_weight) return false;
  const bool is_complete = std::ranges::none_of(table.columns, [](const Column& column) {
    return column.is_categorical || column.n_missing > 0;
  });
  return is_complete && are_small(target.weight);
}

RegressionLists::RegressionLists(const Table& table, std::span<const std::uint32_t> rows,
                                 const Target& target, const Plan& plan, Pool& pool)
    : MeasuredSplitter(target, plan),
      table_(table),
      pool_(pool),
      has_weights_(!target.weight.empty()),
      steps_per_unit_(steps_for(target.weight)),
      lists_(table, rows, target, Weighing(), pool),
      steps_(target.n_rows),
      weight_(target.weight.begin(), target.weight.end()),
      few_number_(target.n_rows) {
  for (int worker = 0; worker < pool.size(); ++worker)
    desks_.push_back(std::make_unique<Desk>(table.columns.size(), lists_.max_short()));
  for (std::uint32_t n = 0; n <= FewRows::max; ++n)
    for (std::uint32_t left = 1; left <= FewRows::max; ++left) {
      const bool is_admissible = left >= min_rows(n) && left + min_rows(n) <= n;
      few_places_[n][left - 1] = !is_admissible ? std::numeric_limits<double>::quiet_NaN()
                                 : has_weights_ ? 0
                                                : left;
    }
}

RegressionLists::Waiting RegressionLists::root(Node& node) {
  handed_over_.begin(node.non_constant);
  Waiting root;
  root.end = node.end;
  root.depth = node.depth;
  root.key = node.key;
  root.non_constant.n = static_cast<std::uint32_t>(node.non_constant.size());
  Desk& mine = *desks_[0];
  mine.regression.left.resize(node.end);
  std::iota(mine.regression.left.begin(), mine.regression.left.end(), 0u);
  measure(root, mine.regression.left, mine.regression);
  node.regression.outputs = {root.output};
  node.regression.impurity = root.impurity;
  node.sums.assign(root.sums, root.sums + 2);
  return root;
}

RegressionLists::Scale RegressionLists::scale_of(const Waiting& node) const {
  const RegressionCall call =
      regression_call(plan_.criterion, node.output.fixed_point, node.impurity, node.sums);
  return {node.sums[0], node.sums[1] / node.sums[0], call.factor};
}

Split RegressionLists::best(Waiting& node, std::span<const double>, Workers workers,
                            const std::function<bool()>&) {
  Desk& mine = desk(workers);
  std::vector<std::uint32_t>& non_constant = mine.non_constant.take(node.non_constant);
  come_near(node, non_constant, mine);
  const auto look_at = [&](std::span<const std::uint32_t> columns) {
    return node.is_few ? best_of_few(node, columns, mine) : best_of(node, columns, workers, mine);
  };
  Split split;
  if (plan_.max_columns == 0) {
    split = look_at(non_constant);
  } else {
    mine.sampler.fill(non_constant, plan_.max_columns, node.key);
    for (auto sampled = mine.sampler.draw(); !sampled.empty() && !split.exists();
         sampled = mine.sampler.draw())
      split = look_at(sampled);
  }
  std::erase_if(non_constant, [&](std::uint32_t column) {
    return std::exchange(mine.is_constant[column], std::uint8_t{0}) != 0;
  });
  if (!split.exists()) return split;
  mine.non_constant.keep(node.non_constant);
  // The rows beside the cut; their codes are far away, and are read when the rows are partitioned.
  const auto rows_left = static_cast<std::uint32_t>(split.rows_left);
  split.code = row_at(node, split.column, rows_left - 1, mine);
  split.next_code = row_at(node, split.column, rows_left, mine);
  lists_.prefetch_at(static_cast<std::uint32_t>(split.column), split.code);
  lists_.prefetch_at(static_cast<std::uint32_t>(split.column), split.next_code);
  return split;
}

std::uint32_t RegressionLists::row_at(const Waiting& node, int column, std::uint32_t place,
                                      const Desk& mine) const {
  const auto own = static_cast<std::uint32_t>(column);
  return node.is_few ? mine.few.row(mine.few.number_at(own, node.begin + place))
                     : lists_.row_at(node, lists_.items(node, own), place);
}

/// Rows on either side of a cut.
std::uint32_t RegressionLists::min_rows(std::uint32_t n) const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(tried_limits(plan_).rows, n));
}

/// Small nodes number their rows anew.
void RegressionLists::come_near(Waiting& node, std::span<const std::uint32_t> non_constant,
                                Desk& mine) {
  if (node.is_few) return;
  if (node.n_rows() <= FewRows::max) {
    mine.few.read(lists_, node, non_constant, few_number_);
    node.end = node.n_rows();
    node.begin = 0;
    node.is_few = true;
  } else if (!node.is_short && node.n_rows() <= lists_.max_short()) {
    lists_.shorten(node, non_constant);
  }
}

/// How many steps each row of a node is away from the mean.
StepScan RegressionLists::count_steps(const Waiting& node, std::uint32_t column, const Scale& scale,
                                      Desk& mine) {
  if (node.is_short && mine.short_steps.empty()) {
    mine.short_steps.resize(lists_.max_short());
    mine.short_weight.resize(lists_.max_short());
  }
  std::int32_t* steps = node.is_short ? mine.short_steps.data() : steps_.data();
  std::int32_t* weight = node.is_short ? mine.short_weight.data() : weight_.data();
  const double mean = scale.mean, up = steps_per_unit_;
  const std::uint32_t n = node.n_rows();
  const double* quantised = regression_.quantised();
  if (has_weights_)
    lists_.each_row(node, column, 0, n, [&](std::uint32_t number, std::uint32_t row) {
      const double own = quantised[2 * std::size_t{row}], sum = quantised[2 * std::size_t{row} + 1];
      steps[number] = static_cast<std::int32_t>(nearest_integer((sum - own * mean) * up));
      weight[number] = static_cast<std::int32_t>(own);
    });
  else
    lists_.each_row(node, column, 0, n, [&](std::uint32_t number, std::uint32_t row) {
      steps[number] = static_cast<std::int32_t>(nearest_integer((quantised[row] - mean) * up));
    });
  mine.shares.resize(n + vector_items);
  step_kernels().shares(n, min_rows(n), has_weights_, mine.shares.data());
  return {.n = n,
          .row_mask = lists_.layout(node.is_short).row_mask(),
          .steps = steps,
          .weight = has_weights_ ? weight : nullptr,
          .shares = mine.shares.data(),
          .total = static_cast<float>(scale.total)};
}

/// What a cut must remove in floats, so that it may be among the best if one removes `peak`.
/// A cut's D is off by the slack of all rows at most, so its root D / sqrt(n_L n_R) by that of the
/// most uneven cut; see docs/design/lists.md.
float RegressionLists::near_peak(const Waiting& node, const Scale& scale, double peak) const {
  constexpr double kept = 1 - StepKernels::lost;
  const double min = min_rows(node.n_rows());
  const double slack =
      (row_slack * node.n_rows() + float_slack) / std::sqrt(min * (scale.total - min));
  const double tied = 8 * tolerance(1) * steps_per_unit_ * steps_per_unit_ / scale.factor;
  const double least = std::max(0.0, std::sqrt(peak) * kept - slack);
  const double root = std::sqrt(std::max(0.0, least * least - tied)) * kept - slack;
  return root > 0 ? static_cast<float>(root * root * kept) : 0.0f;
}

/// The best split of some columns; those that are constant are marked.
Split RegressionLists::best_of(const Waiting& node, std::span<const std::uint32_t> columns,
                               Workers workers, Desk& mine) {
  const Scale scale = scale_of(node);
  const StepScan scan = count_steps(node, columns[0], scale, mine);
  const auto peak_of = node.is_short ? step_kernels().peak_short : step_kernels().peak;
  const auto look_at = [&](std::size_t i) {
    mine.peaks[i] = peak_of(scan, lists_.items(node, columns[i]));
  };
  if (workers.n == 1 || std::size_t{node.n_rows()} * columns.size() < shared_cells)
    for (std::size_t i = 0; i < columns.size(); ++i) look_at(i);
  else
    pool_.run(static_cast<int>(columns.size()),
              [&](int i, int) { look_at(static_cast<std::size_t>(i)); });
  float peak = -1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    mine.is_constant[columns[i]] = std::isnan(mine.peaks[i]);
    if (mine.peaks[i] > peak) peak = mine.peaks[i];
  }
  Split best;
  if (peak < 0) return best;
  const float wanted = near_peak(node, scale, peak);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!(mine.peaks[i] >= wanted)) continue;
    const double top = top_of(node, columns[i], scan, scale, wanted, mine);
    if (!(top > minus_infinity) || (best.exists() && !beats(top, best.best))) continue;
    std::size_t at = 0;
    while (mine.scores[at] < enough(top)) ++at;
    best.column = static_cast<int>(columns[i]);
    best.score = mine.scores[at];
    best.best = top;
    best.rows_left = mine.places[at];
  }
  return best;
}

/// The highest score of a column, and the places and scores of all cuts that come near it.
double RegressionLists::top_of(const Waiting& node, std::uint32_t column, const StepScan& scan,
                               const Scale& scale, float wanted, Desk& mine) {
  mine.places.resize(node.n_rows());
  const auto near = node.is_short ? step_kernels().near_short : step_kernels().near;
  const std::uint32_t n = near(scan, lists_.items(node, column), wanted, mine.places.data());
  mine.scores.resize(n);
  const double* quantised = regression_.quantised();
  double top = minus_infinity, left = 0, sum = 0;
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    lists_.each_row(node, column, at, mine.places[i], [&](std::uint32_t, std::uint32_t row) {
      left += has_weights_ ? quantised[2 * std::size_t{row}] : 1;
      sum += has_weights_ ? quantised[2 * std::size_t{row} + 1] : quantised[row];
    });
    at = mine.places[i];
    mine.scores[i] = scale.score(left, sum);
    top = std::max(top, mine.scores[i]);
  }
  return top;
}

FewScan RegressionLists::few_scan(const Waiting& node, const Scale& scale, Desk& mine) const {
  const double* quantised = regression_.quantised();
  const std::uint32_t column = mine.non_constant.view(node.non_constant)[0];
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
Split RegressionLists::best_of_few(const Waiting& node, std::span<const std::uint32_t> columns,
                                   Desk& mine) {
  const StepKernels& kernels = step_kernels();
  const FewScan scan = few_scan(node, scale_of(node), mine);
  double scores[FewRows::max];
  Split best;
  const auto take = [&](std::uint32_t column, double top) {
    kernels.few_scores(scan, column, scores);
    std::uint32_t at = 0;
    while (!(scores[at] >= enough(top))) ++at;
    best.column = static_cast<int>(column);
    best.score = scores[at];
    best.best = top;
    best.rows_left = at + 1;
  };
  if (node.n_rows() == 2) {  // every column that tells the two apart is tied: the first
    for (const std::uint32_t column : columns)
      if (mine.few.differ(column, node.begin + 1)) {
        take(column, minus_infinity);
        best.best = best.score;
        break;
      }
    return best;
  }
  kernels.few_tops(scan, columns.data(), columns.size(), mine.tops.data());
  std::size_t winner = columns.size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double top = mine.tops[i];
    if (std::isnan(top))
      mine.is_constant[columns[i]] = 1;
    else if (top > minus_infinity && (winner == columns.size() || beats(top, mine.tops[winner])))
      winner = i;
  }
  if (winner < columns.size()) take(columns[winner], mine.tops[winner]);
  return best;
}

void RegressionLists::partition(Waiting& node, std::span<const double>, Split& split,
                                Workers workers, std::vector<Waiting>& children) {
  Desk& mine = desk(workers);
  const auto column = static_cast<std::uint32_t>(split.column);
  const auto n_left = static_cast<std::uint32_t>(split.rows_left);
  const Column& info = table_.columns[column];
  std::vector<std::uint32_t>& rows = mine.regression.left;
  children.clear();
  for (std::size_t branch = 0; branch < 2; ++branch) {
    Waiting child = node;
    (branch == 0 ? child.end : child.begin) = node.begin + n_left;
    child.depth = node.depth + 1;
    child.key = child_key(node.key, branch);
    rows.clear();
    if (node.is_few)
      for (std::uint32_t i = child.begin; i < child.end; ++i)
        rows.push_back(mine.few.row(mine.few.number_at(column, i)));
    else
      lists_.each_row(node, column, child.begin - node.begin, child.end - node.begin,
                      [&](std::uint32_t, std::uint32_t row) { rows.push_back(row); });
    measure(child, rows, mine.regression);
    children.push_back(child);
    if (branch == 0) {
      split.code = lists_.row_code(column, split.code);
      split.next_code = lists_.row_code(column, split.next_code);
      info.lowest.prefetch_at(split.code);
      info.lowest.prefetch_at(split.next_code);
    }
  }
  const bool has_rows = !children[0].is_leaf || !children[1].is_leaf;  // that go on
  if (has_rows)
    node.is_few ? partition_few(node, split, mine)
                : partition_lists(node, split, children, workers, mine);
  set_threshold(plan_, info, split);  // last: its values are on their way
}

void RegressionLists::partition_few(const Waiting& node, const Split& split, Desk& mine) {
  const auto column = static_cast<std::uint32_t>(split.column);
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < split.rows_left; ++i)
    left |= 1u << mine.few.number_at(column, node.begin + i);
  const std::span<const std::uint32_t> columns = mine.non_constant.view(node.non_constant);
  step_kernels().few_partition({mine.few.items() + node.begin, node.n_rows(), left}, columns.data(),
                               columns.size());
}

void RegressionLists::partition_lists(const Waiting& node, const Split& split,
                                      std::span<const Waiting> children, Workers workers,
                                      Desk& mine) {
  const FlagKernels& kernel = flag_kernels();
  const auto run = node.is_short ? kernel.partition_short : kernel.partition;
  const auto own = static_cast<std::uint32_t>(split.column);
  const auto n_left = static_cast<std::uint32_t>(split.rows_left);
  const std::uint32_t n = node.n_rows();
  const bool moves_left = 2 * n_left <= n;
  const Keep keep = children[1].is_leaf   ? Keep::left
                    : children[0].is_leaf ? Keep::right
                                          : Keep::both;
  if (node.is_short) std::ranges::fill(mine.moved_short, 0u);
  if (!node.is_short && mine.moved.empty()) mine.moved.resize(target_.n_rows / 32 + 1);
  std::uint32_t* moved = node.is_short ? mine.moved_short : mine.moved.data();
  const auto each_moved = [&](auto visit) {
    lists_.each_row(node, own, moves_left ? 0 : n_left, moves_left ? n_left : n,
                    [&](std::uint32_t number, std::uint32_t) { visit(number); });
  };
  each_moved([&](std::uint32_t number) { moved[number >> 5] |= 1u << (number & 31); });
  const auto partition_list = [&](std::uint32_t column, Desk& desk) {
    if (desk.spare.size() < n + vector_items) desk.spare.resize(n + vector_items);
    if (column != own)
      run({lists_.items(node, column), n, lists_.layout(node.is_short), moved, moves_left, keep,
           desk.spare.data()});
  };
  const std::span<const std::uint32_t> columns = mine.non_constant.view(node.non_constant);
  if (workers.n == 1 || std::size_t{n} * columns.size() < shared_cells)
    for (const std::uint32_t column : columns) partition_list(column, mine);
  else
    pool_.run(static_cast<int>(columns.size()), [&](int i, int worker) {
      partition_list(columns[static_cast<std::size_t>(i)],
                     *desks_[static_cast<std::size_t>(worker)]);
    });
  if (!node.is_short) each_moved([&](std::uint32_t number) { moved[number >> 5] = 0; });
}

std::span<const double> RegressionLists::statistics(const Waiting& node, std::size_t,
                                                    Workers workers) {
  Desk& mine = desk(workers);
  mine.statistics[0] = node.output.value;
  mine.statistics[1] = node.impurity;
  mine.statistics[2] = node.sums[0];
  return mine.statistics;
}

void RegressionLists::hand_over(Waiting& node) {
  handed_over_.give(desks_[0]->non_constant, node.non_constant);
}

void RegressionLists::take_over(Waiting& node, Workers workers) {
  handed_over_.take(node.non_constant, desk(workers).non_constant);
}

}  // namespace ramify

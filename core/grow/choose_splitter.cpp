// SPDX-License-Identifier: BSD-3-Clause
#include "grow/choose_splitter.hpp"

#include <algorithm>

#include "rows/row_indices.hpp"
#include "rows/sorted_lists.hpp"
#include "scan/sorted_scan.hpp"
#include "splitters/coded_classes.hpp"
#include "splitters/sorted_regression.hpp"

namespace ramify {
namespace {

/// Is a tree grown depth first, of one output of classes, with no rules besides the criterion?
bool is_plain(const Table& table, const Plan& plan) {
  const bool has_rules = plan.c45.any() || plan.threshold_cost || plan.by_test != ByTest::none ||
                         plan.oblique || plan.gives_up || plan.n_recorded > 0 || plan.central_cuts;
  const bool has_fractions =
      plan.missing == Missing::fractional &&
      std::ranges::any_of(table.columns, [](const Column& column) { return column.n_missing > 0; });
  return !has_rules && !has_fractions && plan.max_leaves == 0;
}

/// Is the criterion built in, and settles nothing but by its score, from counts alone?
bool is_one_score(const ChosenCriterion& criterion) {
  return criterion.builtin && !criterion.builtin->tie_break &&
         !criterion.builtin->knows_classes() && !criterion.splits_on_ties;
}

/// Regression with random cuts: one output, a criterion of sums, rows with a value in every column.
bool fits_coded_regression(const Table& table, const Target& target, const Plan& plan) {
  const bool is_plain = target.is_numeric() && target.n_outputs() == 1 && plan.random_cuts &&
                        plan.criterion.numeric && !plan.criterion.is_ordered();
  const bool has_rules = plan.gives_up || plan.min_leaf_share > 0 || !plan.monotonic.empty() ||
                         plan.n_recorded > 0 || plan.max_leaves > 0 || plan.by_test != ByTest::none;
  return is_plain && !has_rules && table.row_values().values;
}

/// Regression by squared error: one output, numeric columns without missing values, and nothing
/// that limits the cuts but the number of rows. Weights are integers.
bool fits_sorted_regression(const Table& table, const Target& target, const Plan& plan) {
  const bool is_plain =
      target.is_numeric() && target.n_outputs() == 1 && !plan.random_cuts &&
      plan.criterion.numeric && plan.criterion.loss() == RegressionLoss::squared &&
      !plan.criterion.is_ordered() && plan.min_leaf_share == 0 && plan.monotonic.empty();
  if (!is_plain || target.n_rows >= SortedRegression::max_weight) return false;
  const bool has_values = std::ranges::none_of(table.columns, [](const Column& column) {
    return column.is_categorical || column.n_missing > 0;
  });
  double total = 0;
  for (const double weight : target.weight) {
    if (!(weight >= 1)) return false;
    total += weight;
  }
  return has_values && total < SortedRegression::max_weight;
}

/// Does each node look at few columns?
bool looks_at_few(const Table& table, const Target& target, const Plan& plan) {
  const bool has_limits = plan.min_leaf_share > 0 || !plan.monotonic.empty();
  const bool has_branches = std::ranges::any_of(table.columns, [&](const Column& column) {
    return column.is_categorical && plan.categories == Categories::multiway;
  });
  return samples_columns(table, plan) && is_one_score(plan.criterion) && !has_limits &&
         !has_branches && has_keys(table, target);
}

/// Codes of a column, on average, up to which to count beats to walk along lists: a node costs what
/// its codes cost, however few its rows are. Measured on 150 to 60,000 rows of 20 columns.
std::size_t max_counted_codes(const Plan& plan) {
  return integer_kernels().of(plan.criterion.builtin->info->name) ? 128 : 32;
}

/// Are there only numeric columns of few codes, and rows that count?
bool fits_low_cardinality(const Table& table, const Target& target, const Plan& plan) {
  if (!is_one_score(plan.criterion) || !may_count_rows(target, plan) || !plan.monotonic.empty() ||
      plan.min_leaf_share > 0)
    return false;
  std::size_t n_codes = 0;
  for (const Column& column : table.columns) {
    if (!column.is_low_cardinality() || column.is_categorical || column.n_missing > 0) return false;
    n_codes += column.n_codes();
  }
  return n_codes <= max_counted_codes(plan) * table.columns.size() && has_keys(table, target);
}

/// Are there only numbers? Without wide vectors, and where weights are looked up, columns of few
/// values are counted faster than walked along.
bool fits_lists(const Table& table, const Target& target, const Plan& plan) {
  std::size_t n_wide = 0;
  for (const Column& column : table.columns) {
    if (column.is_categorical) return false;
    n_wide += !column.is_low_cardinality();
  }
  if (plan.random_cuts || !target.is_plain()) return false;
  const ChosenCriterion& own = plan.criterion;
  const bool has_score =
      own.builtin || own.compiled || (own.interpreted && !own.interpreted_tie_break);
  if (!has_score || (!target.weight.empty() && !is_one_score(own))) return false;
  const bool all_weigh = std::ranges::all_of(target.weight, [](double w) { return w > 0; });
  if (!all_weigh || !SortedLists::fit(target)) return false;
  return 2 * n_wide >= table.columns.size() ||
         (sorted_kernels().has_wide_lanes && target.weight.empty());
}

struct Choice {
  SplitterKind splitter;
  bool needs_plain;  // see is_plain
  bool (*fits)(const Table&, const Target&, const Plan&);
};

constexpr Choice choices[] = {
    {SplitterKind::dgmml, false,
     [](const Table&, const Target&, const Plan& plan) { return plan.dgmml.has_value(); }},
    {SplitterKind::coded_regression, false, fits_coded_regression},
    {SplitterKind::regression_lists, true, fits_sorted_regression},
    {SplitterKind::coded_classes, true, looks_at_few},
    {SplitterKind::coded_classes, true, fits_low_cardinality},
    {SplitterKind::lists, true, fits_lists},
    {SplitterKind::axis, false, [](const Table&, const Target&, const Plan&) { return true; }},
};

}  // namespace

SplitterKind choose_splitter(const Table& table, const Target& target, const Plan& plan) {
  const bool plain = is_plain(table, plan);
  return std::ranges::find_if(choices,
                              [&](const Choice& row) {
                                return (plain || !row.needs_plain) && row.fits(table, target, plan);
                              })
      ->splitter;
}

}  // namespace ramify

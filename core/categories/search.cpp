// SPDX-License-Identifier: BSD-3-Clause
#include "categories/search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "select/admissible.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

/// From the sorted list of a high-cardinality column.
void collect_from_list(const Training& training, const NodeColumn& column, std::uint32_t n_wanted,
                       CategorySums& categories) {
  const std::uint64_t* items = training.store.list(column.number) + column.node.begin;
  const ItemLayout layout = training.store.layout();
  const std::uint32_t n = column.node.n_rows();
  for (std::uint32_t i = 0, end = 0; i < n; i = end) {
    const std::uint32_t code = layout.code(items[i]);
    if (code >= n_wanted) return;
    while (end < n && layout.code(items[end]) == code) ++end;
    kernels().sum_items(items + i, end - i, layout, column.channels.channels,
                        categories.add(code, end - i));
  }
}

/// From sums that were counted elsewhere.
void collect_from_given(const NodeColumn& column, std::uint32_t n_wanted,
                        CategorySums& categories) {
  const NodeSums& given = *column.given;
  const NodeChannels& channels = column.channels;
  for (std::uint32_t code = 0; code < n_wanted; ++code) {
    const std::int64_t* cell = given.cell(static_cast<std::size_t>(column.number), code);
    const std::int64_t rows = given.rows(cell);
    if (rows == 0) continue;
    double* to = categories.add(code, static_cast<std::uint64_t>(rows));
    for (std::size_t k = 0; k < given.n_classes; ++k)
      if (cell[k] != 0) to[channels.place(k)] = given.amount(cell, k);
  }
}

/// From the histogram of a low-cardinality column, which is left at zero.
void collect_from_sums(const Target& target, std::uint32_t n_codes, std::uint32_t n_wanted,
                       CodeSums& sums, CategorySums& categories) {
  const bool counted = target.is_counted(), whole = target.is_integer();
  const int n = categories.n_channels;
  for (std::uint32_t code = 0; code <= n_codes; ++code) {
    if (!(sums.present[code / 64] >> (code % 64) & 1)) continue;
    std::uint32_t* counts = sums.counts + code * static_cast<std::uint32_t>(n);
    double* from = sums.sums + code * static_cast<std::uint32_t>(n);
    const std::uint64_t rows =
        counted ? std::accumulate(counts, counts + n, 0u) : sums.take_rows(code);
    if (rows > 0 && code < n_wanted) {
      double* to = categories.add(code, rows);
      whole ? std::copy_n(counts, n, to) : std::copy_n(from, n, to);
    }
    whole ? void(std::fill_n(counts, n, 0u)) : void(std::fill_n(from, n, 0.0));
  }
}

}  // namespace

void collect_categories(const Training& training, const NodeColumn& column, CategorySums& sums) {
  const Column& info = training.column(column.number);
  sums.clear(column.channels.size());
  const std::uint32_t n_wanted = column.channels.known_only ? info.n_codes() : info.n_codes() + 1;
  if (info.is_low_cardinality())
    collect_from_sums(training.target, info.n_codes(), n_wanted, *column.sums, sums);
  else if (column.given)
    collect_from_given(column, n_wanted, sums);
  else
    collect_from_list(training, column, n_wanted, sums);
}

bool has_named_side(const Training& training, int column, const CategorySums& categories) {
  return is_side_named(training.plan.missing) && categories.size() > 0 &&
         categories.code.back() == training.column(column).n_codes();
}

namespace {

/// Poisson deviance rejects a side of zeros: the mean of such a side, as computed from its sums.
double refused_mean(const Plan& plan, const NodeChannels& channels) {
  if (!channels.regression || !plan.criterion.refuses_zeros()) return minus_infinity;
  const auto [centre, scale] = channels.fixed_point_of(channels.outputs[0]);
  const double mean = channels.parent[1] / channels.parent[0];
  return mean + (1e-13 - 1) * (centre / scale + mean);
}

}  // namespace

bool start_subsets(const Training& training, const NodeColumn& column, CategoryBuffers& buffers) {
  const Plan& plan = training.plan;
  const NodeChannels& channels = column.channels;
  CategorySums& categories = buffers.sums;
  collect_categories(training, column, categories);
  std::span<const double> always_left;
  std::uint64_t rows_always_left = 0;
  const bool has_fixed = has_named_side(training, column.number, categories);
  if (has_fixed) {
    buffers.fixed.assign(categories.sums.end() - channels.size(), categories.sums.end());
    if (is_left_named(plan.missing)) {
      always_left = buffers.fixed;
      rows_always_left = categories.rows.back();
    }
    categories.pop();
  }
  if (categories.size() < 2) return false;
  const bool is_limited = has_fixed || leaf_limits(plan).any() || plan.c45.min_branch > 0 ||
                          (plan.by_test == ByTest::ctree && plan.ctree.min_share > 0);
  const bool is_single =
      channels.regression ? channels.outputs.size() == 1 : training.target.is_plain();
  buffers.subsets.start(
      plan, categories,
      {.parent = channels.parent,
       .n_classes = channels.size() - training.target.n_extra,
       .first_output_classes = channels.outputs[0].n_classes,
       .is_single = is_single,
       .always_left = always_left,
       .rows_always_left = rows_always_left,
       .is_limited = is_limited,
       .seed = column.node.key ^ mix(static_cast<std::uint64_t>(column.number) + 1),
       .n_stats = channels.n_stats,
       .limits = tried_limits(plan, training.target, channels.outputs[0].total),
       .has_fixed = has_fixed,
       .refused_mean = refused_mean(plan, channels)});
  return true;
}

Split best_multiway(const Training& training, const NodeColumn& column, CategoryBuffers& buffers) {
  const Plan& plan = training.plan;
  const NodeChannels& channels = column.channels;
  CategorySums& categories = buffers.sums;
  collect_categories(training, column, categories);
  Split split;
  if (has_named_side(training, column.number, categories)) {
    split.missing_left = is_left_named(plan.missing);
    categories.join_last(split.missing_left ? 0 : categories.size() - 2);
  }
  const auto n = static_cast<std::uint32_t>(categories.size());
  if (n < 2) return Split::constant();
  split.kind = SplitKind::categories;
  split.codes = categories.code;
  split.n_branches = n;
  split.branches.resize(n);
  std::iota(split.branches.begin(), split.branches.end(), 0u);
  split.n_tried = 1;

  const auto& first = channels.outputs[0];
  std::uint32_t n_large = 0;  // branches that C4.5 counts
  for (std::size_t i = 0; i < n; ++i) {
    const auto own = categories.of(i);
    const double weight = std::accumulate(own.begin(), own.begin() + first.n_classes, 0.0);
    if (!tried_limits(plan).allows(categories.rows[i], weight)) return split;
    n_large += weight * training.target.unit + 1e-6 >= plan.c45.min_branch;
    const double share = weight / first.total;
    split.branch_entropy -= share * RAMIFY_KERNELS::log2_of(share);
  }
  if (n_large < 2) return split;
  buffers.terms.resize(3 * n);
  const auto mean = [&](ScoreBranches score) {
    double sum = 0;
    std::vector<std::uint32_t> classes;
    for (const auto& output : channels.outputs) {
      if (output.n_present < 2) continue;
      channels.list_classes(output, classes);
      sum += score({channels.parent.data() + output.first, output.total, output.n_classes,
                    categories.sums.data() + output.first, channels.size(), static_cast<int>(n),
                    buffers.terms.data(), training.target.unit, plan.criterion.builtin.get(),
                    classes.data()});
    }
    return sum / static_cast<double>(channels.outputs.size());
  };
  split.column = column.number;
  split.score = split.best = mean(plan.criterion.builtin->score_branches);
  if (plan.criterion.builtin->tie_break_branches)
    split.tie_break = mean(plan.criterion.builtin->tie_break_branches);
  return split;
}

void list_codes(const Training& training, const NodeColumn& column, Split& split,
                CategoryBuffers& buffers) {
  start_subsets(training, column, buffers);
  split.codes = buffers.sums.code;
  for (const std::uint8_t is_left : buffers.subsets.left_of(split.code))
    split.branches.push_back(is_left ? 0 : 1);
  split.is_optimal = buffers.subsets.is_optimal();
  split.missing_left = is_left_named(training.plan.missing);
}

}  // namespace ramify

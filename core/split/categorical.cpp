// SPDX-License-Identifier: BSD-3-Clause
// The search in a column of categories: a subset of them against the rest, or one branch for each.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "split/each_block.hpp"

namespace ramify {

/// Sums the rows of each category that occurs in the node, into scratch.categories. The last may be
/// "missing", unless such rows are left out.
void Search::collect_categories(const Node& node, const NodeChannels& channels, int column,
                                CodeSums* sums, Scratch& scratch) const {
  const Column& info = table.columns[column];
  const int n = channels.size();
  CategorySums& categories = scratch.categories;
  categories.clear(n);
  const std::uint32_t n_wanted = channels.known_only ? info.n_codes() : info.n_codes() + 1;
  if (!info.is_narrow()) {
    const std::uint64_t* items = store.list(column) + node.begin;
    const ItemLayout layout = store.layout();
    for (std::uint32_t i = 0, end = 0; i < node.n_rows(); i = end) {
      const std::uint32_t code = layout.code(items[i]);
      if (code >= n_wanted) return;
      while (end < node.n_rows() && layout.code(items[end]) == code) ++end;
      kernels_.sum_items(items + i, end - i, layout, channels.channels,
                         categories.add(code, end - i));
    }
    return;
  }
  const bool counted = target.is_counted(), whole = target.is_whole();
  for (std::uint32_t code = 0; code <= info.n_codes(); ++code) {
    if (!(sums->present[code / 64] >> (code % 64) & 1)) continue;
    std::uint32_t* counts = sums->counts + code * static_cast<std::uint32_t>(n);
    double* from = sums->sums + code * static_cast<std::uint32_t>(n);
    const std::uint32_t rows =
        counted ? std::accumulate(counts, counts + n, 0u) : std::exchange(sums->rows[code], 0);
    if (rows > 0 && code < n_wanted) {
      double* to = categories.add(code, rows);
      whole ? std::copy_n(counts, n, to) : std::copy_n(from, n, to);
    }
    whole ? void(std::fill_n(counts, n, 0u)) : void(std::fill_n(from, n, 0.0));
  }
}

/// Do the missing rows of these categories go to a side that the user has named?
bool Search::is_forced(int column, const CategorySums& categories) const {
  return is_side_named(plan.missing) && categories.size() > 0 &&
         categories.code.back() == table.columns[column].n_codes();
}

/// Prepares the subsets of a column. False if it is constant in the node.
bool Search::start_subsets(const Node& node, const NodeChannels& channels, int column,
                           CodeSums* sums, Scratch& scratch) const {
  collect_categories(node, channels, column, sums, scratch);
  CategorySums& categories = scratch.categories;
  std::span<const double> always_left;
  std::uint32_t rows_always_left = 0;
  const bool has_forced = is_forced(column, categories);
  if (has_forced) {
    scratch.missing.assign(categories.sums.end() - channels.size(), categories.sums.end());
    if (plan.missing == Missing::left) {
      always_left = scratch.missing;
      rows_always_left = categories.rows.back();
    }
    categories.pop();
  }
  if (categories.size() < 2) return false;
  const bool is_limited = has_forced || leaf_limits(plan).any() || plan.c45.min_branch > 0;
  scratch.subsets.start(
      plan, categories,
      {channels.parent, channels.size() - target.n_extra, channels.outputs[0].n_classes,
       numbers ? channels.outputs.size() == 1 : target.is_plain(), always_left, rows_always_left,
       is_limited, node.key ^ mix(static_cast<std::uint64_t>(column) + 1),
       numbers ? numbers->n_stats() : 0});
  return true;
}

/// One branch for each category.
Split Search::best_multiway(const Node& node, const NodeChannels& channels, int column,
                            CodeSums* sums, Scratch& scratch) const {
  collect_categories(node, channels, column, sums, scratch);
  CategorySums& categories = scratch.categories;
  Split split;
  if (is_forced(column, categories)) {
    split.missing_left = plan.missing == Missing::left;
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
  std::uint32_t n_large = 0;  // branches that Quinlan would have
  for (std::size_t i = 0; i < n; ++i) {
    const auto own = categories.of(i);
    const double weight = std::accumulate(own.begin(), own.begin() + first.n_classes, 0.0);
    if (!tried_limits(plan).allows(categories.rows[i], weight)) return split;
    n_large += weight * target.unit + 1e-6 >= plan.c45.min_branch;
    const double share = weight / first.total;
    split.branch_entropy -= share * RAMIFY_KERNELS::log2_of(share);
  }
  if (n_large < 2) return split;
  scratch.terms.resize(2 * n);
  const auto mean = [&](ScoreBranches score) {
    double sum = 0;
    for (const auto& output : channels.outputs)
      if (output.n_present > 1)
        sum += score({channels.parent.data() + output.first, output.total, output.n_classes,
                      categories.sums.data() + output.first, channels.size(), static_cast<int>(n),
                      scratch.terms.data()});
    return sum / static_cast<double>(channels.outputs.size());
  };
  split.column = column;
  split.score = split.best = mean(plan.criterion.builtin->score_branches);
  if (plan.criterion.builtin->tie_break_branches)
    split.tie_break = mean(plan.criterion.builtin->tie_break_branches);
  return split;
}

CodeSums* Search::sums_for(const Node& node, const NodeChannels& channels, int column,
                           Scratch& scratch) const {
  const auto name = static_cast<std::uint32_t>(column);
  if (table.columns[column].is_narrow()) sum_columns(node, channels, std::span(&name, 1), scratch);
  return scratch.sums.data();
}

/// Writes down which categories the chosen subset of a column puts on which side.
void Search::list_codes(const Node& node, Split& split, Scratch& scratch) const {
  const NodeChannels channels = channels_for(node, split.column);
  const auto name = static_cast<std::uint32_t>(split.column);
  if (table.columns[split.column].is_narrow())
    sum_columns(node, channels, std::span(&name, 1), scratch);
  start_subsets(node, channels, split.column, scratch.sums.data(), scratch);
  split.codes = scratch.categories.code;
  for (const std::uint8_t is_left : scratch.subsets.left_of(split.code))
    split.branches.push_back(is_left ? 0 : 1);
  split.is_optimal = scratch.subsets.is_optimal();
  split.missing_left = plan.missing == Missing::left;
}

}  // namespace ramify

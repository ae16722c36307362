// SPDX-License-Identifier: BSD-3-Clause
// dGMML for a categorical column, which counts as the block of its indicators.
#include <algorithm>
#include <numeric>

#include "dgmml/search.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

/// Class weights of the rows of all categories.
std::vector<double> known_weights(const CategorySums& categories) {
  std::vector<double> known(static_cast<std::size_t>(categories.n_channels));
  for (std::size_t v = 0; v < categories.size(); ++v)
    for (std::size_t k = 0; k < known.size(); ++k) known[k] += categories.of(v)[k];
  return known;
}

std::uint64_t known_rows(const CategorySums& categories) {
  return std::accumulate(categories.rows.begin(), categories.rows.end(), std::uint64_t{0});
}

}  // namespace

/// Sums the rows of each category that occurs in the node. The last may be "missing", unless the
/// user chose a side for missing values.
void DgmmlSearch::sum_categories(const DgmmlNode& node, int column, DgmmlScratch& scratch) const {
  read_column(node, column, scratch);
  const std::uint32_t n_codes = table_.columns[column].n_codes();
  if (scratch.place.size() <= n_codes) scratch.place.resize(n_codes + 1);
  std::vector<std::uint32_t> found;
  for (const std::uint32_t code : scratch.codes)
    if (!std::exchange(scratch.place[code], 1)) found.push_back(code);
  std::ranges::sort(found);
  CategorySums& categories = scratch.categories;
  categories.clear(static_cast<int>(scratch.n_channels));
  for (std::uint32_t i = 0; i < found.size(); ++i) {
    scratch.place[found[i]] = i;
    categories.add(found[i], 0);
  }
  for (std::size_t i = 0; i < scratch.codes.size(); ++i) {
    const std::uint32_t at = scratch.place[scratch.codes[i]];
    categories.rows[at] += scratch.times_of(i);
    categories.sums[at * scratch.n_channels + scratch.channel[i]] += scratch.weight_of(i);
  }
  for (const std::uint32_t code : found) scratch.place[code] = 0;
  if (plan_.missing != Missing::both && !found.empty() && found.back() == n_codes) categories.pop();
}

double DgmmlSearch::score_categories(const CategorySums& categories) const {
  const auto n = static_cast<std::size_t>(categories.n_channels);
  const std::vector<double> known = known_weights(categories);
  double all = 0;
  int n_present = 0;
  for (const double weight : known) {
    n_present += weight > 0;
    all += weight;
  }
  if (n_present < 2) return 0;
  double between = 0, scatter = 0, within = all;
  for (std::size_t v = 0; v < categories.size(); ++v) {
    double middle = 0, mean = 0;
    for (std::size_t k = 0; k < n; ++k)
      if (known[k] > 0) {
        middle += categories.of(v)[k] / known[k] / n_present;
        mean += categories.of(v)[k] / all;
      }
    for (std::size_t k = 0; k < n; ++k)
      if (known[k] > 0) {
        const double share = categories.of(v)[k] / known[k];
        between += (share - middle) * (share - middle);
        scatter += known[k] * (share - mean) * (share - mean);
        within -= known[k] * share * share;
      }
  }
  between = rules_.by_scatter ? scatter : between * n_present / target_.unit;
  return squared_weight(between, within, scatter);
}

Split DgmmlSearch::part(const DgmmlNode& node, int column, DgmmlScratch& scratch) const {
  sum_categories(node, column, scratch);
  Split split;
  split.kind = SplitKind::categories;
  split.codes = scratch.categories.code;
  split.branches.resize(split.codes.size());
  split.missing_left = is_left_named(plan_.missing);
  if (partition_by_share(split, scratch) || partition_by_gini(node, split, scratch))
    split.column = column;
  return split;
}

/// Two classes: separates the categories that are more frequent in one class than in the other.
/// Returns false if that is not admissible.
bool DgmmlSearch::partition_by_share(Split& split, const DgmmlScratch& scratch) const {
  const CategorySums& categories = scratch.categories;
  const std::vector<double> known = known_weights(categories);
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < known.size(); ++k)
    if (known[k] > 0) present.push_back(k);
  if (present.size() != 2) return false;

  const double all = std::accumulate(scratch.parent.begin(), scratch.parent.end(), 0.0);
  const std::uint64_t n_rows = scratch.n_rows;
  double left = split.missing_left ? all - known[present[0]] - known[present[1]] : 0;
  std::uint64_t rows_left = split.missing_left ? n_rows - known_rows(categories) : 0;
  std::uint32_t n_left = 0;
  bool first_is_high = false;
  for (std::size_t v = 0; v < categories.size(); ++v) {
    const auto own = categories.of(v);
    const bool is_high = own[present[1]] * known[present[0]] > own[present[0]] * known[present[1]];
    if (v == 0) first_is_high = is_high;
    const bool is_left = is_high == first_is_high;  // the side of the lowest category
    split.branches[v] = is_left ? 0 : 1;
    if (!is_left) continue;
    ++n_left;
    rows_left += categories.rows[v];
    left += own[present[0]] + own[present[1]];
  }
  const auto n = static_cast<std::uint32_t>(categories.size());
  const bool fits = plan_.max_subset == 0 || std::min(n_left, n - n_left) <= plan_.max_subset;
  return n_left < n && fits && leaf_limits(plan_).allow(rows_left, n_rows, left, all);
}

/// The best subset by Gini.
bool DgmmlSearch::partition_by_gini(const DgmmlNode& node, Split& split,
                                    DgmmlScratch& scratch) const {
  const CategorySums& categories = scratch.categories;
  const std::size_t n = scratch.n_channels;
  const std::uint64_t n_rows = scratch.n_rows;
  const std::uint64_t n_missing = n_rows - known_rows(categories);
  std::vector<double> always_left;
  if (split.missing_left) {
    always_left = scratch.parent;
    for (std::size_t v = 0; v < categories.size(); ++v)
      for (std::size_t k = 0; k < n; ++k) always_left[k] -= categories.of(v)[k];
  }
  scratch.subsets.start(
      by_gini_, categories,
      {.parent = scratch.parent,
       .n_classes = static_cast<int>(n),
       .first_output_classes = static_cast<int>(n),
       .is_single = true,
       .always_left = always_left,
       .rows_always_left = split.missing_left ? n_missing : 0,
       .is_limited = n_missing > 0 || leaf_limits(plan_).any(),
       .seed = node.node.key ^ mix(static_cast<std::uint64_t>(scratch.column) + 1),
       .limits = leaf_limits(plan_),
       .has_fixed = n_missing > 0});
  const double total = std::accumulate(scratch.parent.begin(), scratch.parent.end(), 0.0);
  std::vector<double> sums(n * CutBlock::stride), left(n);
  CutBlock block{};
  block.left = sums.data();
  double best = minus_infinity;
  std::uint32_t number = 0;
  for (scratch.subsets.next(block); block.n_cuts > 0; scratch.subsets.next(block)) {
    for (int i = 0; i < block.n_cuts; ++i) {
      for (std::size_t k = 0; k < n; ++k)
        left[k] = sums[k * CutBlock::stride + static_cast<std::size_t>(i)];
      const double weight = std::accumulate(left.begin(), left.end(), 0.0);
      if (!leaf_limits(plan_).allow(block.rows_left[i], n_rows, weight, total)) continue;
      const double gain = gini_gain(left, scratch.parent);
      if (best > minus_infinity && !beats(gain, best)) continue;
      best = gain;
      number = block.code[i];
    }
  }
  if (best == minus_infinity) return false;
  const std::vector<std::uint8_t> is_left = scratch.subsets.left_of(number);
  for (std::size_t v = 0; v < is_left.size(); ++v) split.branches[v] = is_left[v] ? 0 : 1;
  return true;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Where dGMML cuts a numeric column: between the nearest rows of two classes, at the median or at
// the mean.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "dgmml/search.hpp"

namespace ramify {

double gini_gain(std::span<const double> left, std::span<const double> all) {
  double n_left = 0, n = 0, squares = 0, squares_left = 0, squares_right = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double right = all[k] - left[k];
    n_left += left[k];
    n += all[k];
    squares += all[k] * all[k];
    squares_left += left[k] * left[k];
    squares_right += right * right;
  }
  return (squares_left / n_left + squares_right / (n - n_left) - squares / n) / n;
}

void Highest::take(std::uint32_t key) {
  if (keys_.size() == q_) {
    std::ranges::pop_heap(keys_, std::greater{});
    keys_.back() = key;
  } else {
    keys_.push_back(key);
  }
  std::ranges::push_heap(keys_, std::greater{});
  if (keys_.size() == q_) to_beat_ = keys_.front();
}

Split DgmmlSearch::cut(const DgmmlNode& node, int column, DgmmlScratch& scratch) const {
  // With two classes the moments of the node already order them, and the gap needs no more. Else
  // means are recomputed: those of integers are exact then, and ties are ties.
  if (!by_code_ && scratch.n_channels == 2 && rules_.split_point == SplitPoint::gap)
    look_up(node, column, scratch);
  else
    look_at_rows(node, column, scratch);
  if (scratch.column != column) read_column(node, column, scratch);
  std::tie(scratch.lowest_code, scratch.highest_code) = known_range(column, scratch);
  std::vector<std::size_t> order;  // channels by mean
  for (std::size_t k = 0; k < scratch.n_channels; ++k)
    if (scratch.moments.weight[k] > 0) order.push_back(k);
  std::ranges::sort(order, {},
                    [&](std::size_t k) { return std::pair(scratch.moments.mean[k], k); });
  Split split = best_cut(thresholds(rules_.split_point, order, scratch), scratch);
  if (split.column >= 0) return split;
  look_at_rows(node, column, scratch);
  for (const SplitPoint rule :
       {SplitPoint::gap, SplitPoint::median, SplitPoint::mean, SplitPoint::midpoint}) {
    if (rule == rules_.split_point) continue;
    split = best_cut(thresholds(rule, order, scratch), scratch);
    if (split.column >= 0) break;
  }
  return split;
}

/// One threshold, or one for every two classes that are adjacent in the order of their means.
std::vector<double> DgmmlSearch::thresholds(SplitPoint rule, std::span<const std::size_t> order,
                                            DgmmlScratch& scratch) const {
  switch (rule) {
    case SplitPoint::gap:
      return gaps(order, scratch);
    case SplitPoint::median:
      return {median(scratch)};
    case SplitPoint::mean:
      return {scratch.moments.total_mean()};
    case SplitPoint::midpoint:
      break;
  }
  std::vector<double> middles;
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    middles.push_back(scratch.moments.origin +
                      (scratch.moments.mean[order[i]] + scratch.moments.mean[order[i + 1]]) / 2);
  return middles;
}

/// The midpoint between the mean of the q highest rows of the lower class and the mean of the q
/// lowest rows of the upper one.
std::vector<double> DgmmlSearch::gaps(std::span<const std::size_t> order,
                                      DgmmlScratch& scratch) const {
  const std::uint32_t n_codes = table_.columns[scratch.column].n_codes();
  auto &top = scratch.top, &bottom = scratch.bottom;
  if (top.size() < scratch.n_channels) top.resize(scratch.n_channels);
  if (bottom.size() < scratch.n_channels) bottom.resize(scratch.n_channels);
  const std::uint32_t q = rules_.n_gap_points / 2;
  for (std::size_t i = 0; i < order.size(); ++i) {
    top[order[i]].start(i + 1 < order.size() ? q : 0);
    bottom[order[i]].start(i > 0 ? q : 0);
  }
  for (std::size_t i = 0; i < scratch.codes.size(); ++i) {
    const std::uint32_t code = scratch.codes[i];
    if (code == n_codes) continue;
    const std::uint64_t times = std::min<std::uint64_t>(scratch.times_of(i), q);
    for (std::uint64_t t = 0; t < times; ++t) {
      top[scratch.channel[i]].show(code);
      bottom[scratch.channel[i]].show(n_codes - code);
    }
  }
  std::vector<double> found;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const std::size_t low = order[i], high = order[i + 1];
    found.push_back(std::midpoint(mean_of_extremes(top[low].sorted(), low, true, scratch),
                                  mean_of_extremes(bottom[high].sorted(), high, false, scratch)));
  }
  return found;
}

/// The weighted mean of the extreme rows of a class. All rows at the last key, which differ only in
/// weight, are included by equal fractions, so that the order of rows does not matter.
double DgmmlSearch::mean_of_extremes(std::span<const std::uint32_t> keys, std::size_t channel,
                                     bool is_top, const DgmmlScratch& scratch) const {
  const Column& column = table_.columns[scratch.column];
  const std::uint32_t n_codes = column.n_codes();
  const auto value = [&](std::uint32_t key) { return column.lower(is_top ? key : n_codes - key); };
  const double origin = value(keys[0]);
  double sum = 0, all = 0;
  const auto add = [&](std::uint32_t key, double weight) {
    sum += weight * (value(key) - origin);
    all += weight;
  };
  if (scratch.weight.empty()) {
    for (const std::uint32_t key : keys) add(key, 1);
    return origin + sum / all;
  }
  std::vector<std::pair<std::uint32_t, double>> beyond;
  double tied_weight = 0, n_tied = 0, n_beyond = 0;
  for (std::size_t i = 0; i < scratch.codes.size(); ++i) {
    const std::uint32_t code = scratch.codes[i], key = is_top ? code : n_codes - code;
    if (scratch.channel[i] != channel || code == n_codes || key < keys.back()) continue;
    if (key > keys.back()) {
      beyond.emplace_back(key, scratch.weight[i]);
      n_beyond += static_cast<double>(scratch.times_of(i));
    } else {
      tied_weight += scratch.weight[i];
      n_tied += static_cast<double>(scratch.times_of(i));
    }
  }
  std::ranges::sort(beyond);
  for (const auto& [key, weight] : beyond) add(key, weight);
  add(keys.back(), tied_weight * ((static_cast<double>(keys.size()) - n_beyond) / n_tied));
  return origin + sum / all;
}

/// The value up to which half of the weight lies; the midpoint of two values if exactly half does.
double DgmmlSearch::median(const DgmmlScratch& scratch) const {
  const Column& column = table_.columns[scratch.column];
  std::vector<std::pair<std::uint32_t, double>> items;
  double all = 0;
  for (std::size_t i = 0; i < scratch.codes.size(); ++i) {
    if (scratch.codes[i] == column.n_codes()) continue;
    items.emplace_back(scratch.codes[i], scratch.weight_of(i));
    all += items.back().second;
  }
  // More than half lies before `last`, at most half before `first`.
  auto first = items.begin(), last = items.end();
  double before = 0;
  while (last - first > 1) {
    const auto middle = first + (last - first) / 2;
    std::ranges::nth_element(first, middle, last, {}, [](const auto& item) { return item.first; });
    double weight = before;
    for (auto item = first; item != middle; ++item) weight += item->second;
    if (weight == all / 2) {
      const auto below =
          std::ranges::max_element(first, middle, {}, [](const auto& item) { return item.first; });
      return std::midpoint(column.lower(below->first), column.lower(middle->first));
    }
    if (weight > all / 2) {
      last = middle;
    } else {
      first = middle;
      before = weight;
    }
  }
  return column.lower(first->first);
}

/// The best of some thresholds by Gini, with the missing values on the better side.
Split DgmmlSearch::best_cut(std::span<const double> candidates, DgmmlScratch& scratch) const {
  const Column& column = table_.columns[scratch.column];
  std::vector<Cut> cuts;
  for (const double threshold : candidates)
    if (const auto cut = cut_at(threshold, scratch)) cuts.push_back(*cut);
  if (cuts.empty()) return {};
  std::ranges::sort(cuts, {}, [](const Cut& cut) { return std::pair(cut.code, cut.threshold); });
  count_parts(cuts, scratch);

  const std::size_t n = scratch.n_channels, missing = cuts.size() + 1;
  const std::vector<double>& sums = scratch.sums;
  const std::vector<std::uint64_t>& rows = scratch.counts;
  const std::uint64_t n_rows = scratch.n_rows;
  const double total = std::accumulate(scratch.parent.begin(), scratch.parent.end(), 0.0);
  Split best;
  best.saw_missing = rows[missing] > 0;
  double best_gain = minus_infinity;
  std::uint64_t rows_left = 0;
  scratch.left.assign(n, 0);
  scratch.with_missing.resize(n);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    rows_left += rows[i];
    for (std::size_t k = 0; k < n; ++k) scratch.left[k] += sums[i * n + k];
    for (const bool missing_left : {false, true}) {
      if (rows[missing] == 0 ? missing_left : !may_go(plan_.missing, missing_left)) continue;
      for (std::size_t k = 0; k < n; ++k)
        scratch.with_missing[k] = scratch.left[k] + (missing_left ? sums[missing * n + k] : 0);
      const auto& left = scratch.with_missing;
      const double weight = std::accumulate(left.begin(), left.end(), 0.0);
      if (!leaf_limits(plan_).allow(rows_left + (missing_left ? rows[missing] : 0), n_rows, weight,
                                    total))
        continue;
      const double gain = gini_gain(left, scratch.parent);
      if (best.column >= 0 && !beats(gain, best_gain)) continue;
      best_gain = gain;
      best.column = scratch.column;
      best.code = cuts[i].code;
      best.threshold = cuts[i].threshold;
      best.rows_left = rows_left;
      best.missing_left = missing_left;
    }
  }
  // A bin is not cut in two.
  if (best.column >= 0 && (plan_.threshold_is_value || best.threshold < column.upper(best.code)))
    best.threshold = column.upper(best.code);
  return best;
}

/// The cut at a threshold; none if all rows are on one side. A threshold that differs from a value
/// only by rounding becomes that value.
std::optional<DgmmlSearch::Cut> DgmmlSearch::cut_at(double threshold,
                                                    const DgmmlScratch& scratch) const {
  const Column& column = table_.columns[scratch.column];
  std::uint32_t low = scratch.lowest_code,
                high = scratch.highest_code;  // left and right of the cut
  const double lowest = column.lower(low), highest = column.lower(high);
  const double slack = 1e-13 * (highest - lowest);
  if (!(lowest - slack <= threshold && threshold < highest - slack)) return {};
  const auto is_left = [&](std::uint32_t code) { return column.lower(code) <= threshold + slack; };
  // Few rows: reading all values at once is faster than a binary search, which waits for one after
  // the other.
  if (scratch.n_rows <= 64) {
    for (const std::uint32_t code : scratch.codes)
      if (code < high && is_left(code)) low = std::max(low, code);
    return Cut{low, std::max(threshold, column.lower(low))};
  }
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (is_left(middle) ? low : high) = middle;
  }
  return Cut{low, std::max(threshold, column.lower(low))};
}

/// Counts class weights and rows between one cut and the next, then of the missing values.
void DgmmlSearch::count_parts(std::span<const Cut> cuts, DgmmlScratch& scratch) const {
  const std::uint32_t n_codes = table_.columns[scratch.column].n_codes();
  const std::size_t n = scratch.n_channels, missing = cuts.size() + 1;
  scratch.sums.assign((missing + 1) * n, 0);
  scratch.counts.assign(missing + 1, 0);
  const bool is_plain = cuts.size() == 1 && n == 2 && scratch.weight.empty() &&
                        scratch.times.empty() && table_.columns[scratch.column].n_missing == 0;
  if (is_plain) {                      // by far the most frequent case
    std::uint32_t left = 0, ones = 0;  // rows
    for (std::size_t i = 0; i < scratch.codes.size(); ++i) {
      const std::uint32_t is_left = scratch.codes[i] <= cuts[0].code;
      left += is_left;
      ones += is_left & scratch.channel[i];
    }
    scratch.counts[0] = left;
    scratch.counts[1] = scratch.codes.size() - left;
    scratch.sums[0] = left - ones;
    scratch.sums[1] = ones;
    return;
  }
  for (std::size_t i = 0; i < scratch.codes.size(); ++i) {
    const std::uint32_t code = scratch.codes[i];
    const auto after = std::ranges::lower_bound(cuts, code, {}, &Cut::code);
    const std::size_t part =
        code == n_codes ? missing : static_cast<std::size_t>(after - cuts.begin());
    scratch.sums[part * n + scratch.channel[i]] += scratch.weight_of(i);
    scratch.counts[part] += scratch.times_of(i);
  }
}

}  // namespace ramify

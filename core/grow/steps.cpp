// SPDX-License-Identifier: BSD-3-Clause
#include "grow/steps.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ramify {

bool Progress::must_stop() {
  const auto now = std::chrono::steady_clock::now();
  if (!plan.should_stop || now < next_request) return false;
  next_request = now + std::chrono::milliseconds(50);
  return plan.should_stop(
      std::min(1.0, static_cast<double>(rows_done) / static_cast<double>(plan.n_training_rows)));
}

std::vector<std::uint32_t> largest_first(std::span<const std::uint32_t> sizes) {
  std::vector<std::uint32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
  });
  return order;
}

double Recorder::weight_of(std::span<const double> statistics) const {
  if (target.is_numeric()) return statistics.back();
  // Weights are integer multiples of the unit, so that four partial sums give the same result.
  const auto n = static_cast<std::size_t>(target.n_classes[0]);
  double sums[4] = {};
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (std::size_t i = 0; i < 4; ++i) sums[i] += statistics[k + i];
  for (; k < n; ++k) sums[0] += statistics[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void Recorder::write(Fragment& fragment, int place, const Split& split, int first_place,
                     const MajorityChild& heaviest) const {
  Fragment::Grown& grown = fragment.nodes[place];
  grown.first_child = first_place;
  grown.n_children = static_cast<int>(split.n_branches);
  grown.column = split.column;
  grown.threshold = split.threshold;
  grown.gain = split.score;
  grown.kind = split.kind;
  grown.is_optimal = split.is_optimal;
  grown.default_branch = static_cast<std::int32_t>(heaviest.first);
  list(fragment, grown, split);
  grown.term_begin = static_cast<std::uint32_t>(fragment.terms.size());
  fragment.terms.insert(fragment.terms.end(), split.terms.begin(), split.terms.end());
  grown.term_end = static_cast<std::uint32_t>(fragment.terms.size());
  grown.missing_branch = static_cast<std::int32_t>(missing_branch(split, heaviest));
}

std::int64_t Recorder::missing_branch(const Split& split, const MajorityChild& heaviest) const {
  if (split.kind == SplitKind::hyperplane) return heaviest.first;  // terms fill in missing values
  if (goes_everywhere(missing)) return Tree::every_branch;
  const std::uint32_t n_codes = table.columns[split.column].n_codes();
  if (!split.codes.empty() && split.codes.back() == n_codes) return split.branches.back();
  if (is_side_named(missing)) return missing_side(is_left_named(missing), split.n_branches);
  if (split.saw_missing) return split.missing_left ? 0 : 1;
  // Where no value was missing there is nothing to learn: missing values follow the majority child.
  // Of two equally heavy sides they take the right one, as in scikit-learn.
  return split.kind == SplitKind::threshold ? heaviest.last : heaviest.first;
}

/// Writes the codes or the upper bounds of a split that lists them.
void Recorder::list(Fragment& fragment, Fragment::Grown& grown, const Split& split) const {
  const Column& column = table.columns[split.column];
  grown.list_begin = static_cast<std::uint32_t>(fragment.listed.size());
  auto n = static_cast<std::ptrdiff_t>(split.codes.size());
  if (n > 0 && split.codes.back() == column.n_codes()) --n;  // missing is stored separately
  if (split.kind != SplitKind::intervals) {
    fragment.listed.insert(fragment.listed.end(), split.codes.begin(), split.codes.begin() + n);
    fragment.branches.insert(fragment.branches.end(), split.branches.begin(),
                             split.branches.begin() + n);
    n = 0;
  }
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool is_last = i + 1 == n;
    if (!is_last && split.branches[at] == split.branches[at + 1]) continue;
    fragment.listed.push_back(is_last ? std::numeric_limits<double>::infinity()
                                      : column.midpoint(split.codes[at], split.codes[at + 1]));
    fragment.branches.push_back(split.branches[at]);
  }
  grown.list_end = static_cast<std::uint32_t>(fragment.listed.size());
}

}  // namespace ramify

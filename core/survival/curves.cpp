// SPDX-License-Identifier: BSD-3-Clause
#include "survival/curves.hpp"

#include <algorithm>
#include <numeric>

#include "survival/lists.hpp"

namespace ramify {

LeafCurves leaf_curves(const Tree& tree, const TimeOrder& order, const SurvivalLists& lists) {
  LeafCurves curves;
  std::uint32_t at = 0;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.children_left[node] != Tree::no_child) continue;
    const auto end = at + static_cast<std::uint32_t>(tree.n_node_samples[node]);
    for (const std::uint32_t row : lists.rows({at, end})) {
      const std::int64_t time = order.place[row];
      const double weight = order.weight[row] * order.unit;
      const bool is_new = static_cast<std::int64_t>(curves.time.size()) == curves.begin.back() ||
                          curves.time.back() != time;
      if (is_new) {
        curves.time.push_back(time);
        curves.events.push_back(0);
        curves.others.push_back(0);
      }
      (order.event[row] ? curves.events : curves.others).back() += weight;
    }
    curves.begin.push_back(static_cast<std::int64_t>(curves.time.size()));
    at = end;
  }
  return curves;
}

LeafCurves LeafCurves::brief() const {
  LeafCurves brief;
  for (std::size_t leaf = 0; leaf + 1 < begin.size(); ++leaf) {
    const auto first = static_cast<std::size_t>(begin[leaf]),
               last = static_cast<std::size_t>(begin[leaf + 1]);
    double at_risk = 0;
    const std::size_t from = brief.time.size();
    for (std::size_t i = last; i-- > first;) {
      at_risk += events[i] + others[i];
      if (!(events[i] > 0)) continue;
      brief.time.push_back(time[i]);
      brief.events.push_back(events[i]);
      brief.others.push_back(at_risk);
    }
    const auto turn = [&](auto& cells) {
      std::reverse(cells.begin() + static_cast<std::ptrdiff_t>(from), cells.end());
    };
    turn(brief.time);
    turn(brief.events);
    turn(brief.others);
    brief.begin.push_back(static_cast<std::int64_t>(brief.time.size()));
  }
  return brief;
}

namespace {

/// One curve at the places.
void write_curve(const CurveView& curves, CurveKind kind, std::size_t leaf,
                 std::span<const std::int64_t> places, std::span<double> values) {
  const auto first = static_cast<std::size_t>(curves.begin[leaf]),
             last = static_cast<std::size_t>(curves.begin[leaf + 1]);
  double at_risk = 0;
  if (!curves.is_brief)
    for (std::size_t i = first; i < last; ++i) at_risk += curves.events[i] + curves.others[i];
  double value = kind == CurveKind::survival ? 1 : 0;
  std::size_t i = first;
  for (std::size_t at = 0; at < places.size(); ++at) {
    for (; i < last && curves.time[i] <= places[at]; ++i) {
      const double n = curves.is_brief ? curves.others[i] : at_risk;
      if (curves.events[i] > 0) {
        const double rate = curves.events[i] / n;
        value = kind == CurveKind::survival ? value * (1 - rate) : value + rate;
      }
      at_risk -= curves.events[i] + curves.others[i];
    }
    values[at] = value;
  }
}

}  // namespace

void add_curves(const CurveView& curves, CurveKind kind, std::span<const std::int64_t> leaves,
                std::span<const std::int64_t> places, std::span<double> sums) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < leaves.size(); ++row)
    if (leaves[row] >= 0) rows.push_back(row);
  std::ranges::stable_sort(rows,
                           [&](std::uint32_t a, std::uint32_t b) { return leaves[a] < leaves[b]; });
  std::vector<double> values(places.size());
  std::int64_t written = -1;
  for (const std::uint32_t row : rows) {
    if (leaves[row] != written) {
      written = leaves[row];
      write_curve(curves, kind, static_cast<std::size_t>(written), places, values);
    }
    double* to = sums.data() + std::size_t{row} * places.size();
    for (std::size_t at = 0; at < places.size(); ++at) to[at] += values[at];
  }
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Random cuts of sampled columns by the values of rows.
#pragma once

#include <algorithm>

#include "search/sampled.hpp"
#include "select/judge.hpp"

namespace ramify {

/// One random cut per column, by values: neither codes nor an order are needed.
template <class Key>
void SampledSearch<Key>::look_at_values(const NodeQuery& node,
                                        std::span<const std::uint32_t> columns) {
  constexpr std::size_t at_once = columns_at_once;
  const auto n = static_cast<std::uint32_t>(node.row_indices.size());
  const std::size_t n_classes = counts_.size(), width = static_cast<std::size_t>(node.values.width);
  if (room_for_values_ < n) {
    room_for_values_ = n;
    values_.reset(new char[n * at_once * width]);
    value_width_ = node.values.width;
  }
  side_counts_.resize(at_once * n_classes);
  double min[at_once], max[at_once], threshold[at_once] = {};
  std::uint32_t n_left[at_once];
  cuts_.assign(columns.size(), {});
  Cut* admissible[CutBlock::capacity];
  int n_cuts = 0;
  const auto score_all = [&] {
    if (n_cuts > 0) score(n_cuts, scores_);
    for (int i = 0; i < n_cuts; ++i) admissible[i]->best = admissible[i]->score = scores_[i];
    n_cuts = 0;
  };
  for (std::size_t first = 0; first < columns.size(); first += at_once) {
    const auto group = columns.subspan(first, std::min(at_once, columns.size() - first));
    gathered_.assign(group.begin(), group.end());
    sampled_kernels().gather_values({node.values, node.row_indices.data(), n, group.data(),
                                     static_cast<int>(group.size()), values_.get(), min, max});
    for (std::size_t j = 0; j < group.size(); ++j)
      if (min[j] < max[j])
        threshold[j] = random_threshold(min[j], max[j], static_cast<int>(group[j]), node.key);
    const SideCall<Key> sides{
        values_.get(),      node.values.width, node.row_indices.data(),     n,
        weigher_,           threshold,         static_cast<int>(n_classes), n_left,
        side_counts_.data()};
    if constexpr (Weigher<Key>::counts)
      sampled_kernels().count_up_to(sides);
    else
      sampled_kernels().weigh_up_to(sides);
    for (std::size_t j = 0; j < group.size(); ++j) {
      Cut& cut = cuts_[first + j];
      cut.is_constant = !(min[j] < max[j]);
      if (cut.is_constant || !tried_limits(plan_).allow_rows(n_left[j], n)) continue;
      cut.threshold = threshold[j];
      for (int k = 0; k < classes_.size(); ++k)
        block_.left[k * CutBlock::stride + n_cuts] =
            side_counts_[j * n_classes + classes_.name[static_cast<std::size_t>(k)]];
      admissible[n_cuts++] = &cut;
      if (n_cuts == CutBlock::capacity) score_all();
    }
  }
  score_all();
}

template <class Key>
typename SampledSearch<Key>::Gathered SampledSearch<Key>::gathered(std::uint32_t column) const {
  const auto found = std::ranges::find(gathered_, column);
  if (found == gathered_.end()) return {};
  const auto j = static_cast<std::size_t>(found - gathered_.begin());
  const std::size_t width = static_cast<std::size_t>(value_width_);
  return {values_.get() + j * width, side_counts_.data() + j * counts_.size()};
}

}  // namespace ramify

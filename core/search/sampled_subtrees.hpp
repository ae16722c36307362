// SPDX-License-Identifier: BSD-3-Clause
// All that grows from a small node by random cuts, where rows count: whatever the criterion, by
// values, or by codes if all columns have few.
#pragma once

#include <algorithm>

#include "search/sampled.hpp"
#include "search/subtree_kernels.hpp"
#include "select/admissible.hpp"
#include "select/judge.hpp"

namespace ramify {

template <class Key>
const SmallSubtree& SampledSearch<Key>::grow_subtree(const NodeQuery& node, int depth,
                                                     std::span<const std::uint32_t> non_constant) {
  const bool by_value = node.values.values;
  subtree_rows_.start(node.row_indices, by_value ? node.values.values : node.records.codes,
                      table_.columns.size(), by_value ? node.values.width : node.records.width,
                      [&](const RowIndex& row_index) { return layout_.often(row_index.low); });
  by_class_.assign(counts_.size(), 0);
  subtree_counts_.resize(counts_.size());
  std::uint64_t bit = 1;
  for (const RowIndex& row_index : node.row_indices)
    for (std::uint32_t i = layout_.often(row_index.low); i > 0; --i, bit <<= 1)
      by_class_[layout_.label(row_index.low)] |= bit;
  subtree_.start(counts_.size());
  const int place = subtree_.add(static_cast<std::uint32_t>(node.row_indices.size()), 0);
  std::ranges::copy(node.sums, subtree_.statistics_of(place).begin());
  waiting_.assign(1, {subtree_rows_.all(), node.key, depth, place,
                      subtree_non_constant_.start_with(non_constant)});
  while (!waiting_.empty()) {
    const SubtreeNode next = waiting_.back();
    waiting_.pop_back();
    split_subtree(next);
  }
  return subtree_;
}

/// Makes the children of a node, if a cut pays.
template <class Key>
void SampledSearch<Key>::split_subtree(SubtreeNode node) {
  start(subtree_.statistics_of(node.place));
  for (std::size_t k = 0; k < classes_.name.size(); ++k)
    class_masks_[k] = by_class_[classes_.name[k]] & node.rows;
  sampler_.fill(subtree_non_constant_.view(node.non_constant), plan_.max_columns, node.key);
  constant_.clear();
  SubtreeCut best;
  // Sums that do not depend on the order: two rows are parted alike by every column that tells them
  // apart, which ties, and the first will do.
  const bool is_pair = whole_ && subtree_.nodes[static_cast<std::size_t>(node.place)].n_rows == 2;
  const std::size_t at_once = is_pair ? 1 : SubtreeCall::max_columns;
  for (auto columns = sampler_.draw(); !columns.empty() && best.column < 0;
       columns = sampler_.draw())
    for (std::size_t first = 0; first < columns.size() && (!is_pair || best.column < 0);
         first += at_once)
      best_in_subtree(node, columns.subspan(first, std::min(at_once, columns.size() - first)),
                      best);
  if (best.column < 0 || !score_pays(plan_, target_, best.score, 1, classes_.total)) return;
  std::ranges::sort(constant_);
  subtree_non_constant_.drop(node.non_constant, constant_);
  integer_kernels().count_masks(best.left, by_class_.data(), by_class_.size(),
                                subtree_counts_.data());
  const std::uint32_t n_left = best.n_left,
                      n_right =
                          subtree_.nodes[static_cast<std::size_t>(node.place)].n_rows - n_left;
  const int left = subtree_.add(n_left, 0), right = subtree_.add(n_right, 0);
  SmallSubtree::Grown& grown = subtree_.nodes[static_cast<std::size_t>(node.place)];
  grown.first_child = left;
  grown.column = best.column;
  grown.threshold = best.threshold;
  grown.gain = best.score;
  const std::span<double> statistics[] = {subtree_.statistics_of(node.place),
                                          subtree_.statistics_of(left),
                                          subtree_.statistics_of(right)};
  std::uint32_t weight = 0, most_left = 0;
  double most_right = 0;
  for (std::size_t k = 0; k < subtree_counts_.size(); ++k) {
    weight += subtree_counts_[k];
    most_left = std::max(most_left, subtree_counts_[k]);
    statistics[1][k] = subtree_counts_[k];
    statistics[2][k] = statistics[0][k] - statistics[1][k];
    most_right = std::max(most_right, statistics[2][k]);
  }
  subtree_.nodes[static_cast<std::size_t>(left)].weight = weight;
  subtree_.nodes[static_cast<std::size_t>(right)].weight = classes_.total - weight;
  const auto wait = [&](std::size_t branch, int place, std::uint32_t n_rows, std::uint64_t rows) {
    const bool is_pure = branch == 0 ? most_left == weight : most_right == classes_.total - weight;
    if (!is_pure && !is_leaf(plan_, target_, node.depth + 1, n_rows, node.non_constant.n > 0,
                             statistics[branch + 1]))
      waiting_.push_back(
          {rows, child_key(node.key, branch), node.depth + 1, place, node.non_constant});
  };
  wait(1, right, n_right, node.rows & ~best.left);
  wait(0, left, n_left, best.left);
}

/// Looks at some columns, and notes which are constant.
template <class Key>
void SampledSearch<Key>::best_in_subtree(const SubtreeNode& node,
                                         std::span<const std::uint32_t> columns, SubtreeCut& best) {
  constexpr int max = SubtreeCall::max_columns;
  const void* values[max];
  double min[max], most_of[max], threshold[max], bound[max];
  std::uint64_t left[max];
  std::uint32_t n_left[max], tried[max];
  for (std::size_t j = 0; j < columns.size(); ++j) values[j] = subtree_rows_.column(columns[j]);
  SubtreeCall call{subtree_rows_.width(),   values,    static_cast<int>(columns.size()),
                   subtree_rows_.n_lanes(), node.rows, subtree_rows_.firsts()};
  const SubtreeKernels& kernels = subtree_kernels();
  kernels.find_ends(call, min, most_of);
  int n = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::uint32_t column = columns[j];
    if (!(min[j] < most_of[j])) {
      constant_.push_back(column);
      continue;
    }
    values[n] = values[j];
    tried[n] = column;
    if (call.width > 1)
      bound[n] = threshold[n] =
          random_threshold(min[j], most_of[j], static_cast<int>(column), node.key);
    else
      draw_code(column, node.key, min[j], most_of[j], threshold[n], bound[n]);
    ++n;
  }
  call.n_columns = n;
  kernels.find_left(call, bound, left, n_left);
  const std::uint32_t n_rows = subtree_.nodes[static_cast<std::size_t>(node.place)].n_rows;
  const LeafLimits limits = tried_limits(plan_);
  int n_cuts = 0;
  for (int j = 0; j < n; ++j) {
    if (!limits.allow_rows(n_left[j], n_rows)) continue;
    if (call.width == 1 && !parts_bins(node.rows, values[j], tried[j], threshold[j], bound[j]))
      continue;
    left[n_cuts] = left[j];
    n_left[n_cuts] = n_left[j];
    tried[n_cuts] = tried[j];
    threshold[n_cuts++] = threshold[j];
  }
  if (n_cuts == 0) return;
  score_subtree(node.rows, left, n_cuts);
  for (int i = 0; i < n_cuts; ++i)
    if (scores_[i] > minus_infinity && (best.column < 0 || beats(scores_[i], best.score)))
      best = {static_cast<int>(tried[i]), n_left[i], left[i], threshold[i], scores_[i]};
}

/// Draws a threshold between the values of two codes; rows up to the code `bound` are left of it.
template <class Key>
void SampledSearch<Key>::draw_code(std::uint32_t column, std::uint64_t key, double min, double max,
                                   double& threshold, double& bound) const {
  const Column& info = table_.columns[column];
  const auto first = static_cast<std::uint32_t>(min), last = static_cast<std::uint32_t>(max);
  threshold = random_threshold(info, static_cast<int>(column), key, first, last);
  // What Column::last_up_to finds. A few codes are mostly as far apart as whole numbers are: then
  // the first guess is right, and no branch is a guess.
  constexpr std::uint32_t few = 32;
  if (last - first > few) {
    bound = info.last_up_to(threshold, first, last);
    return;
  }
  const double low = info.upper(first), share = (threshold - low) / (info.lower(last) - low);
  std::uint32_t code =
      first + (share > 0 && share < 1 ? static_cast<std::uint32_t>(share * (last - first)) : 0);
  while (code > first && info.lower(code) > threshold) --code;
  while (code < last && info.lower(code + 1) <= threshold) ++code;
  bound = code;
}

/// A threshold within a bin that occurs parts nothing.
template <class Key>
bool SampledSearch<Key>::parts_bins(std::uint64_t rows, const void* values, std::uint32_t column,
                                    double threshold, double bound) const {
  const Column& info = table_.columns[column];
  const auto code = static_cast<std::uint32_t>(bound);
  if (info.highest.size() == 0 || !(info.upper(code) > threshold)) return true;
  const double bounds[] = {bound, bound - 1};
  const void* both[] = {values, values};
  std::uint64_t left[2];
  std::uint32_t n_left[2];
  subtree_kernels().find_left({1, both, code > 0 ? 2 : 1, subtree_rows_.n_lanes(), rows, rows},
                              bounds, left, n_left);
  return left[0] == (code > 0 ? left[1] : 0);
}

template <class Key>
void SampledSearch<Key>::score_subtree(std::uint64_t rows, const std::uint64_t* left, int n_cuts) {
  if (whole_) {
    whole_->score_masks({left, nullptr, n_cuts, rows, class_masks_.data(), classes_.count.data(),
                         classes_.size(), classes_.total, minus_infinity},
                        scores_);
    return;
  }
  for (int i = 0; i < n_cuts; ++i) {
    integer_kernels().count_masks(left[i], class_masks_.data(), classes_.name.size(),
                                  subtree_counts_.data());
    for (int k = 0; k < classes_.size(); ++k)
      block_.left[k * CutBlock::stride + i] = subtree_counts_[static_cast<std::size_t>(k)];
  }
  score(n_cuts, scores_);
}

}  // namespace ramify

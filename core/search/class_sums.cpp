// SPDX-License-Identifier: BSD-3-Clause
#include "search/class_sums.hpp"

#include <algorithm>

#include "select/judge.hpp"

namespace ramify {

bool ClassSumSearch::fits(int column) const {
  const SetCriterion* criterion = training_.plan.criterion.builtin.get();
  const Column& info = training_.column(column);
  return criterion && has_walk(*criterion, scores_.tables()) && training_.target.is_counted() &&
         !training_.plan.random_cuts && !info.is_low_cardinality() && !info.is_categorical;
}

SumWalkOf<std::uint64_t> ClassSumSearch::start_walk(const ListView& list,
                                                    const NodeChannels& channels,
                                                    std::span<const double> missing,
                                                    bool missing_left,
                                                    ClassSumBuffers& buffers) const {
  const auto n_classes = static_cast<std::size_t>(channels.size());
  std::uint32_t* in_parent = buffers.counts.data() + 2 * n_classes;
  std::uint32_t* in_left = buffers.counts.data() + (missing_left ? n_classes : 0);
  double* terms = buffers.terms.data() + (missing_left ? 2 * n_classes : 0);
  for (std::size_t k = 0; k < n_classes; ++k)
    in_left[k] = missing_left ? static_cast<std::uint32_t>(missing[k]) : 0;
  return {list.items,
          list.n,
          0,
          list.n_missing > 0,
          list.layout,
          channels.channel.data(),
          channels.size(),
          channels.parent.data(),
          channels.outputs[0].total,
          missing_left ? list.n_missing : 0,
          in_parent,
          in_left,
          terms,
          terms + n_classes,
          scores_.log_table(),
          training_.plan.criterion.builtin.get(),
          scores_.tables(channels.outputs[0])};
}

Split ClassSumSearch::best(const NodeColumn& column, CutBuffers& cuts,
                           ClassSumBuffers& buffers) const {
  const NodeChannels& channels = column.channels;
  const ListView list = list_of(training_, column);
  if (list.is_constant()) return Split::constant();
  const Kernels& kernel = kernels();
  const auto n_classes = static_cast<std::size_t>(channels.size());
  cuts.missing.resize(n_classes * 2);
  if (list.n_missing > 0)
    kernel.sum_items(list.items + list.n, list.n_missing, list.layout, channels.channels,
                     cuts.missing.data());
  Judge judge(training_, column, list.range(), cuts.missing);
  CutBlock& block = cuts.block;
  block.left = nullptr;
  list.prepare(block);

  buffers.counts.resize(3 * n_classes);
  buffers.terms.resize(4 * n_classes);
  std::uint32_t* in_parent = buffers.counts.data() + 2 * n_classes;
  for (std::size_t k = 0; k < n_classes; ++k)
    in_parent[k] = static_cast<std::uint32_t>(channels.parent[k]);
  auto right_walk = start_walk(list, channels, cuts.missing, false, buffers),
       left_walk = start_walk(list, channels, cuts.missing, true, buffers);
  const WalkSums walk_sums = training_.plan.criterion.builtin->walk_sums;
  while (true) {
    double *right = cuts.scores[0], *left = list.n_missing > 0 ? cuts.scores[1] : nullptr;
    if (left) walk_sums(left_walk, block, left);
    walk_sums(right_walk, block, right);
    if (block.n_cuts == 0) break;
    judge.refuse(block, false, right);
    if (left) judge.refuse(block, true, left);
    double top = kernel.largest(right, block.n_cuts);
    if (left) top = std::max(top, kernel.largest(left, block.n_cuts));
    judge.offer(block, top, right, left, cuts.to_beat);
  }
  return judge.result();
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "search/sampled/node.hpp"

#include <algorithm>

#include "select/judge.hpp"

namespace ramify {

template <class Key>
SampledNode<Key>::SampledNode(const Table& of_table, const Target& of_target, const Plan& of_plan,
                              const IndexedRows& of_rows)
    : table(of_table),
      target(of_target),
      plan(of_plan),
      rows(of_rows),
      layout(of_rows.layout()),
      weigher{layout, target.weight.data()},
      log_table_(make_log_table(target, plan)),
      tables_(target, plan) {
  const auto n_classes = static_cast<std::size_t>(target.n_classes[0]);
  classes.channel.resize(n_classes);
  left_.resize(n_classes * CutBlock::stride);
  block.left = left_.data();
  missing.resize(n_classes);
}

template <class Key>
void SampledNode<Key>::start(const SampledQuery& node) {
  query = node;
  n_rows = static_cast<std::uint32_t>(node.row_indices.size());
  const std::span<const double> sums = node.sums;
  const std::size_t n_all = sums.size();
  classes.name.resize(n_all);
  classes.weight.resize(n_all);
  if constexpr (Weigher<Key>::counts) classes.count.resize(n_all);
  std::uint32_t n = 0;
  double total = 0;
  std::uint64_t count = 0;
  for (std::uint32_t k = 0; k < n_all; ++k) {  // without a branch: any would be a guess
    const bool occurs = sums[k] > 0;
    classes.channel[k] = occurs ? n : 0;
    classes.name[n] = k;
    classes.weight[n] = sums[k];
    if constexpr (Weigher<Key>::counts) {
      classes.count[n] = static_cast<std::uint32_t>(static_cast<std::int64_t>(sums[k]));
      count += classes.count[n];
    } else {
      total += sums[k];
    }
    n += occurs;
  }
  classes.total = Weigher<Key>::counts ? static_cast<double>(count) : total;
  classes.name.resize(n);
  if constexpr (Weigher<Key>::counts) classes.count.resize(n);
  classes.weight.resize(n);
}

template <class Key>
void SampledNode<Key>::score(int n_cuts, double* to) {
  // Packs read beyond the last cut, and a table of logarithms has no place for what others left.
  for (int k = 0; k < classes.size(); ++k) {
    double* left = block.left + k * CutBlock::stride;
    for (int i = n_cuts; i % RAMIFY_KERNELS::pack_width; ++i) left[i] = left[n_cuts - 1];
  }
  plan.criterion.builtin->score(
      {classes.weight.data(), classes.total, classes.size(), block.left, n_cuts, log_table(),
       target.unit, plan.criterion.builtin.get(), tables()},
      to);
}

template <class Key>
int SampledNode<Key>::offer(SampledCut& cut) {
  const double top = ramify::kernels().largest(scores, block.n_cuts);
  if (!(top < std::numeric_limits<double>::infinity()))
    check_finite(plan, Node{.end = n_rows, .depth = query.depth}, top);
  return take_lead(top, scores, nullptr, block.n_cuts, minus_infinity, cut.best, cut.score).cut;
}

template <class Key>
void SampledNode<Key>::refuse_few_rows() {
  const LeafLimits limits = tried_limits(plan);
  if (limits.rows <= 1) return;
  for (int i = 0; i < block.n_cuts; ++i)
    if (!limits.allow_rows(block.rows_left[i], n_rows)) scores[i] = minus_infinity;
}

template <class Key>
std::span<Key> SampledNode<Key>::set_missing_apart(Key* keys, std::uint32_t n_codes) {
  const Key bound = Key{n_codes} << layout.code_shift();
  Key *const end = keys + n_rows, *const gap = std::partition(
                                      keys, end, [=](Key each) { return each < bound; });
  n_missing = static_cast<std::uint32_t>(end - gap);
  std::ranges::fill(missing, 0.0);
  for (const Key* each = gap; each != end; ++each)
    missing[classes.channel[layout.label(*each)]] += weigher.of(*each);
  return {keys, gap};
}

template <class Key>
SampledCut SampledNode<Key>::first_of_best(Seen seen) {
  SampledCut cut;
  cut.is_constant = seen == Seen::constant;
  if (seen != Seen::scored) return cut;
  const int i = offer(cut);
  if (i < 0) return cut;
  cut.code = block.code[i];
  cut.next_code = block.code[i + 1];
  return cut;
}

template <class Key>
void SampledNode<Key>::score_with_missing(std::uint32_t n_codes, SampledCut& cut) {
  score(block.n_cuts, scores);
  for (int k = 0; k < classes.size(); ++k)
    for (int i = 0; i < block.n_cuts; ++i)
      block.left[k * CutBlock::stride + i] += missing[static_cast<std::size_t>(k)];
  score(block.n_cuts, left_scores);
  offer_with_missing(n_codes, cut);
}

template <class Key>
void SampledNode<Key>::offer_with_missing(std::uint32_t n_codes, SampledCut& cut) {
  const LeafLimits limits = tried_limits(plan);
  const auto refuse = [&](bool left, double* of_side) {
    for (int i = 0; i < block.n_cuts; ++i) {
      const bool is_last = block.next_code[i] >= n_codes;
      const std::uint32_t rows = block.rows_left[i] + (left ? n_missing : 0);
      if (!may_go(plan.missing, left) || (limits.rows > 1 && !limits.allow_rows(rows, n_rows)) ||
          (is_last && !may_stand_apart(plan.missing, left)))
        of_side[i] = minus_infinity;
    }
  };
  refuse(false, scores);
  refuse(true, left_scores);
  const double top = std::max(ramify::kernels().largest(scores, block.n_cuts),
                              ramify::kernels().largest(left_scores, block.n_cuts));
  const Leader found =
      take_lead(top, scores, left_scores, block.n_cuts, minus_infinity, cut.best, cut.score);
  if (found.cut < 0) return;
  cut.missing_left = found.missing_left;
  cut.code = block.code[found.cut];
  cut.next_code = block.next_code[found.cut];
}

template class SampledNode<CountKey>;
template class SampledNode<RowKey>;

}  // namespace ramify

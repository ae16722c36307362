// SPDX-License-Identifier: BSD-3-Clause
#include "search/sampled.hpp"

#include <algorithm>
#include <bit>

#include "search/sampled_buckets.hpp"
#include "search/sampled_low_cardinality.hpp"
#include "search/sampled_special.hpp"
#include "search/sampled_values.hpp"

namespace ramify {

template <class Key>
SampledSearch<Key>::SampledSearch(const Table& table, const Target& target, const Plan& plan,
                                  const IndexedRows& rows)
    : table_(table),
      target_(target),
      plan_(plan),
      layout_(rows.layout()),
      weigher_{layout_, target.weight.data()},
      log_table_(make_log_table(target, plan)),
      tables_(target, plan) {
  const auto n_classes = static_cast<std::size_t>(target.n_classes[0]);
  classes_.channel.resize(n_classes);
  left_.resize(n_classes * CutBlock::stride);
  block_.left = left_.data();
  counts_.resize(n_classes);
  terms_.resize(2 * n_classes);
  by_code_.resize(CodeSums::max_codes * n_classes);
  missing_.resize(n_classes);
  for (auto& cells : pairs_) cells.resize(CodeSums::max_codes);
  prepare_integer();
  prepare_pairs();
}

template <class Key>
void SampledSearch<Key>::start(std::span<const double> sums) {
  const std::size_t n_all = sums.size();
  classes_.name.resize(n_all);
  classes_.weight.resize(n_all);
  if constexpr (Weigher<Key>::counts) classes_.count.resize(n_all);
  std::uint32_t n = 0;
  double total = 0;
  std::uint64_t count = 0;
  for (std::uint32_t k = 0; k < n_all; ++k) {  // without a branch: any would be a guess
    const bool occurs = sums[k] > 0;
    classes_.channel[k] = occurs ? n : 0;
    classes_.name[n] = k;
    classes_.weight[n] = sums[k];
    if constexpr (Weigher<Key>::counts) {
      classes_.count[n] = static_cast<std::uint32_t>(static_cast<std::int64_t>(sums[k]));
      count += classes_.count[n];
    } else {
      total += sums[k];
    }
    n += occurs;
  }
  classes_.total = Weigher<Key>::counts ? static_cast<double>(count) : total;
  classes_.name.resize(n);
  if constexpr (Weigher<Key>::counts) classes_.count.resize(n);
  classes_.weight.resize(n);
  ordered_column_ = nobody;
  ordered_best_ = minus_infinity;
}

template <class Key>
Split SampledSearch<Key>::best(const NodeQuery& node, std::vector<std::uint32_t>& non_constant) {
  start(node.sums);
  sampler_.fill(non_constant, plan_.max_columns, node.key);
  Split split;
  for (auto columns = sampler_.draw(); !columns.empty(); columns = sampler_.draw()) {
    node.values.values ? look_at_values(node, columns) : look_at(node, columns);
    const Cut* best = nullptr;
    bool has_constant = false;
    for (const Cut& cut : cuts_) {
      has_constant |= cut.is_constant;
      if (cut.score > minus_infinity && (!best || beats(cut.best, best->best))) best = &cut;
    }
    if (has_constant) {
      std::size_t i = 0;
      std::erase_if(non_constant, [&](std::uint32_t column) {
        if (i == columns.size() || columns[i] != column) return false;
        return cuts_[i++].is_constant;
      });
    }
    if (!best) continue;
    split.column = static_cast<int>(columns[static_cast<std::size_t>(best - cuts_.data())]);
    split.score = best->score;
    split.code = best->code;
    split.next_code = best->next_code;
    split.threshold = best->threshold;
    split.is_optimal = !plan_.random_cuts;
    split.missing_left = best->missing_left;
    split.saw_missing = best->saw_missing;
    if (table_.columns[split.column].is_categorical) list_codes(node, split);
    set_threshold(plan_, table_.columns[split.column], split);
    return split;
  }
  return split;
}

/// Finds the best cut of each column, a few columns at a time.
template <class Key>
void SampledSearch<Key>::look_at(const NodeQuery& node, std::span<const std::uint32_t> columns) {
  n_rows_ = static_cast<std::uint32_t>(node.row_indices.size());
  const std::size_t room = node.row_indices.size() + 8;  // see sort_keys
  for (auto& keys : keys_)
    if (keys.size() < room) keys.resize(room);
  if (spare_.size() < room) spare_.resize(room);
  cuts_.assign(columns.size(), {});
  to_beat_ = minus_infinity;
  for (std::size_t first = 0; first < columns.size(); first += columns_at_once) {
    const auto group = columns.subspan(first, std::min(columns_at_once, columns.size() - first));
    may_count_cells(group) ? look_at_cells(node, group, cuts_.data() + first)
                           : look_at_group(node, group, cuts_.data() + first);
  }
}

/// Some columns are counted, the keys of the others are made.
template <class Key>
void SampledSearch<Key>::look_at_group(const NodeQuery& node,
                                       std::span<const std::uint32_t> columns, Cut* cuts) {
  std::uint32_t counted[columns_at_once], others[columns_at_once];
  std::size_t counted_at[columns_at_once], others_at[columns_at_once], n_counted = 0, n_others = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const bool is_counted = classes_.size() == 2 && n_rows_ >= counted_from_[columns[j]];
    (is_counted ? counted[n_counted] : others[n_others]) = columns[j];
    (is_counted ? counted_at[n_counted++] : others_at[n_others++]) = j;
  }
  if (n_counted > 0) count_pairs(node, std::span(counted, n_counted));
  for (std::size_t j = 0; j < n_counted; ++j) {
    const Column& column = table_.columns[counted[j]];
    Cut& cut = cuts[counted_at[j]];
    cut = column.is_categorical ? best_prefix(pairs_[j].data(), counted[j])
                                : best_of_pairs(pairs_[j].data(), column);
    to_beat_ = std::max(to_beat_, cut.best);
  }
  if (n_others == 0) return;
  Key* keys[columns_at_once];
  for (std::size_t j = 0; j < columns_at_once; ++j) keys[j] = keys_[j].data();
  kernels_.gather({node.records, node.row_indices.data(), n_rows_, layout_, others,
                   static_cast<int>(n_others), keys});
  if (plan_.random_cuts) return random_by_code(columns, n_rows_, node.key, cuts);
  for (std::size_t j = 0; j < n_others; ++j) {
    const Column& column = table_.columns[others[j]];
    const bool is_special = column.is_categorical || column.n_missing > 0;
    const Cut cut = is_special ? best_of_special(keys[j], n_rows_, others[j], node.key)
                               : best_cut(keys[j], n_rows_, column);
    to_beat_ = std::max(to_beat_, cut.best);
    cuts[others_at[j]] = cut;
  }
}

template <class Key>
void SampledSearch<Key>::score(int n_cuts, double* scores) {
  // Packs read beyond the last cut, and a table of logarithms has no place for what others left.
  for (int k = 0; k < classes_.size(); ++k) {
    double* left = block_.left + k * CutBlock::stride;
    for (int i = n_cuts; i % RAMIFY_KERNELS::pack_width; ++i) left[i] = left[n_cuts - 1];
  }
  plan_.criterion.builtin->score(
      {classes_.weight.data(), classes_.total, classes_.size(), block_.left, n_cuts,
       log_table_.empty() ? nullptr : log_table_.data(), target_.unit,
       plan_.criterion.builtin.get(), tables_.view()},
      scores);
}

template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::best_cut(Key* keys, std::uint32_t n,
                                                              const Column& column) {
  if (may_count(n, column)) return best_counted(keys, n, column);
  if (may_narrow_down(n)) return best_in_buckets(keys, n);
  const Key* sorted = kernels_.sort(keys, n, layout_.code_shift(), spare_.data());
  const std::span<const Key> list(sorted, n);
  Cut cut;
  cut.is_constant = layout_.code(list.front()) == layout_.code(list.back());
  if (cut.is_constant) return cut;
  const SetCriterion& criterion = *plan_.criterion.builtin;
  if (may_walk_sums(column)) {
    if constexpr (Weigher<Key>::counts) {
      std::ranges::fill(counts_, 0u);
      KeySumWalk walk = sum_walk(sorted, n, false, counts_.data(), terms_.data());
      judge_blocks(list, cut, [&] { criterion.walk_key_sums(walk, block_, scores_); });
    }
  } else {
    running_.assign(static_cast<std::size_t>(classes_.size()), 0);
    WalkOf<Key> walk = walk_from(sorted, n, running_.data());
    judge_blocks(list, cut, [&] {
      kernels_.walk(walk, block_);
      if (block_.n_cuts > 0) score(block_.n_cuts, scores_);
    });
  }
  return cut;
}

/// A walk along sorted keys, of which `running` says what lies left of the first.
template <class Key>
WalkOf<Key> SampledSearch<Key>::walk_from(const Key* sorted, std::uint32_t n,
                                          double* running) const {
  Channels channels;
  channels.n_channels = classes_.size();
  channels.channel = classes_.channel.data();
  channels.weight = weigher_.weight;
  return {sorted, n, 0, false, layout_, channels, running};
}

/// May the terms of the classes be kept up to date along sorted keys? Sums that are not exact are
/// taken as the general search takes them.
template <class Key>
bool SampledSearch<Key>::may_walk_sums(const Column& column) const {
  const SetCriterion& criterion = *plan_.criterion.builtin;
  return Weigher<Key>::counts && has_walk(criterion, tables_.view()) && classes_.size() > 2 &&
         (criterion.has_integer_sums || (layout_.times_bits == 0 && !column.is_low_cardinality()));
}

/// `in_left` has what is on the left already, `terms` has room for two numbers per class.
template <class Key>
KeySumWalk SampledSearch<Key>::sum_walk(const CountKey* sorted, std::uint32_t n, bool cut_at_end,
                                        std::uint32_t* in_left, double* terms) const {
  std::uint32_t rows_before = 0;
  for (int k = 0; k < classes_.size(); ++k) rows_before += in_left[k];
  return {sorted,
          n,
          0,
          cut_at_end,
          layout_,
          classes_.channel.data(),
          classes_.size(),
          classes_.weight.data(),
          classes_.total,
          rows_before,
          classes_.count.data(),
          in_left,
          terms,
          terms + counts_.size(),
          log_table_.empty() ? nullptr : log_table_.data(),
          plan_.criterion.builtin.get(),
          tables_.view()};
}

/// fill() makes the next block of cuts and their scores.
template <class Key>
template <class Fill>
void SampledSearch<Key>::judge_blocks(std::span<const Key> keys, Cut& cut, Fill fill) {
  const auto n = static_cast<std::uint32_t>(keys.size());
  const LeafLimits limits = tried_limits(plan_);
  for (fill(); block_.n_cuts > 0; fill()) {
    if (limits.rows > 1)
      for (int i = 0; i < block_.n_cuts; ++i)
        if (!limits.allow_rows(block_.rows_left[i], n)) scores_[i] = minus_infinity;
    const int i = offer(cut);
    if (i < 0) continue;
    cut.code = layout_.code(keys[block_.rows_left[i] - 1]);
    cut.next_code = layout_.code(keys[block_.rows_left[i]]);
  }
}

/// Looks at the scores of a block; gives the cut to keep, or -1.
template <class Key>
int SampledSearch<Key>::offer(Cut& cut, const double* scores, int n_cuts) {
  return take_lead(kernels().largest(scores, n_cuts), scores, nullptr, n_cuts, minus_infinity,
                   cut.best, cut.score)
      .cut;
}

/// Is it cheaper to count rows by code and class than to sort them? How many rows lie left of a cut
/// is not known then.
template <class Key>
bool SampledSearch<Key>::may_count(std::uint32_t n, const Column& column) const {
  constexpr std::uint32_t few_rows = 24;
  return column.is_low_cardinality() && n >= few_rows && 2 * n >= column.n_codes() &&
         !tried_limits(plan_).any() && classes_.size() <= max_counted_classes;
}

template <class Key>
typename SampledSearch<Key>::Cut SampledSearch<Key>::best_counted(const Key* keys, std::uint32_t n,
                                                                  const Column& column) {
  const CountCall<Sum> call{by_code_.data(), column.n_codes(), classes_.size()};
  kernels_.count_codes(keys, n, weigher_, classes_.channel.data(), call);
  kernels_.walk_counts(call, block_);
  if (block_.n_cuts > 0) score(block_.n_cuts, scores_);
  return first_of_best(block_.n_cuts > 0 ? Seen::scored : Seen::constant);
}

/// A code such that rows of this one and lower ones have values up to a threshold, others above.
template <class Key>
std::uint32_t SampledSearch<Key>::last_up_to(double threshold, const Column& column,
                                             std::span<const Key> keys, std::uint32_t first,
                                             std::uint32_t last) const {
  // Few values are looked up at once; the steps of a search wait for each other.
  constexpr std::size_t few = 48;
  if (keys.size() > few) return column.last_up_to(threshold, first, last);
  std::uint32_t found = first;
  for (const Key key : keys) {
    const std::uint32_t code = layout_.code(key);
    if (column.lower(code) <= threshold) found = std::max(found, code);
  }
  return found;
}

/// One random cut per column: no order is needed.
template <class Key>
void SampledSearch<Key>::random_by_code(std::span<const std::uint32_t> columns, std::uint32_t n,
                                        std::uint64_t key, Cut* cuts) {
  const int shift = layout_.code_shift();
  const auto is_allowed = [&](std::uint32_t n_left) {
    return tried_limits(plan_).allow_rows(n_left, n);
  };
  int n_cuts = 0;
  Cut* admissible[columns_at_once];
  std::size_t special[columns_at_once], n_special = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    Cut& cut = cuts[j];
    const Column& column = table_.columns[columns[j]];
    if (column.is_categorical || column.n_missing > 0) {
      special[n_special++] = j;
      continue;
    }
    const std::span<const Key> keys(keys_[j].data(), n);
    const auto [min, max] = kernels_.range(keys.data(), n);
    const std::uint32_t first = layout_.code(min), last = layout_.code(max);
    cut.is_constant = first == last;
    if (cut.is_constant) continue;
    cut.threshold = random_threshold(column, static_cast<int>(columns[j]), key, first, last);
    cut.code = last_up_to(cut.threshold, column, keys, first, last);
    // A threshold within a bin that occurs parts nothing.
    if (column.upper(cut.code) > cut.threshold &&
        std::ranges::any_of(keys, [&](Key k) { return layout_.code(k) == cut.code; }))
      continue;
    const Key bound = Key{cut.code + 1} << shift;
    std::ranges::fill(counts_, Sum{0});
    const std::uint32_t n_left = kernels_.count_below(
        keys.data(), n, weigher_, bound, static_cast<int>(counts_.size()), counts_.data());
    if (!is_allowed(n_left)) continue;
    for (int k = 0; k < classes_.size(); ++k)
      block_.left[k * CutBlock::stride + n_cuts] = counts_[classes_.name[k]];
    admissible[n_cuts++] = &cut;
  }
  if (n_cuts > 0) score(n_cuts, scores_);
  for (int i = 0; i < n_cuts; ++i) admissible[i]->best = admissible[i]->score = scores_[i];
  for (std::size_t i = 0; i < n_special; ++i)  // these need the block for themselves
    cuts[special[i]] = best_of_special(keys_[special[i]].data(), n, columns[special[i]], key);
}

template class SampledSearch<CountKey>;
template class SampledSearch<RowKey>;

}  // namespace ramify

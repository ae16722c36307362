// SPDX-License-Identifier: BSD-3-Clause
// Drawn columns that have gaps, or that hold categories: the same choice as that of the axis
// search, from the keys of the rows.
#include <algorithm>
#include <numeric>

#include "categories/subsets.hpp"
#include "choose/judge.hpp"
#include "split/drawn.hpp"

namespace ramify {

DrawnSearch::Cut DrawnSearch::best_of_special(std::uint32_t* keys, std::uint32_t n,
                                              std::uint32_t column, std::uint64_t key) {
  return table_.columns[column].is_categorical ? best_subset(keys, n, column, key)
                                               : best_with_gaps(keys, n, column, key);
}

DrawnSearch::Cut DrawnSearch::best_with_gaps(std::uint32_t* keys, std::uint32_t n,
                                             std::uint32_t column, std::uint64_t key) {
  const Column& info = table_.columns[column];
  const int shift = layout_.code_shift();
  const std::uint32_t bound = info.n_codes() << shift, unit = layout_.times_bits == 0;
  std::uint32_t* const gap =
      std::partition(keys, keys + n, [=](std::uint32_t each) { return each < bound; });
  const auto n_valued = static_cast<std::uint32_t>(gap - keys);
  n_missing_ = n - n_valued;
  if (n_missing_ == 0 && !plan_.random_cuts) return best_cut(keys, n, info, minus_infinity);
  std::ranges::fill(missing_counts_, 0u);
  for (const std::uint32_t* each = gap; each != keys + n; ++each)
    missing_counts_[classes_.channel[layout_.label(*each)]] += layout_.times(*each) + unit;
  std::ranges::copy(missing_counts_, missing_.begin());
  Cut cut;
  cut.saw_missing = n_missing_ > 0;
  const KeyRange range = n_valued > 0 ? kernels_.range_of_keys(keys, n_valued) : KeyRange{0, 0};
  const bool is_single = range.least >> shift == range.most >> shift;
  cut.is_constant = n_valued == 0 || (n_missing_ == 0 && is_single);
  if (cut.is_constant) return cut;
  if (plan_.random_cuts) {
    random_with_gaps(keys, n_valued, column, key, cut);
    return cut;
  }
  const std::uint32_t* sorted = kernels_.sort_keys(keys, n_valued, shift, spare_.data());
  // Sums that are not exact are taken as the axis search takes them.
  const SetCriterion& criterion = *plan_.criterion.builtin;
  if (has_walk(criterion, tables_.view()) && classes_.size() > 2 && !criterion.has_whole_sums &&
      layout_.times_bits == 0 && !info.is_narrow())
    walk_sums_with_gaps(sorted, n_valued, info, cut);
  else
    walk_with_gaps(sorted, n_valued, info, cut);
  return cut;
}

/// All cuts between values, and that of all values against the rest.
void DrawnSearch::walk_with_gaps(const std::uint32_t* sorted, std::uint32_t n_valued,
                                 const Column& column, Cut& cut) {
  running_.assign(static_cast<std::size_t>(classes_.size()), 0);
  Channels channels;
  channels.n_channels = classes_.size();
  channels.channel = classes_.channel.data();
  KeyWalk walk{sorted, n_valued, 0, false, layout_, channels, running_.data()};
  const auto note_codes = [&] {
    for (int i = 0; i < block_.n_cuts; ++i) {
      const std::uint32_t at = block_.rows_left[i];
      block_.code[i] = layout_.code(sorted[at - 1]);
      block_.next_code[i] = at < n_valued ? layout_.code(sorted[at]) : column.n_codes();
    }
  };
  for (kernels_.walk_keys(walk, block_); block_.n_cuts > 0; kernels_.walk_keys(walk, block_)) {
    note_codes();
    score_with_gaps(column.n_codes(), cut);
  }
  for (int k = 0; k < classes_.size(); ++k)
    block_.left[k * CutBlock::stride] =
        classes_.weight[static_cast<std::size_t>(k)] - missing_[static_cast<std::size_t>(k)];
  block_.n_cuts = 1;
  block_.rows_left[0] = n_valued;
  note_codes();
  score_with_gaps(column.n_codes(), cut);
}

/// Scores the block with the missing rows on the right and on the left.
void DrawnSearch::score_with_gaps(std::uint32_t n_codes, Cut& cut) {
  score(block_.n_cuts, scores_);
  for (int k = 0; k < classes_.size(); ++k)
    for (int i = 0; i < block_.n_cuts; ++i)
      block_.left[k * CutBlock::stride + i] += missing_[static_cast<std::size_t>(k)];
  score(block_.n_cuts, left_scores_);
  offer_with_gaps(n_codes, cut);
}

/// As Judge::refuse and Judge::offer.
void DrawnSearch::offer_with_gaps(std::uint32_t n_codes, Cut& cut) {
  const LeafLimits limits = tried_limits(plan_);
  const auto n = static_cast<std::uint32_t>(n_rows_);
  const auto refuse = [&](bool left, double* scores) {
    for (int i = 0; i < block_.n_cuts; ++i) {
      const bool is_last = block_.next_code[i] >= n_codes;
      const std::uint32_t rows = block_.rows_left[i] + (left ? n_missing_ : 0);
      if (!may_go(plan_.missing, left) || !limits.allow_rows(rows, n) ||
          (is_last && (left || plan_.missing == Missing::right)))
        scores[i] = minus_infinity;
    }
  };
  refuse(false, scores_);
  refuse(true, left_scores_);
  const double top = std::max(kernels_.largest(scores_, block_.n_cuts),
                              kernels_.largest(left_scores_, block_.n_cuts));
  if (!(top > cut.best)) return;
  cut.best = top;
  const double least = enough(top);
  if (cut.score >= least) return;
  for (int i = 0; i < block_.n_cuts; ++i) {
    const bool right = scores_[i] >= least;
    if (!right && !(left_scores_[i] >= least)) continue;
    cut.score = right ? scores_[i] : left_scores_[i];
    cut.missing_left = !right;
    cut.code = block_.code[i];
    cut.next_code = block_.next_code[i];
    return;
  }
}

void DrawnSearch::walk_sums_with_gaps(const std::uint32_t* sorted, std::uint32_t n_valued,
                                      const Column& column, Cut& cut) {
  const auto n_classes = counts_.size();
  std::vector<std::uint32_t> counts(2 * n_classes);
  std::vector<double> terms(4 * n_classes);
  const auto start = [&](bool left) {
    std::uint32_t* in_left = counts.data() + (left ? n_classes : 0);
    double* own = terms.data() + (left ? 2 * n_classes : 0);
    if (left) std::ranges::copy(missing_counts_, in_left);
    return KeySumWalk{sorted,
                      n_valued,
                      0,
                      true,
                      layout_,
                      classes_.channel.data(),
                      classes_.size(),
                      classes_.weight.data(),
                      classes_.total,
                      left ? n_missing_ : 0,
                      classes_.count.data(),
                      in_left,
                      own,
                      own + n_classes,
                      log_table_.empty() ? nullptr : log_table_.data(),
                      plan_.criterion.builtin.get(),
                      tables_.view()};
  };
  KeySumWalk right_walk = start(false), left_walk = start(true);
  while (true) {
    plan_.criterion.builtin->walk_key_sums(left_walk, block_, left_scores_);
    plan_.criterion.builtin->walk_key_sums(right_walk, block_, scores_);
    if (block_.n_cuts == 0) return;
    for (int i = 0; i < block_.n_cuts; ++i) {
      const std::uint32_t at = block_.rows_left[i];
      block_.code[i] = layout_.code(sorted[at - 1]);
      block_.next_code[i] = at < n_valued ? layout_.code(sorted[at]) : column.n_codes();
    }
    offer_with_gaps(column.n_codes(), cut);
  }
}

/// One random cut; of one value only, that of the values against the rest.
void DrawnSearch::random_with_gaps(const std::uint32_t* keys, std::uint32_t n_valued,
                                   std::uint32_t column, std::uint64_t key, Cut& cut) {
  const Column& info = table_.columns[column];
  const int shift = layout_.code_shift();
  const auto [least, most] = kernels_.range_of_keys(keys, n_valued);
  const std::uint32_t first = least >> shift, last = most >> shift;
  const std::span<const std::uint32_t> valued(keys, n_valued);
  cut.threshold = std::numeric_limits<double>::infinity();
  block_.code[0] = first;
  block_.next_code[0] = info.n_codes();
  if (first != last) {
    cut.threshold = random_threshold(info, static_cast<int>(column), key, first, last);
    block_.code[0] = last_up_to(cut.threshold, info, valued, first, last);
    block_.next_code[0] = last;  // some code that is not the last of all
    if (info.upper(block_.code[0]) > cut.threshold &&
        std::ranges::any_of(valued, [&](std::uint32_t k) { return k >> shift == block_.code[0]; }))
      return;
  }
  std::ranges::fill(counts_, 0u);
  const std::uint32_t bound = (block_.code[0] + 1) << shift;
  block_.rows_left[0] = kernels_.count_below(keys, n_valued, layout_, bound,
                                             static_cast<int>(counts_.size()), counts_.data());
  for (int k = 0; k < classes_.size(); ++k)
    block_.left[k * CutBlock::stride] = counts_[classes_.name[static_cast<std::size_t>(k)]];
  block_.n_cuts = 1;
  if (n_missing_ > 0) return score_with_gaps(info.n_codes(), cut);
  score(1, scores_);
  left_scores_[0] = minus_infinity;
  offer_with_gaps(info.n_codes(), cut);
}

/// Two classes, few categories, and nothing that limits the choice: then a prefix is the best.
bool DrawnSearch::may_order(const Column& column) const {
  return classes_.size() == 2 && column.is_narrow() && plan_.categories == Categories::subset &&
         plan_.max_subset == 0 && !plan_.random_cuts && !is_side_named(plan_.missing) &&
         !leaf_limits(plan_).any() && plan_.criterion.is_convex();
}

void DrawnSearch::order_categories(const std::uint32_t* keys, std::uint32_t n,
                                   const Column& column) {
  const CountCall call = count_call(column.n_codes() + 1);  // missing is a category, too
  kernels_.count_keys(keys, n, layout_, classes_.channel.data(), call);
  order_.take(call);
}

DrawnSearch::Cut DrawnSearch::best_prefix(const std::uint32_t* keys, std::uint32_t n,
                                          const Column& column) {
  Cut cut;
  order_categories(keys, n, column);
  cut.is_constant = order_.n_categories() < 2;
  if (cut.is_constant) return cut;
  order_.fill(block_);
  score(block_.n_cuts, scores_);
  const int i = offer(cut);
  if (i >= 0) cut.code = static_cast<std::uint32_t>(i);
  return cut;
}

/// Sums the categories of a column, and prepares their subsets. False if it is constant.
bool DrawnSearch::start_subsets(std::uint32_t* keys, std::uint32_t n, std::uint32_t column,
                                std::uint64_t key) {
  const Column& info = table_.columns[column];
  const auto n_classes = static_cast<std::size_t>(classes_.size());
  const std::uint32_t unit = layout_.times_bits == 0;
  categories_.clear(classes_.size());
  if (info.is_narrow()) {
    rows_by_code_.assign(info.n_codes() + std::size_t{1}, 0);
    sums_by_code_.assign(rows_by_code_.size() * n_classes, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t code = layout_.code(keys[i]);
      ++rows_by_code_[code];
      sums_by_code_[code * n_classes + classes_.channel[layout_.label(keys[i])]] +=
          layout_.times(keys[i]) + unit;
    }
    for (std::uint32_t code = 0; code < rows_by_code_.size(); ++code)
      if (rows_by_code_[code] > 0)
        std::copy_n(sums_by_code_.data() + code * n_classes, n_classes,
                    categories_.add(code, rows_by_code_[code]));
  } else {
    const std::uint32_t* sorted = kernels_.sort_keys(keys, n, layout_.code_shift(), spare_.data());
    for (std::uint32_t i = 0, end = 0; i < n; i = end) {
      const std::uint32_t code = layout_.code(sorted[i]);
      while (end < n && layout_.code(sorted[end]) == code) ++end;
      double* sums = categories_.add(code, end - i);
      for (std::uint32_t at = i; at < end; ++at)
        sums[classes_.channel[layout_.label(sorted[at])]] += layout_.times(sorted[at]) + unit;
    }
  }
  always_left_.clear();
  std::uint32_t rows_always_left = 0;
  const bool has_forced = is_side_named(plan_.missing) && categories_.code.back() == info.n_codes();
  if (has_forced) {
    if (plan_.missing == Missing::left) {
      const auto own = categories_.of(categories_.size() - 1);
      always_left_.assign(own.begin(), own.end());
      rows_always_left = categories_.rows.back();
    }
    categories_.pop();
  }
  if (categories_.size() < 2) return false;
  subsets_.start(plan_, categories_,
                 {std::span(classes_.weight).first(n_classes), classes_.size(), classes_.size(),
                  true, always_left_, rows_always_left, has_forced || leaf_limits(plan_).any(),
                  key ^ mix(std::uint64_t{column} + 1)});
  return true;
}

DrawnSearch::Cut DrawnSearch::best_subset(std::uint32_t* keys, std::uint32_t n,
                                          std::uint32_t column, std::uint64_t key) {
  if (may_order(table_.columns[column])) return best_prefix(keys, n, table_.columns[column]);
  Cut cut;
  cut.is_constant = !start_subsets(keys, n, column, key);
  if (cut.is_constant) return cut;
  const LeafLimits limits = tried_limits(plan_);
  for (subsets_.next(block_); block_.n_cuts > 0; subsets_.next(block_)) {
    score(block_.n_cuts, scores_);
    if (limits.rows > 1)
      for (int i = 0; i < block_.n_cuts; ++i)
        if (!limits.allow_rows(block_.rows_left[i], n)) scores_[i] = minus_infinity;
    const int i = offer(cut);
    if (i >= 0) cut.code = block_.code[i];
  }
  return cut;
}

/// Writes down which categories the chosen subset of a column puts on which side.
void DrawnSearch::list_codes(const Asked& node, Split& split) {
  const auto column = static_cast<std::uint32_t>(split.column);
  std::uint32_t* keys[] = {keys_[0].data()};
  const auto n = static_cast<std::uint32_t>(node.members.size());
  kernels_.gather_keys({node.records, node.members.data(), n, layout_, &column, 1, keys});
  split.kind = SplitKind::categories;
  split.missing_left = plan_.missing == Missing::left;
  if (may_order(table_.columns[column])) {
    order_categories(keys[0], n, table_.columns[column]);
    order_.list(split.code, split.codes, split.branches);
    split.is_optimal = true;
    return;
  }
  start_subsets(keys[0], n, column, node.key);
  split.codes = categories_.code;
  for (const std::uint8_t is_left : subsets_.left_of(split.code))
    split.branches.push_back(is_left ? 0 : 1);
  split.is_optimal = subsets_.is_optimal();
}

}  // namespace ramify

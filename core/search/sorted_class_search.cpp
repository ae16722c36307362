// SPDX-License-Identifier: BSD-3-Clause
#include "search/sorted_class_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scan/hull.hpp"

namespace ramify {
namespace {

/// Cuts this near the highest peak are scored to learn what is to beat.
constexpr float near_top = 0.999f;

}  // namespace

SortedClassSearch::SortedClassSearch(const Training& training, const SortedLists& lists,
                                     const ClassScores& scores)
    : training_(training),
      lists_(lists),
      classes_(training.target),
      bound_(training.plan.criterion.builtin.get()),
      scorer_(training, scores, classes_, channels_) {
  const auto n = static_cast<std::size_t>(training.target.n_classes[0]);
  channels_.channel.resize(n);
  channels_.is_present.resize(n);
  channels_.outputs.resize(1);
  channels_.channels.channel = channels_.channel.data();
}

void SortedClassSearch::start(const ClassNode& node, std::span<const double> statistics,
                              bool is_shared) {
  where_ = node;
  node_.begin = node.begin;
  node_.end = node.end;
  node_.depth = node.depth;
  node_.key = node.key;
  node_.lower = node.lower;
  node_.upper = node.upper;
  if (!training_.plan.monotonic.empty()) node_.sums.assign(statistics.begin(), statistics.end());
  channels_.n_rows = node.n_rows();
  channels_.parent.clear();
  labels_.clear();
  NodeChannels::Output output;
  for (std::size_t k = 0; k < statistics.size(); ++k) {
    channels_.is_present[k] = statistics[k] > 0;
    channels_.channel[k] = 0;
    if (!(statistics[k] > 0)) continue;
    channels_.channel[k] = static_cast<std::uint32_t>(channels_.parent.size());
    channels_.parent.push_back(statistics[k]);
    labels_.push_back(static_cast<std::uint32_t>(k));
    output.total += statistics[k];
  }
  output.n_known = statistics.size();
  output.n_classes = output.n_present = static_cast<int>(channels_.parent.size());
  channels_.outputs[0] = output;
  channels_.channels.n_channels = output.n_classes;
  cuts_.to_beat = lead_score_ = lead_tie_ = minus_infinity;
  is_shared_ = is_shared;
  const double* weights = lists_.weights();
  scorer_.start(weights != nullptr);
  const LeafLimits limits = tried_limits(training_.plan, training_.target, output.total);
  has_bound_ = bound_.start(
      {.parent = channels_.parent,
       .labels = labels_,
       .n_rows = node.n_rows(),
       .min_rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(limits.rows, node.n_rows())),
       .total = output.total,
       .unit = training_.target.unit,
       .layout = lists_.layout(),
       .row_weights = weights});
}

/// The codes beside a cut are looked up when it is chosen: most cuts that lead are overtaken.
void SortedClassSearch::name_codes(Split& split) const {
  const auto column = static_cast<std::uint32_t>(split.column);
  const auto rows_left = static_cast<std::uint32_t>(split.rows_left);
  const auto code_at = [&](std::uint32_t place) {
    return lists_.row_code(column, lists_.row_at(where_, column, place));
  };
  split.code = code_at(rows_left - 1);
  if (rows_left < where_.n_rows()) split.next_code = code_at(rows_left);
}

/// A column, before its first cut.
SortedCuts SortedClassSearch::begin(std::uint32_t column) {
  SortedCuts cuts(lists_, where_, channels_, training_.table.columns[column], column, left_);
  cuts_.start(channels_.size());
  if (cuts.n_missing() > 0) {
    std::ranges::fill(cuts_.missing, 0.0);
    cuts.sum_missing(cuts_.missing.data());
  }
  return cuts;
}

void SortedClassSearch::judge(SortedCuts& cuts) const {
  const NodeColumn own{node_, channels_, static_cast<int>(cuts.column()), nullptr};
  cuts.judge.emplace(training_, own, ColumnRange{0, 0, cuts.n_missing()}, cuts_.missing);
}

/// The best split of a column that was judged. It is to be beaten from now on.
Split SortedClassSearch::end(const SortedCuts& cuts) {
  Split split = cuts.judge->result();
  if (split.exists() && wins(split.score, split.tie_break, lead_score_, lead_tie_)) {
    lead_score_ = split.score;
    lead_tie_ = split.tie_break;
  }
  // Which columns a thread looked at before is chance: what it leaves out must be far below.
  const double below = is_shared_ ? far_below(split.best) : surely_below(split.best);
  cuts_.to_beat = std::max(cuts_.to_beat, below);
  return split;
}

/// Calls use(list) with the list of a column.
template <class Use>
auto SortedClassSearch::with_list(std::uint32_t column, Use use) const {
  const std::uint32_t n = lists_.n_valued(where_, column), n_missing = where_.n_rows() - n;
  SortedColumn list{lists_.items(where_, column), n, n_missing};
  if (n_missing == 0) return use(list);
  const std::span<const std::uint32_t> counted = bound_.counted();
  std::vector<double> all(labels_.size()), missing(counted.size()), left;
  SortedCuts(lists_, where_, channels_, training_.table.columns[column], column, left)
      .sum_missing(all.data());
  for (const double weight : all) list.missing_weight += weight;
  for (std::size_t k = 0; k < counted.size(); ++k)
    missing[k] = all[counted[k]] - list.missing_weight * bound_.scan().share[k];
  list.missing = missing.data();
  return use(list);
}

float SortedClassSearch::peak(std::uint32_t column) const {
  return with_list(column, [&](const SortedColumn& list) {
    if (list.n == 0) return std::numeric_limits<float>::quiet_NaN();
    if (bound_.needs_all_classes() && end_tops_[column] > minus_infinity &&
        end_tops_[column] >= cuts_.to_beat)
      return std::numeric_limits<float>::infinity();
    return sorted_kernels().peak(bound_.scan(), list);
  });
}

/// What a cut must reach in floats to matter.
float SortedClassSearch::wanted() {
  return bound_.wanted(cuts_.to_beat, lead_score_ >= cuts_.to_beat ? lead_tie_ : minus_infinity);
}

void SortedClassSearch::prepare_peaks(std::span<const std::uint32_t> columns) {
  if (bound_.needs_all_classes()) {
    end_tops_.resize(training_.table.columns.size());
    for (const std::uint32_t column : columns)
      end_tops_[column] = best_near(column, std::numeric_limits<float>::infinity()).best;
  }
  for (std::size_t i = 0; bound_.needs_score() && i < columns.size(); ++i) {
    const float own = peak(columns[i]);
    if (own >= 0) best_near(columns[i], own * near_top);
    wanted();
  }
  bound_.begin_peaks();
}

Split SortedClassSearch::best_near_peak(std::uint32_t column, float peak) {
  const float needed = wanted();
  if (column == highest_.column && bound_.value_now(highest_.wanted) <= needed)
    return std::move(highest_.split);
  return peak >= 0 && bound_.value_now(peak) >= needed ? best_near(column, needed) : Split();
}

void SortedClassSearch::learn_to_beat(std::span<const std::uint32_t> columns,
                                      std::span<const float> peaks) {
  highest_ = {};
  std::size_t highest = 0;
  for (std::size_t i = 1; i < columns.size(); ++i)
    if (!(peaks[highest] >= peaks[i])) highest = i;
  if (!(peaks[highest] >= 0) || std::isinf(peaks[highest])) return;
  const float near = peaks[highest] * near_top;
  highest_ = {.column = columns[highest], .wanted = near, .split = {}};
  highest_.split = best_near(highest_.column, near);
}

/// Where all classes are on both sides of a cut, if the first is not behind the last.
SortedClassSearch::PlaceRange SortedClassSearch::places_with_all(std::uint32_t column) const {
  const std::uint32_t n = lists_.n_valued(where_, column);
  const std::uint32_t* items = lists_.items(where_, column);
  const FlagLayout layout = lists_.layout();
  // How many rows it takes to see all classes.
  const auto count = [&](auto place_of) {
    std::uint64_t unseen = ~std::uint64_t{0} >> (64 - labels_.size());
    std::uint32_t i = 0;
    while (unseen && i < n)
      unseen &= ~(std::uint64_t{1} << channels_.channel[layout.label(items[place_of(i++)])]);
    return unseen ? n + 1 : i;
  };
  const std::uint32_t from_left = count([](std::uint32_t i) { return i; });
  const std::uint32_t from_right = count([&](std::uint32_t i) { return n - 1 - i; });
  return {from_left, n - std::min(from_right, n)};
}

/// The cuts of a column that reach a value in floats, and those that the bound says nothing of.
std::span<const std::uint32_t> SortedClassSearch::near(std::uint32_t column, float wanted) {
  places_.resize(std::max(places_.size(), std::size_t{2} * where_.n_rows() + 2));
  std::uint32_t* end = places_.data();
  const auto add_near = [&] {
    return end + with_list(column, [&](const SortedColumn& list) {
             return sorted_kernels().near(bound_.scan(), list, wanted, end);
           });
  };
  if (!bound_.needs_all_classes()) return {places_.data(), add_near()};
  const SortedCuts cuts(lists_, where_, channels_, training_.table.columns[column], column, left_);
  const PlaceRange all = places_with_all(column);
  end = cuts.write_places(1, all.first, end);
  if (all.first <= all.last && !std::isinf(wanted))
    end = std::remove_if(end, add_near(), [&](std::uint32_t place) {
      return place < all.first || place > all.last;
    });
  end = cuts.write_places(std::max(all.first, all.last + 1), where_.n_rows() + 1, end);
  return {places_.data(), end};
}

/// The best of these cuts.
Split SortedClassSearch::best_near(std::uint32_t column, float wanted) {
  std::span<const std::uint32_t> near = this->near(column, wanted);
  const bool has_keys = scorer_.has_key_sums(training_.table.columns[column]);
  if (near.empty() || (has_keys && !may_win(column, near))) return {};
  SortedCuts cuts = begin(column);
  judge(cuts);
  std::uint32_t places[CutBlock::stride], stop;
  while (!near.empty()) {
    if (has_keys) {
      cuts.cuts_of_block(places, stop);
      if (near[0] <= stop) scorer_.score_keys(cuts, cuts_, stop);
      while (!near.empty() && near[0] <= stop) near = near.subspan(1);
      if (!near.empty()) cuts.go_to(stop);
    } else {
      const std::size_t n = std::min<std::size_t>(near.size(), CutBlock::capacity);
      cuts.sum(near.first(n), cuts_.start(channels_.size()));
      scorer_.score(cuts, cuts_, false);
      near = near.subspan(n);
    }
  }
  return end(cuts);
}

/// The last digits of sums along a list depend on where they began: are the scores of single cuts
/// worth a walk? Nine in ten times they are not, and it takes longer than they do.
bool SortedClassSearch::may_win(std::uint32_t column, std::span<const std::uint32_t> near) {
  SortedCuts cuts = begin(column);
  if (cuts_.to_beat == minus_infinity || cuts.n_missing() > 0) return true;
  const double min = surely_below(cuts_.to_beat) - hull_slack(cuts_.to_beat);
  while (!near.empty()) {
    const std::size_t n = std::min<std::size_t>(near.size(), CutBlock::capacity);
    CutBlock& block = cuts_.start(channels_.size());
    cuts.sum(near.first(n), block);
    scorer_.score_cuts(block.left, block.n_cuts, cuts_.scores[0]);
    if (kernels().largest(cuts_.scores[0], block.n_cuts) >= min) return true;
    near = near.subspan(n);
  }
  return false;
}

Split SortedClassSearch::best_of_all(std::uint32_t column) {
  SortedCuts cuts = begin(column);
  if (cuts.n_valued() == 0) return Split::constant();
  judge(cuts);
  const bool has_keys = scorer_.has_key_sums(cuts.info());
  bool any = cuts.n_missing() > 0;
  std::uint32_t places[CutBlock::stride];
  while (!cuts.is_done()) {
    std::uint32_t end;
    const std::span<const std::uint32_t> own = cuts.cuts_of_block(places, end);
    if (has_keys) {
      scorer_.score_keys(cuts, cuts_, end);
    } else {
      cuts.sum(own, cuts_.start(channels_.size()));
      scorer_.score(cuts, cuts_, true);
    }
    any |= cuts_.block.n_cuts > 0;
    cuts.go_to(end);
  }
  return any ? end(cuts) : Split::constant();
}

}  // namespace ramify

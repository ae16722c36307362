// SPDX-License-Identifier: BSD-3-Clause
#include "survival/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "select/admissible.hpp"
#include "select/judge.hpp"
#include "survival/categories.hpp"
#include "survival/column_tests.hpp"

namespace ramify {

bool SurvivalSearch::start(const ListSegment& node, SurvivalSums& sums) const {
  const std::span<const std::uint32_t> rows = lists_.rows(node);
  sums.times.read(order_, rows);
  if (sums.times.size() == 0) return false;
  if (is_log_rank(rules_.criterion)) {
    if (sums.rows.size() < order_.n_rows()) sums.rows.resize(order_.n_rows());
    sums.log_rank.set(order_, sums.times, rows, rules_, sums.rows);
    return true;
  }
  if (!is_of_curves(rules_.criterion)) {
    sums.sums.set(order_, sums.times, rows, root_, rules_);
    return !sums.sums.is_constant;
  }
  if (sums.rank.size() < order_.n_rows()) sums.rank.resize(order_.n_rows());
  for (std::size_t i = 0; i < rows.size(); ++i) sums.rank[rows[i]] = sums.times.ranks[i];
  sums.event_time.clear();
  for (const std::uint32_t place : sums.times.place) sums.event_time.push_back(order_.times[place]);
  return true;
}

bool SurvivalSearch::allows(const SurvivalSums& sums, std::uint64_t left,
                            std::uint64_t events) const {
  const double n = sums.times.total, n_left = static_cast<double>(left) * order_.unit;
  const double least = plan_.min_leaf_weight * order_.unit;
  const double own = static_cast<double>(events) * order_.unit;
  if (n_left < least || n - n_left < least) return false;
  if (own < rules_.min_events || sums.times.n_events - own < rules_.min_events) return false;
  return rules_.criterion != SurvivalCriterion::maxstat ||
         (n_left >= std::floor(n * rules_.minprop) &&
          n_left <= std::floor(n * (1 - rules_.minprop)));
}

/// Drops the cuts that leave a side with too little.
void SurvivalSearch::refuse(const WalkedList& list, const SurvivalSums& sums,
                            std::vector<ScoredCut>& out) const {
  std::uint64_t left = 0, events = 0;
  std::size_t at = 0, kept = 0;
  walk_list(
      list,
      [&](std::uint32_t row) {
        left += order_.weight[row];
        events += order_.event[row] ? order_.weight[row] : 0;
      },
      [&](std::uint32_t place) {
        if (at == out.size() || out[at].place != place) return;  // not every cut is scored
        out[kept] = out[at++];
        kept += allows(sums, left, events);
      });
  out.resize(kept);
}

void SurvivalSearch::score_sums(const WalkedList& list, const SurvivalSums& sums,
                                std::vector<ScoredCut>& out) const {
  const SumsNode& node = sums.sums;
  const std::size_t n_sums = node.n_sums;
  std::uint64_t n_left = 0;
  std::vector<std::int64_t> left(n_sums, 0);
  walk_list(
      list,
      [&](std::uint32_t row) {
        n_left += order_.weight[row];
        const std::int64_t* own = node.of_row(row);
        for (std::size_t j = 0; j < n_sums; ++j) left[j] += own[j];
      },
      [&](std::uint32_t place) {
        out.push_back({place, node.score(rules_.criterion, n_left, left)});
      });
}

/// The scores of the cuts of a column in one order of its rows.
void SurvivalSearch::score_list(const WalkedList& list, const SurvivalSums& sums, SearchRoom& room,
                                std::vector<ScoredCut>& out) const {
  out.clear();
  if (is_log_rank(rules_.criterion)) {
    if (room.cuts.size() <= list.n) room.cuts.resize(list.n + std::size_t{1});
    const auto n_times = static_cast<std::uint32_t>(sums.times.size());
    const LogRankNode& node = sums.log_rank;
    const std::uint32_t n_cuts =
        node.is_wide() ? walk_wide(list, sums.rows.data(), node.wide_ranks.data(), n_times,
                                   room.prefix, room.cuts.data())
                       : survival_kernels().walk(list, sums.rows.data(), node.ranks.data(), n_times,
                                                 room.prefix, room.cuts.data());
    for (std::uint32_t i = 0; i < n_cuts; ++i)
      out.push_back({room.cuts[i].place, node.score(room.cuts[i].u, room.cuts[i].v)});
  } else if (is_of_curves(rules_.criterion)) {
    score_curves(list, sums, room, out);
  } else {
    score_sums(list, sums, out);
  }
  if (has_limits()) refuse(list, sums, out);
}

/// The first of the best cuts, those with missing rows on the right before those on the left.
SurvivalSearch::Found SurvivalSearch::best_of_list(WalkedList list, const SurvivalSums& sums,
                                                   SearchRoom& room) const {
  const bool has_missing = list.n_valued < list.n;
  list.min_rows = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::max<std::uint64_t>(plan_.min_leaf_rows, 1), list.n));
  room.right.clear();
  room.left.clear();
  if (!has_missing || may_go(plan_.missing, false)) {
    list.missing_left = false;
    list.stands_apart = may_stand_apart(plan_.missing, false);
    score_list(list, sums, room, room.right);
  }
  if (has_missing && may_go(plan_.missing, true)) {
    list.missing_left = true;
    list.stands_apart = false;
    score_list(list, sums, room, room.left);
  }
  Found found;
  for (const auto* side : {&room.right, &room.left})
    for (const ScoredCut& cut : *side) found.top = std::max(found.top, cut.score);
  if (!(found.top > minus_infinity)) return found;
  const double wanted = enough(found.top);
  const auto first_in = [&](const std::vector<ScoredCut>& side) {
    return std::ranges::find_if(side, [&](const ScoredCut& cut) { return cut.score >= wanted; });
  };
  const auto right = first_in(room.right), left = first_in(room.left);
  found.missing_left =
      right == room.right.end() || (left != room.left.end() && left->place < right->place);
  const ScoredCut& cut = found.missing_left ? *left : *right;
  found.score = cut.score;
  found.place = cut.place;
  return found;
}

Split SurvivalSearch::best_of_column(const SearchedNode& node, std::uint32_t column,
                                     const SurvivalSums& sums, SearchRoom& room) const {
  const WalkedList list = lists_.column(node.rows, column);
  const bool is_varied =
      list.n_valued > 0 && (list.n_valued < list.n ||
                            lists_.code(column, lists_.row(list.items[0])) !=
                                lists_.code(column, lists_.row(list.items[list.n_valued - 1])));
  if (!is_varied) return Split::constant();
  Split split;
  if (table_.columns[column].is_categorical)
    split = CategorySearch(*this, list, column, sums, room).best();
  else if (plan_.random_cuts)
    split = random(node, column, list, sums, room);
  else
    split = numeric(node, column, list, sums, room);
  split.saw_missing = list.n_valued < list.n;
  if (rules_.criterion == SurvivalCriterion::maxstat && split.exists())
    split.tie_break = ColumnTests(*this, node, sums).log_p_of_cuts(column, split.best, room);
  return split;
}

Split SurvivalSearch::numeric(const SearchedNode&, std::uint32_t column, WalkedList list,
                              const SurvivalSums& sums, SearchRoom& room) const {
  const Found found = best_of_list(list, sums, room);
  Split split;
  if (!(found.top > minus_infinity)) return split;
  split.column = static_cast<int>(column);
  split.score = found.score;
  split.best = found.top;
  split.rows_left = found.place;
  split.missing_left = found.missing_left;
  split.code = lists_.code(column, lists_.row(list.items[found.place - 1]));
  split.next_code = found.place < list.n_valued
                        ? lists_.code(column, lists_.row(list.items[found.place]))
                        : table_.columns[column].n_codes();
  return split;
}

/// One random cut, with the rows without a value on the side that scores better.
Split SurvivalSearch::random(const SearchedNode& node, std::uint32_t column, WalkedList list,
                             const SurvivalSums& sums, SearchRoom& room) const {
  const Column& info = table_.columns[column];
  const auto code_at = [&](std::uint32_t i) {
    return lists_.code(column, lists_.row(list.items[i]));
  };
  const std::uint32_t first = code_at(0), last = code_at(list.n_valued - 1);
  double threshold = std::numeric_limits<double>::infinity();
  std::uint32_t place = list.n_valued;
  if (first != last) {
    threshold = random_threshold(info, static_cast<int>(column), node.key, first, last);
    std::uint32_t low = 1, high = list.n_valued - 1;  // rows up to the threshold
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (info.upper(code_at(middle)) <= threshold)
        low = middle + 1;
      else
        high = middle;
    }
    place = low;
  }
  const std::uint32_t n_missing = list.n - list.n_valued;
  Split split;
  for (const bool missing_left : {false, true}) {
    const bool is_apart = place == list.n_valued;
    if (missing_left && (n_missing == 0 || is_apart)) continue;
    if (n_missing > 0 && !may_go(plan_.missing, missing_left)) continue;
    if (is_apart && !may_stand_apart(plan_.missing, missing_left)) continue;
    const std::uint64_t n_left = place + (missing_left ? n_missing : 0);
    if (!leaf_limits(plan_).allow_rows(n_left, list.n)) continue;
    list.missing_left = missing_left;
    const double score = score_one(list, place, sums, room);
    if (!(score > minus_infinity) || (split.exists() && !beats(score, split.best))) continue;
    split.column = static_cast<int>(column);
    split.score = split.best = score;
    split.rows_left = place;
    split.missing_left = missing_left;
    split.code = code_at(place - 1);
    split.next_code = is_apart ? info.n_codes() : code_at(place);
    split.threshold = threshold;
    split.is_optimal = false;
  }
  return split;
}

double score_of_counts(const SurvivalSums& sums, Wide u, std::vector<std::uint64_t>& left) {
  const LogRankNode& node = sums.log_rank;
  const std::size_t n_times = sums.times.size();
  for (std::size_t k = n_times; k-- > 1;) left[k] += left[k + 1];
  const auto v = [&](const auto& ranks, auto at_risk) {
    Wide sum = 0;
    for (std::size_t k = 1; k <= n_times; ++k)
      sum += static_cast<Wide>(ranks[k].b - ranks[k - 1].b) *
             static_cast<Wide>(left[k] * (at_risk(k) - left[k]));
    return to_double(sum);
  };
  const auto at_risk = [&](std::size_t k) { return sums.times.units_at_risk[k - 1]; };
  return node.score(u, node.is_wide() ? v(node.wide_ranks, at_risk) : v(node.ranks, at_risk));
}

/// The score of one cut, by counting the rows on its left.
double SurvivalSearch::score_one(const WalkedList& list, std::uint32_t place,
                                 const SurvivalSums& sums, SearchRoom& room) const {
  const auto each_left = [&](auto visit) {
    for (std::uint32_t i = 0; i < place; ++i) visit(lists_.row(list.items[i]));
    for (std::uint32_t i = list.n_valued; list.missing_left && i < list.n; ++i)
      visit(lists_.row(list.items[i]));
  };
  std::uint64_t n_left = 0, events = 0;
  each_left([&](std::uint32_t row) {
    n_left += order_.weight[row];
    events += order_.event[row] ? order_.weight[row] : 0;
  });
  if (has_limits() && !allows(sums, n_left, events)) return minus_infinity;
  if (is_log_rank(rules_.criterion)) {
    room.counts.assign(sums.times.size() + 2, 0);
    Wide u = 0;
    each_left([&](std::uint32_t row) {
      const LogRankRow& own = sums.rows[row];
      u += static_cast<Wide>(own.u) * static_cast<Wide>(own.weight);
      room.counts[own.rank] += own.weight;
    });
    return score_of_counts(sums, u, room.counts);
  }
  if (is_of_curves(rules_.criterion)) {
    WalkedList one = list;
    one.min_rows = 1;
    room.items.assign(list.items, list.items + list.n);
    for (std::uint32_t i = 0; i < list.n_valued; ++i)
      room.items[i] = lists_.row(list.items[i]) | (i == place ? FlagLayout::flag : 0);
    one.items = room.items.data();
    one.stands_apart = place == list.n_valued;
    score_curves(one, sums, room, room.right);
    return room.right.empty() ? minus_infinity : room.right[0].score;
  }
  std::vector<std::int64_t> left(sums.sums.n_sums, 0);
  each_left([&](std::uint32_t row) {
    for (std::size_t j = 0; j < left.size(); ++j) left[j] += sums.sums.of_row(row)[j];
  });
  return sums.sums.score(rules_.criterion, n_left, left);
}

/// Whole curves cost as much as there are event times: of many cuts only some are looked at.
void SurvivalSearch::score_curves(const WalkedList& list, const SurvivalSums& sums,
                                  SearchRoom& room, std::vector<ScoredCut>& out) const {
  out.clear();
  std::vector<std::uint32_t> places;
  walk_list(list, [](std::uint32_t) {}, [&](std::uint32_t place) { places.push_back(place); });
  const std::size_t most = rules_.max_cuts, all = places.size();
  if (most > 0 && all > most) {
    for (std::size_t i = 0; i < most; ++i)
      places[i] = places[most == 1 ? all / 2 : i * (all - 1) / (most - 1)];
    places.resize(most);
  }
  const std::size_t n_times = sums.times.size();
  room.counts.assign(n_times + 2, 0);
  room.dead.assign(n_times + 2, 0);
  room.tied.assign(n_times + 2, 0);
  std::uint64_t n_left = 0;
  std::uint32_t last = 0;  // place of the largest time on the left
  std::vector<double> at_risk(n_times), events(n_times), tied(n_times), block_risk, block_events;
  std::vector<std::uint32_t> block;
  const auto flush = [&] {
    if (block.empty()) return;
    const std::vector<double> scores = rules_.score_cuts({.n_cuts = block.size(),
                                                          .at_risk_left = block_risk,
                                                          .events_left = block_events,
                                                          .at_risk = sums.times.at_risk,
                                                          .events = sums.times.events,
                                                          .times = sums.event_time});
    for (std::size_t i = 0; i < block.size(); ++i) out.push_back({block[i], scores[i]});
    block.clear();
    block_risk.clear();
    block_events.clear();
  };
  std::vector<std::uint8_t> is_left;
  std::uint32_t last_right = 0;
  const bool needs_ends = rules_.criterion == SurvivalCriterion::l1;
  if (needs_ends) is_left.assign(order_.n_rows(), 0);
  std::size_t at = 0;
  // The latest row that is still on the right; rows are in the order of time.
  std::vector<std::uint32_t> by_time;
  if (needs_ends) {
    for (std::uint32_t i = 0; i < list.n; ++i) by_time.push_back(lists_.row(list.items[i]));
    std::ranges::sort(by_time);
  }
  walk_list(
      list,
      [&](std::uint32_t row) {
        room.counts[sums.rank[row]] += order_.weight[row];
        const std::uint32_t rank = sums.rank[row];
        if (order_.event[row])
          room.dead[rank] += order_.weight[row];
        else if (rank > 0 && order_.place[row] == sums.times.place[rank - 1])
          room.tied[rank] += order_.weight[row];
        n_left += order_.weight[row];
        last = std::max(last, order_.place[row]);
        if (needs_ends) is_left[row] = 1;
      },
      [&](std::uint32_t place) {
        if (at == places.size() || places[at] != place) return;
        ++at;
        std::uint64_t sum = 0;
        for (std::size_t k = n_times; k-- > 0;) {
          sum += room.counts[k + 1];
          at_risk[k] = static_cast<double>(sum) * order_.unit;
          events[k] = static_cast<double>(room.dead[k + 1]) * order_.unit;
          tied[k] = static_cast<double>(room.tied[k + 1]) * order_.unit;
        }
        if (rules_.score_cuts) {
          block.push_back(place);
          block_risk.insert(block_risk.end(), at_risk.begin(), at_risk.end());
          block_events.insert(block_events.end(), events.begin(), events.end());
          if (block.size() == 256) flush();
          return;
        }
        if (needs_ends) {
          while (!by_time.empty() && is_left[by_time.back()]) by_time.pop_back();
          last_right = order_.place[by_time.back()];
        }
        const double score = score_of_curves(sums.times, sums.event_time,
                                             {.at_risk = at_risk,
                                              .events = events,
                                              .tied = tied,
                                              .weight = static_cast<double>(n_left) * order_.unit,
                                              .last = order_.times[last],
                                              .last_right = order_.times[last_right]},
                                             rules_);
        out.push_back({place, score});
      });
  flush();
}

Split SurvivalSearch::choose(const SearchedNode& node, std::span<const Split> found,
                             const SurvivalSums& sums, SearchRoom& room) const {
  if (rules_.criterion == SurvivalCriterion::maxstat)
    return ColumnTests(*this, node, sums).choose_by_p(found);
  if (rules_.criterion == SurvivalCriterion::ctree)
    return ColumnTests(*this, node, sums).choose_by_statistic(found, room);
  Split best;
  for (const Split& split : found)
    if (split.exists() && (!best.exists() || beats(split.best, best.best))) best = split;
  return best;
}

}  // namespace ramify

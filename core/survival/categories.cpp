// SPDX-License-Identifier: BSD-3-Clause
#include "survival/categories.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "select/admissible.hpp"

namespace ramify {

CategorySearch::CategorySearch(const SurvivalSearch& search, const WalkedList& list,
                               std::uint32_t column, const SurvivalSums& sums, SearchRoom& room)
    : search_(search), list_(list), column_(column), sums_(sums), room_(room) {
  for (std::uint32_t i = 0; i < list.n_valued; ++i) {
    if (i > 0 && !(list.items[i] & FlagLayout::flag)) continue;
    if (!categories_.empty()) categories_.back().end = i;
    Category category;
    category.code = search.lists_.code(column, search.lists_.row(list.items[i]));
    category.begin = i;
    categories_.push_back(std::move(category));
  }
  if (!categories_.empty()) categories_.back().end = list.n_valued;
  missing_.begin = list.n_valued;
  missing_.end = list.n;
  for (Category& category : categories_) measure(category);
  measure(missing_);
}

/// Counts the rows of a category.
void CategorySearch::measure(Category& category) const {
  const SurvivalCriterion criterion = search_.rules_.criterion;
  const bool by_curves = is_of_curves(criterion), by_rank = by_curves || is_log_rank(criterion);
  const std::size_t n_times = sums_.times.size();
  if (by_rank) category.at_risk.assign(n_times, 0);
  if (by_curves) category.dead.assign(n_times, 0);
  if (!by_rank) category.sums.assign(sums_.sums.n_sums, 0);
  for (std::uint32_t i = category.begin; i < category.end; ++i) {
    const std::uint32_t row = search_.lists_.row(list_.items[i]);
    const std::uint64_t weight = search_.order_.weight[row];
    const bool is_event = search_.order_.event[row] != 0;
    category.weight += weight;
    category.events += is_event ? weight : 0;
    if (by_rank) {
      const std::uint32_t rank = by_curves ? sums_.rank[row] : sums_.rows[row].rank;
      if (rank == 0) continue;
      category.at_risk[rank - 1] += weight;
      if (by_curves && is_event) category.dead[rank - 1] += weight;
      if (!by_curves)
        category.u += static_cast<Wide>(sums_.rows[row].u) * static_cast<Wide>(weight);
    } else {
      for (std::size_t j = 0; j < category.sums.size(); ++j)
        category.sums[j] += sums_.sums.of_row(row)[j];
    }
  }
  for (std::size_t k = n_times; by_rank && k-- > 0;) {
    if (k + 1 < n_times) category.at_risk[k] += category.at_risk[k + 1];
    category.expected +=
        static_cast<double>(category.at_risk[k]) * sums_.times.events[k] / sums_.times.at_risk[k];
  }
}

/// Is a prefix of an order the best subset, whatever the data?
bool CategorySearch::is_ordered() const {
  const SurvivalCriterion criterion = search_.rules_.criterion;
  return is_observed_expected(criterion) || (is_of_scores(criterion) && sums_.sums.n_sums == 1);
}

/// By what to put the categories in order, once or several times.
std::vector<std::vector<double>> CategorySearch::keys() const {
  std::vector<std::vector<double>> keys;
  const auto add = [&](auto key_of) {
    std::vector<double> key;
    for (const Category& category : categories_) key.push_back(key_of(category));
    keys.push_back(std::move(key));
  };
  const auto ratio = [](double a, double b) { return b > 0 ? a / b : 0; };
  const SurvivalCriterion criterion = search_.rules_.criterion;
  if (is_observed_expected(criterion)) {
    add([&](const Category& c) {
      return ratio(static_cast<double>(c.sums[0]) * sums_.sums.step[0],
                   static_cast<double>(c.sums[1]) * sums_.sums.step[1]);
    });
  } else if (is_of_scores(criterion)) {
    for (std::size_t j = 0; j < sums_.sums.n_sums; ++j)
      add([&](const Category& c) {
        return static_cast<double>(c.sums[j]) / static_cast<double>(c.weight);
      });
  } else {
    add([&](const Category& c) { return ratio(static_cast<double>(c.events), c.expected); });
    if (is_log_rank(criterion))
      add([&](const Category& c) {
        const double size = to_double(c.u < 0 ? Wide{0} - c.u : c.u);
        return (c.u < 0 ? -size : size) / static_cast<double>(c.weight);
      });
  }
  return keys;
}

/// Tries the prefixes of an order, along a list in which the categories follow it.
void CategorySearch::try_order(const std::vector<double>& key, std::vector<Candidate>& candidates) {
  std::vector<std::uint32_t> order(categories_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order,
                           [&](std::uint32_t a, std::uint32_t b) { return key[a] < key[b]; });
  std::vector<std::uint32_t> items, ends;
  for (const std::uint32_t each : order) {
    const Category& category = categories_[each];
    for (std::uint32_t i = category.begin; i < category.end; ++i)
      items.push_back(search_.lists_.row(list_.items[i]) |
                      (i == category.begin ? FlagLayout::flag : 0));
    ends.push_back(static_cast<std::uint32_t>(items.size()));
  }
  items.insert(items.end(), list_.items + list_.n_valued, list_.items + list_.n);
  WalkedList list = list_;
  list.items = items.data();
  const auto found = search_.best_of_list(list, sums_, room_);
  is_limited_ = is_limited_ || room_.right.size() + 1 < categories_.size();
  if (!(found.top > minus_infinity)) return;
  Candidate candidate{found.top, std::vector<std::uint8_t>(categories_.size(), 0),
                      found.missing_left};
  for (std::size_t at = 0; at < order.size(); ++at)
    candidate.is_left[order[at]] = ends[at] <= found.place;
  candidates.push_back(std::move(candidate));
}

/// V of each pair of categories: the variance of a subset is the sum over the pairs it cuts.
std::vector<Wide> CategorySearch::kernel_sums(const std::vector<Category>& all) const {
  const LogRankNode& node = sums_.log_rank;
  const std::size_t m = all.size();
  std::vector<Wide> kernel(m * m, 0);
  const auto fill = [&](const auto& ranks) {
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = a + 1; b < m; ++b) {
        Wide sum = 0;
        for (std::size_t k = 0; k < sums_.times.size(); ++k)
          sum += static_cast<Wide>(ranks[k + 1].b - ranks[k].b) *
                 static_cast<Wide>(all[a].at_risk[k] * all[b].at_risk[k]);
        kernel[a * m + b] = kernel[b * m + a] = sum;
      }
  };
  node.is_wide() ? fill(node.wide_ranks) : fill(node.ranks);
  return kernel;
}

double CategorySearch::score_subset(const std::vector<Category>& all,
                                    const std::vector<Wide>& kernel, std::uint32_t left) const {
  Category side;
  std::uint64_t rows = 0;
  const SurvivalCriterion criterion = search_.rules_.criterion;
  const bool by_curves = is_of_curves(criterion), by_rank = by_curves || is_log_rank(criterion);
  const std::size_t n_times = sums_.times.size(), m = all.size();
  if (by_curves) {
    side.at_risk.assign(n_times, 0);
    side.dead.assign(n_times, 0);
  }
  side.sums.assign(by_rank ? 0 : sums_.sums.n_sums, 0);
  Wide v = 0;
  for (std::size_t c = 0; c < m; ++c) {
    if (!(left >> c & 1)) continue;
    const Category& own = all[c];
    rows += own.rows();
    side.weight += own.weight;
    side.events += own.events;
    side.u += own.u;
    for (std::size_t j = 0; j < side.sums.size(); ++j) side.sums[j] += own.sums[j];
    for (std::size_t k = 0; k < side.at_risk.size(); ++k) {
      side.at_risk[k] += own.at_risk[k];
      side.dead[k] += own.dead[k];
    }
    for (std::size_t other = 0; other < m && !kernel.empty(); ++other)
      if (!(left >> other & 1)) v += kernel[c * m + other];
  }
  if (!leaf_limits(search_.plan_).allow_rows(rows, list_.n)) return minus_infinity;
  if (search_.has_limits() && !search_.allows(sums_, side.weight, side.events))
    return minus_infinity;
  if (!kernel.empty()) return sums_.log_rank.score(side.u, to_double(v));
  return score_side(side);
}

double CategorySearch::score_side(const Category& side) const {
  if (!is_of_curves(search_.rules_.criterion))
    return sums_.sums.score(search_.rules_.criterion, side.weight, side.sums);
  return minus_infinity;
}

void CategorySearch::try_all(std::vector<Candidate>& candidates) {
  std::vector<Category> all = categories_;
  const bool has_missing = missing_.rows() > 0;
  if (has_missing) all.push_back(missing_);
  const auto m = static_cast<std::uint32_t>(categories_.size());
  const std::vector<Wide> kernel =
      is_log_rank(search_.rules_.criterion) ? kernel_sums(all) : std::vector<Wide>{};
  const Missing rule = search_.plan_.missing;
  for (std::uint32_t others = 0; others < 1u << (m - 1); ++others) {
    const std::uint32_t subset = others << 1 | 1;  // the lowest category is always on the left
    const bool is_apart = subset == (1u << m) - 1;
    for (const bool missing_left : {false, true}) {
      if (missing_left && (!has_missing || is_apart)) continue;
      if (is_apart && (!has_missing || !may_stand_apart(rule, missing_left))) continue;
      if (has_missing && !may_go(rule, missing_left)) continue;
      const double score = score_subset(all, kernel, subset | (missing_left ? 1u << m : 0));
      if (!(score > minus_infinity)) continue;
      Candidate candidate{score, {}, missing_left};
      for (std::uint32_t c = 0; c < m; ++c) candidate.is_left.push_back(subset >> c & 1);
      candidates.push_back(std::move(candidate));
    }
  }
}

Split CategorySearch::best() {
  std::vector<Candidate> candidates;
  const bool is_few =
      categories_.size() <= search_.plan_.max_exhaustive && !is_of_curves(search_.rules_.criterion);
  const bool is_exhaustive = !is_ordered() && is_few;
  if (is_exhaustive)
    try_all(candidates);
  else
    for (const std::vector<double>& key : keys()) try_order(key, candidates);
  if (is_ordered() && is_limited_ && is_few) {  // no theorem where sides have a minimum size
    candidates.clear();
    try_all(candidates);
  }
  double top = minus_infinity;
  for (const Candidate& each : candidates) top = std::max(top, each.score);
  if (!(top > minus_infinity)) return {};
  const auto first = std::ranges::find_if(
      candidates, [&](const Candidate& each) { return each.score >= enough(top); });
  Split split = written(*first, top);
  split.is_optimal =
      is_exhaustive || categories_.size() <= 2 || (is_ordered() && (!is_limited_ || is_few));
  return split;
}

/// The lowest category goes left.
Split CategorySearch::written(const Candidate& chosen, double top) const {
  Split split;
  const std::uint32_t turned = chosen.is_left[0] ? 0 : 1;
  split.kind = SplitKind::categories;
  split.column = static_cast<int>(column_);
  split.score = chosen.score;
  split.best = top;
  split.missing_left = chosen.missing_left != (turned == 1);
  if (missing_.rows() == 0) split.missing_left = false;
  for (std::size_t c = 0; c < categories_.size(); ++c) {
    split.codes.push_back(categories_[c].code);
    split.branches.push_back((chosen.is_left[c] ? 0u : 1u) ^ turned);
  }
  if (missing_.rows() > 0) {
    split.codes.push_back(search_.table_.columns[column_].n_codes());
    split.branches.push_back(split.missing_left ? 0 : 1);
  }
  return split;
}

}  // namespace ramify

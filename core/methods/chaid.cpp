// SPDX-License-Identifier: BSD-3-Clause
#include "methods/chaid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "select/admissible.hpp"
#include "util/contingency.hpp"

namespace ramify {
namespace {

constexpr double minus_inf = -std::numeric_limits<double>::infinity();

/// More unordered categories than this are merged only with their neighbours in the order of the
/// first class's share: comparing all pairs would take quadratic time.
constexpr std::size_t max_free_categories = 64;

/// Groups of three and more unordered categories are split again exhaustively up to this size.
constexpr std::size_t max_tried_categories = 10;

double log_sum(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == minus_inf ? high : high + std::log1p(std::exp(low - high));
}

double log_choose(double n, double k) {
  if (k < 0 || k > n) return minus_inf;
  return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

/// ln of the number of ways to partition n items into k groups, by the recurrence of Stirling's
/// numbers of the second kind.
double log_partitions(std::size_t n, std::size_t k) {
  std::vector<double> ways(k + 1, minus_inf);
  ways[0] = 0;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = std::min(i, k); j > 0; --j)
      ways[j] = log_sum(std::log(static_cast<double>(j)) + ways[j], ways[j - 1]);
    ways[0] = minus_inf;
  }
  return ways[k];
}

/// Merges the categories of one column into groups that differ significantly.
class Merging {
 public:
  /// Only neighbouring ordered categories may merge; if `floats`, the last one is outside the order
  /// and may join any group.
  Merging(const CategorySums& categories, double factor, bool is_ordered, bool floats)
      : categories_(categories), factor_(factor), is_ordered_(is_ordered), floats_(floats) {
    for (std::uint32_t i = 0; i < categories.size(); ++i) groups_.push_back(make_group({i}));
    in_line_ = is_ordered || groups_.size() > max_free_categories;
    if (!is_ordered && in_line_)
      std::ranges::stable_sort(groups_, std::less{}, [](const Group& group) {
        return group.sums[0] / std::accumulate(group.sums.begin(), group.sums.end(), 0.0);
      });
    if (!in_line_) log_p_.assign(groups_.size() * groups_.size(), 0);
    for (std::size_t i = 0; i < groups_.size(); ++i) compare(i);
  }

  void merge_alike(const ChaidRules& rules) {
    const double log_alpha = std::log(rules.alpha_merge);
    // Merging and splitting the same group in turns must end.
    std::size_t n_resplits = rules.resplit ? 2 * groups_.size() : 0;
    const std::size_t fewest = rules.binary ? 2 : 1;
    while (groups_.size() > fewest) {
      const Pair pair = most_alike();
      if (!rules.binary && !(pair.log_p > log_alpha)) return;
      const std::size_t merged = merge(pair);
      if (n_resplits > 0 && !rules.binary && resplit(merged, log_alpha)) --n_resplits;
    }
  }

  /// ln of the p-value of the table of groups, times the number of ways to form as many groups.
  double log_adjusted_p() const {
    const auto test = chi_square(groups_.size(), groups_[0].sums.size(), factor_,
                                 [&](std::size_t i) { return std::span(groups_[i].sums); });
    const auto c = static_cast<double>(categories_.size()), r = static_cast<double>(groups_.size());
    const double log_ways =
        floats_       ? log_sum(log_choose(c - 2, r - 2), std::log(r) + log_choose(c - 2, r - 1))
        : is_ordered_ ? log_choose(c - 1, r - 1)
                      : log_partitions(categories_.size(), groups_.size());
    return std::min(0.0, test.log_p + log_ways);
  }

  std::size_t n_groups() const { return groups_.size(); }

  /// The group of each category; groups are numbered by their lowest category.
  std::vector<std::uint32_t> group_of_category() const {
    std::vector<std::size_t> order(groups_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::less{},
                      [&](std::size_t g) { return std::ranges::min(groups_[g].members); });
    std::vector<std::uint32_t> group_of(categories_.size());
    for (std::uint32_t number = 0; number < order.size(); ++number)
      for (const std::uint32_t member : groups_[order[number]].members) group_of[member] = number;
    return group_of;
  }

 private:
  struct Group {
    std::vector<double> sums;
    std::vector<std::uint32_t> members;
    std::uint32_t id;       // its first category
    double log_p_next = 0;  // against the next group in order
  };
  struct Pair {
    std::size_t a, b;
    double log_p;
  };

  Group make_group(std::vector<std::uint32_t> members) const {
    Group group{std::vector<double>(static_cast<std::size_t>(categories_.n_channels)), members,
                members[0]};
    for (const std::uint32_t member : members)
      for (std::size_t k = 0; k < group.sums.size(); ++k)
        group.sums[k] += categories_.of(member)[k];
    return group;
  }

  /// Whether the last group is the category outside the order, still alone.
  bool has_floating() const {
    return floats_ && groups_.back().members.size() == 1 &&
           groups_.back().members[0] + 1 == categories_.size();
  }
  std::size_t n_in_line() const { return groups_.size() - has_floating(); }

  double log_p_of(std::span<const double> a, std::span<const double> b) const {
    return chi_square(2, a.size(), factor_, [&](std::size_t i) { return i == 0 ? a : b; }).log_p;
  }
  double& log_p(const Group& a, const Group& b) {
    return log_p_[std::min(a.id, b.id) * categories_.size() + std::max(a.id, b.id)];
  }

  /// Tests a group again against those it may be merged with.
  void compare(std::size_t at) {
    if (in_line_) {
      for (std::size_t i = at > 0 ? at - 1 : 0; i <= at && i + 1 < n_in_line(); ++i)
        groups_[i].log_p_next = log_p_of(groups_[i].sums, groups_[i + 1].sums);
      return;
    }
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (i != at) log_p(groups_[i], groups_[at]) = log_p_of(groups_[i].sums, groups_[at].sums);
  }

  Pair most_alike() {
    Pair best{0, 0, minus_inf};
    const auto offer = [&](std::size_t a, std::size_t b, double candidate) {
      if (best.a == best.b || candidate > best.log_p) best = {a, b, candidate};
    };
    if (in_line_) {
      for (std::size_t i = 0; i + 1 < n_in_line(); ++i) offer(i, i + 1, groups_[i].log_p_next);
      for (std::size_t i = 0; has_floating() && i < n_in_line(); ++i)
        offer(i, groups_.size() - 1, log_p_of(groups_[i].sums, groups_.back().sums));
      return best;
    }
    for (std::size_t a = 0; a < groups_.size(); ++a)
      for (std::size_t b = a + 1; b < groups_.size(); ++b)
        offer(a, b, log_p(groups_[a], groups_[b]));
    return best;
  }

  std::size_t merge(const Pair& pair) {
    std::vector<std::uint32_t> members = groups_[pair.a].members;
    members.insert(members.end(), groups_[pair.b].members.begin(), groups_[pair.b].members.end());
    replace(pair.a, make_group(std::move(members)));
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(pair.b));
    compare(pair.a);
    return pair.a;
  }
  void replace(std::size_t at, Group group) { groups_[at] = std::move(group); }

  /// Splits a group of three and more categories where they differ most, if they do.
  bool resplit(std::size_t at, double log_alpha) {
    const std::vector<std::uint32_t> members = groups_[at].members;
    if (members.size() < 3) return false;
    std::vector<std::uint8_t> best_side;
    double best = log_alpha;
    const auto offer = [&](const std::vector<std::uint8_t>& side) {
      std::vector<double> sums[2] = {std::vector<double>(groups_[at].sums.size()),
                                     std::vector<double>(groups_[at].sums.size())};
      for (std::size_t i = 0; i < members.size(); ++i)
        for (std::size_t k = 0; k < sums[0].size(); ++k)
          sums[side[i]][k] += categories_.of(members[i])[k];
      const double candidate = log_p_of(sums[0], sums[1]);
      if (candidate > best) return;
      best = candidate;
      best_side = side;
    };
    std::vector<std::uint8_t> side(members.size());
    if (!in_line_ && members.size() <= max_tried_categories) {
      for (std::uint32_t mask = 1; mask < 1u << (members.size() - 1); ++mask) {
        for (std::size_t i = 1; i < members.size(); ++i) side[i] = mask >> (i - 1) & 1;
        offer(side);
      }
    } else {
      // Along the order, with the category outside it on either side.
      const auto outside = static_cast<std::uint32_t>(categories_.size() - 1);
      for (std::size_t cut = 1; cut < members.size(); ++cut)
        for (std::uint8_t floating = 0; floating < (floats_ ? 2 : 1); ++floating) {
          for (std::size_t i = 0; i < members.size(); ++i)
            side[i] = floats_ && members[i] == outside ? floating : i >= cut;
          if (std::ranges::count(side, 1) % static_cast<std::ptrdiff_t>(side.size()) != 0)
            offer(side);
        }
    }
    if (best_side.empty()) return false;
    std::vector<std::uint32_t> parts[2];
    for (std::size_t i = 0; i < members.size(); ++i) parts[best_side[i]].push_back(members[i]);
    replace(at, make_group(parts[0]));
    groups_.insert(groups_.begin() + static_cast<std::ptrdiff_t>(at) + 1, make_group(parts[1]));
    compare(at);
    compare(at + 1);
    return true;
  }

  const CategorySums& categories_;
  double factor_;  // turns weights into numbers of rows
  bool is_ordered_, floats_, in_line_ = false;
  std::vector<Group> groups_;
  std::vector<double> log_p_;  // of two groups by their ids, where any may merge
};

}  // namespace

Split best_by_chaid(const Training& training, const NodeColumn& column, CategorySums& categories) {
  const Column& info = training.column(column.number);
  const Plan& plan = training.plan;
  collect_categories(training, column, categories);
  Split split;
  if (has_named_side(training, column.number, categories)) {
    split.missing_left = is_left_named(plan.missing);
    categories.pop();
  }
  if (categories.size() < 2) return Split::constant();
  const bool has_missing = categories.code.back() == info.n_codes();
  const double factor = column.channels.n_rows / column.channels.outputs[0].total;
  Merging merging(categories, factor, !info.is_categorical, !info.is_categorical && has_missing);
  merging.merge_alike(plan.chaid);
  split.n_branches = static_cast<std::uint32_t>(merging.n_groups());
  const double log_p = merging.log_adjusted_p();
  if (merging.n_groups() < 2 || log_p > std::log(plan.chaid.alpha_split)) return split;

  split.kind = info.is_categorical ? SplitKind::categories : SplitKind::intervals;
  split.codes = categories.code;
  split.branches = merging.group_of_category();
  split.is_optimal = false;
  std::vector<std::uint64_t> rows(split.n_branches);
  std::vector<double> weight(split.n_branches);
  for (std::size_t i = 0; i < categories.size(); ++i) {
    const auto own = categories.of(i);
    rows[split.branches[i]] += categories.rows[i];
    weight[split.branches[i]] += std::accumulate(own.begin(), own.end(), 0.0);
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!tried_limits(plan).allows(rows[i], weight[i])) return split;
  split.column = column.number;
  split.score = split.best = -log_p / std::log(10.0);
  return split;
}

}  // namespace ramify

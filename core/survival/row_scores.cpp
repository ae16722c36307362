// SPDX-License-Identifier: BSD-3-Clause
#include "survival/row_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace ramify {
namespace {

/// How often rpart's hazard may bend.
constexpr std::size_t max_points = 1000;

/// Sum over the event times up to each rank of d_k / (n - g_k + 1), g_k the weight up to tau_k.
std::vector<double> hothorn_lausen(const TimeOrder& order, const NodeTimes& node,
                                   std::span<const std::uint32_t> rows) {
  std::vector<double> sums(node.size() + 1, 0.0);
  double up_to = 0;
  std::size_t i = 0;
  for (std::size_t k = 0; k < node.size(); ++k) {
    for (; i < rows.size() && order.place[rows[i]] <= node.place[k]; ++i)
      up_to += order.weight[rows[i]] * order.unit;
    sums[k + 1] = sums[k] + node.events[k] / (node.total - up_to + 1);
  }
  return sums;
}

/// The weight of the rows whose time is above the k-th event time.
double later(const NodeTimes& node, std::size_t k) {
  return node.at_risk[k] - node.events[k] - node.tied[k];
}

/// Pairs in which a row is the later one, less those in which it is the earlier.
RowScores gehan(const TimeOrder& order, const NodeTimes& node,
                std::span<const std::uint32_t> rows) {
  RowScores scores;
  std::vector<double> events(node.size() + 1, 0.0);
  for (std::size_t k = 0; k < node.size(); ++k) {
    events[k + 1] = events[k] + node.events[k];
    scores.pairs += node.events[k] * later(node, k);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t rank = node.ranks[i];
    const bool is_at_event = rank > 0 && order.place[rows[i]] == node.place[rank - 1];
    const double behind = order.event[rows[i]] ? later(node, rank - 1) : 0;
    scores.values.push_back(events[rank - is_at_event] - behind);
  }
  return scores;
}

/// The restricted mean of a node and what it would be without a unit of each row.
class RestrictedMeans {
 public:
  RestrictedMeans(const TimeOrder& order, const NodeTimes& node, double tau) : node_(node) {
    const std::size_t n = node.size();
    time_.resize(n + 2);
    for (std::size_t k = 0; k < n; ++k) time_[k + 1] = std::min(order.times[node.place[k]], tau);
    time_[n + 1] = std::isfinite(tau) ? tau : time_[n];
    after_.assign(n + 2, 0.0);
    area_.assign(n + 2, 0.0);
    without_.assign(n + 1, 1.0);
    for (std::size_t k = n + 1; k-- > 0;) {
      const double step = time_[k + 1] - time_[k];
      after_[k] = step + (k < n ? factor(k) * after_[k + 1] : 0);
    }
    for (std::size_t k = 0; k < n; ++k) {
      area_[k + 1] = area_[k] + without_[k] * (time_[k + 1] - time_[k]);
      const double at_risk = node.at_risk[k] - 1;
      without_[k + 1] =
          without_[k] * (at_risk > 0 ? std::max(0.0, 1 - node.events[k] / at_risk) : 1);
    }
    area_[n + 1] = area_[n] + without_[n] * (time_[n + 1] - time_[n]);
  }
  double mean() const { return after_[0]; }
  /// Without one unit of a row of this rank.
  double without(std::uint32_t rank, bool is_event) const {
    if (!is_event) return area_[rank] + without_[rank] * after_[rank];
    const double at_risk = node_.at_risk[rank - 1] - 1, dead = node_.events[rank - 1] - 1;
    const double own = at_risk > 0 ? 1 - dead / at_risk : 1;
    return area_[rank] + without_[rank - 1] * own * after_[rank];
  }

 private:
  double factor(std::size_t k) const { return 1 - node_.events[k] / node_.at_risk[k]; }

  const NodeTimes& node_;
  std::vector<double> time_;     // 0, the event times, the end
  std::vector<double> after_;    // area from each on, of a curve that is 1 there
  std::vector<double> without_;  // survival by rank with one row less at risk
  std::vector<double> area_;     // under that, up to each time
};

RowScores restricted_means(const TimeOrder& order, const NodeTimes& node,
                           std::span<const std::uint32_t> rows, double tau) {
  const RestrictedMeans means(order, node, tau);
  RowScores scores;
  for (std::size_t i = 0; i < rows.size(); ++i)
    scores.values.push_back(node.total * means.mean() -
                            (node.total - 1) *
                                means.without(node.ranks[i], order.event[rows[i]] != 0));
  return scores;
}

/// The default times of Brier scores: the deciles of the events.
std::vector<double> deciles(const TimeOrder& order, const NodeTimes& node) {
  std::vector<double> times;
  for (int tenth = 1; tenth < 10; ++tenth) {
    double up_to = 0;
    std::size_t k = 0;
    while (k + 1 < node.size() && up_to + node.events[k] < node.n_events * tenth / 10)
      up_to += node.events[k++];
    const double time = order.times[node.place[k]];
    if (times.empty() || time > times.back()) times.push_back(time);
  }
  return times;
}

/// The estimate G of being uncensored, by time place: after it, and just before it.
struct Censoring {
  std::vector<double> after, before;  // by row
};
Censoring censoring(const TimeOrder& order, const NodeTimes& node,
                    std::span<const std::uint32_t> rows) {
  Censoring g{std::vector<double>(rows.size()), std::vector<double>(rows.size())};
  double left = 1, at_risk = node.total;
  for (std::size_t i = 0; i < rows.size();) {
    double events = 0, censored = 0;
    std::size_t end = i;
    for (; end < rows.size() && order.place[rows[end]] == order.place[rows[i]]; ++end)
      (order.event[rows[end]] ? events : censored) += order.weight[rows[end]] * order.unit;
    const double before = left;
    // Events come before censorings of the same time.
    if (censored > 0) left *= 1 - censored / (at_risk - events);
    for (; i < end; ++i) {
      g.before[i] = before;
      g.after[i] = left;
    }
    at_risk -= events + censored;
  }
  return g;
}

RowScores brier(const TimeOrder& order, const NodeTimes& node, std::span<const std::uint32_t> rows,
                const std::vector<double>& given) {
  const std::vector<double> times = given.empty() ? deciles(order, node) : given;
  const std::vector<double> survival = node.survival();
  const Censoring g = censoring(order, node, rows);
  RowScores scores;
  scores.n_outputs = times.size();
  scores.values.assign(rows.size() * times.size(), 0.0);
  for (std::size_t j = 0; j < times.size(); ++j) {
    const double t = times[j];
    double alive = 1, uncensored = 1;
    for (std::size_t k = 0; k < node.size() && order.times[node.place[k]] <= t; ++k)
      alive = survival[k + 1];
    for (std::size_t i = 0; i < rows.size() && order.times[order.place[rows[i]]] <= t; ++i)
      uncensored = g.after[i];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_later = order.times[order.place[rows[i]]] > t;
      const double share = is_later ? uncensored : g.before[i];
      const bool counts = (is_later || order.event[rows[i]]) && share > 0;
      if (counts) scores.values[i * times.size() + j] = ((is_later ? 1 : 0) - alive) / share;
    }
  }
  return scores;
}

RowScores from_user(const TimeOrder& order, std::span<const std::uint32_t> rows,
                    const SurvivalRules& rules) {
  std::vector<double> time, weight;
  std::vector<std::uint8_t> event;
  for (const std::uint32_t row : rows) {
    time.push_back(order.times[order.place[row]]);
    event.push_back(order.event[row]);
    weight.push_back(order.weight[row] * order.unit);
  }
  RowScores scores;
  scores.values = rules.scores_of({time, weight, event});
  scores.n_outputs = rows.empty() ? 1 : scores.values.size() / rows.size();
  return scores;
}

}  // namespace

std::vector<double> expected_events(const TimeOrder& order, const NodeTimes& root) {
  std::vector<double> points;
  const double last = order.times[order.place.back()];
  const std::size_t n = root.size();
  if (n > max_points) {  // so many quantiles, as R's default defines them
    for (std::size_t i = 1; i < max_points; ++i) {
      const double at = static_cast<double>(n - 1) * static_cast<double>(i) / max_points;
      const auto low = static_cast<std::size_t>(at);
      const double a = order.times[root.place[low]],
                   b = order.times[root.place[std::min(low + 1, n - 1)]];
      points.push_back(a + (at - static_cast<double>(low)) * (b - a));
    }
  } else {
    for (std::size_t k = 0; k + 1 < n; ++k) points.push_back(order.times[root.place[k]]);
  }
  if (points.empty() || points.back() < last) points.push_back(last);
  // Events and time under observation in each interval (c_j, c_j+1].
  std::vector<double> events(points.size(), 0.0), observed(points.size(), 0.0);
  double ended = 0;  // weight of the rows whose time is in this interval or before
  std::size_t i = 0;
  for (std::size_t j = 0; j < points.size(); ++j) {
    const double from = j == 0 ? 0 : points[j - 1];
    for (; i < order.place.size() && order.times[order.place[i]] <= points[j]; ++i) {
      const double weight = order.weight[i] * order.unit;
      if (order.event[i]) events[j] += weight;
      observed[j] += weight * (order.times[order.place[i]] - from);
      ended += weight;
    }
    observed[j] += (root.total - ended) * (points[j] - from);
  }
  std::vector<double> expected(order.times.size(), 0.0);
  double before = 0;
  std::size_t at = 0;
  for (std::size_t j = 0; j < points.size(); ++j) {
    const double from = j == 0 ? 0 : points[j - 1];
    const double rate = observed[j] > 0 ? events[j] / observed[j] : 0;
    for (; at < order.times.size() && order.times[at] <= points[j]; ++at)
      expected[at] = before + rate * (order.times[at] - from);
    before += rate * (points[j] - from);
  }
  for (; at < order.times.size(); ++at) expected[at] = before;
  return expected;
}

RootScores::RootScores(const TimeOrder& order, const NodeTimes& root) {
  const std::vector<double> by_rank = root.cumulative_hazard();
  const std::vector<double> expected = expected_events(order, root);
  double least = 0;  // an event at time 0 is expected as little as the first after it
  for (const double each : expected)
    if (each > 0 && least == 0) least = each;
  if (least == 0) least = 1;
  for (std::uint32_t row = 0; row < order.n_rows(); ++row) {
    hazard.push_back(by_rank[root.ranks[row]]);
    exposure.push_back(expected[order.place[row]]);
    log_exposure.push_back(std::log(std::max(least, exposure.back())));
  }
}

RowScores row_scores(const TimeOrder& order, const NodeTimes& node,
                     std::span<const std::uint32_t> rows, const RootScores& root,
                     const SurvivalRules& rules) {
  switch (rules.criterion) {
    case SurvivalCriterion::harrell_c:
    case SurvivalCriterion::gehan_score:
      return gehan(order, node, rows);
    case SurvivalCriterion::rmst:
      return restricted_means(order, node, rows, rules.tau);
    case SurvivalCriterion::brier:
      return brier(order, node, rows, rules.times);
    case SurvivalCriterion::user_scores:
      return from_user(order, rows, rules);
    default:
      break;
  }
  RowScores scores;
  const bool is_fixed = rules.criterion == SurvivalCriterion::martingale;
  const bool is_lausen =
      rules.criterion == SurvivalCriterion::maxstat ||
      (rules.hothorn_lausen && rules.criterion == SurvivalCriterion::logrank_score);
  const std::vector<double> hazard =
      is_lausen ? hothorn_lausen(order, node, rows) : node.cumulative_hazard();
  for (std::size_t i = 0; i < rows.size(); ++i)
    scores.values.push_back(order.event[rows[i]] -
                            (is_fixed ? root.hazard[rows[i]] : hazard[node.ranks[i]]));
  return scores;
}

std::vector<double> expected_of_rows(const TimeOrder& order, const NodeTimes& node,
                                     std::span<const std::uint32_t> rows, const RootScores& root,
                                     SurvivalCriterion criterion) {
  std::vector<double> expected;
  const std::vector<double> hazard = node.cumulative_hazard();
  for (std::size_t i = 0; i < rows.size(); ++i)
    expected.push_back(criterion == SurvivalCriterion::exponential
                           ? order.times[order.place[rows[i]]]
                       : criterion == SurvivalCriterion::full_likelihood ? root.exposure[rows[i]]
                                                                         : hazard[node.ranks[i]]);
  return expected;
}

}  // namespace ramify

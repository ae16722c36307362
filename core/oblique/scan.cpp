// SPDX-License-Identifier: BSD-3-Clause
#include "oblique/scan.hpp"

#include <algorithm>
#include <atomic>

#include "linear_algebra/vectors.hpp"

namespace ramify {
namespace {

constexpr int stride = SideJudge::stride;

/// Nodes with fewer values are not worth waking the other threads for.
constexpr std::size_t parallel_values = 20'000;

bool is_usable(const Direction& direction) {
  bool has_weight = false;
  for (const double weight : direction.weight) {
    if (!std::isfinite(weight)) return false;
    has_weight = has_weight || weight != 0;
  }
  return has_weight && std::isfinite(direction.bias);
}

}  // namespace

bool is_admissible(const ObliqueProblem& problem, std::size_t rows_left, double weight_left) {
  const std::size_t min = std::max<std::size_t>(1, problem.min_rows);
  if (rows_left < min || problem.n_rows - rows_left < min) return false;
  if (problem.min_weight <= 0) return true;
  const double total = problem.total();
  return weight_left >= problem.min_weight && total - weight_left >= problem.min_weight;
}

LineScan::LineScan(const ObliqueProblem& problem)
    : problem_(problem),
      total_(problem.total()),
      running_(problem.n_channels()),
      left_(problem.n_channels() * stride),
      scores_(stride),
      rows_left_(stride) {}

LineCut LineScan::best(std::span<const double> place, SideJudge& judge) {
  const std::size_t n = place.size();
  const std::span<const std::uint32_t> rows = order_.sort(place);
  sorted_.resize(n);
  for (std::size_t i = 0; i < n; ++i) sorted_[i] = place[rows[i]];
  std::ranges::fill(running_, 0);
  best_ = {};
  top_ = no_score;
  n_cuts_ = 0;
  const std::size_t min = std::max<std::size_t>(1, problem_.min_rows);
  if (n < 2 * min) return best_;
  const auto walk = [&](auto weight_of, auto add) {
    double weight_left = 0;
    for (std::size_t i = 0; i < n - min; ++i) {
      const double weight = weight_of(rows[i]);
      add(rows[i], weight);
      weight_left += weight;
      if (sorted_[i] == sorted_[i + 1] || i + 1 < min) continue;
      if (weight_left < problem_.min_weight || total_ - weight_left < problem_.min_weight) continue;
      note_cut(i + 1);
      if (n_cuts_ == SideJudge::capacity) judge_block(judge);
    }
  };
  const auto add_class = [&](std::uint32_t row, double weight) {
    running_[problem_.label[row]] += weight;
  };
  const auto add_number = [&](std::uint32_t row, double weight) {
    running_[0] += weight;
    running_[1] += problem_.number[row];
  };
  const auto walk_by = [&](auto weight_of) {
    problem_.is_numeric() ? walk(weight_of, add_number) : walk(weight_of, add_class);
  };
  if (problem_.weight.empty())
    walk_by([](std::uint32_t) { return 1.0; });
  else
    walk_by([&](std::uint32_t row) { return problem_.weight[row]; });
  if (n_cuts_ > 0) judge_block(judge);
  if (best_.exists()) best_.at = middle_at(best_.rows_left);
  return best_;
}

void LineScan::note_cut(std::size_t rows_left) {
  rows_left_[n_cuts_] = static_cast<std::uint32_t>(rows_left);
  for (std::size_t k = 0; k < running_.size(); ++k) left_[k * stride + n_cuts_] = running_[k];
  ++n_cuts_;
}

void LineScan::judge_block(SideJudge& judge) {
  judge.score(left_.data(), n_cuts_, scores_.data());
  const auto scores = std::span(scores_).first(static_cast<std::size_t>(n_cuts_));
  n_cuts_ = 0;
  top_ = std::max(top_, std::ranges::max(scores));
  if (!beats(top_, best_.score)) return;  // an earlier cut is as good
  const auto first =
      std::ranges::find_if(scores, [&](double score) { return !beats(top_, score); });
  best_.score = *first;
  best_.rows_left = rows_left_[first - scores.begin()];
}

/// The midpoint of two neighbours. Where rounding leaves none, the lower one, which goes left.
double LineScan::middle_at(std::uint32_t rows_left) const {
  const double low = sorted_[rows_left - 1], high = sorted_[rows_left];
  const double middle = low + (high - low) / 2;
  return middle < high ? middle : low;
}

SplitJudge::SplitJudge(const ObliqueProblem& problem, SideJudge& judge)
    : problem_(problem),
      judge_(judge),
      running_(problem.n_channels()),
      left_(problem.n_channels() * stride),
      scores_(stride) {}

double SplitJudge::score_of(std::size_t rows_left) {
  const double weight_left =
      problem_.is_numeric() ? running_[0] : std::accumulate(running_.begin(), running_.end(), 0.0);
  if (!is_admissible(problem_, rows_left, weight_left)) return no_score;
  for (std::size_t k = 0; k < running_.size(); ++k) left_[k * stride] = running_[k];
  judge_.score(left_.data(), 1, scores_.data());
  return scores_[0];
}

void project(const ObliqueProblem& problem, std::span<const double> weight,
             std::span<double> place) {
  const std::size_t n = problem.n_rows, d = problem.n_columns;
  if (!problem.by_column) {
    for (std::size_t row = 0; row < n; ++row)
      place[row] = dot(weight.data(), problem.values + row * d, d);
    return;
  }
  std::ranges::fill(place, 0);
  for (std::size_t column = 0; column < d; ++column) {
    if (weight[column] == 0) continue;
    const double* value = problem.values + column * n;
    for (std::size_t row = 0; row < n; ++row) place[row] += weight[column] * value[row];
  }
}

std::optional<std::size_t> first_best(const ObliqueProblem& problem, std::size_t n,
                                      const std::function<double(int i, int worker)>& score) {
  std::vector<double> scores(n, no_score);
  std::atomic<bool> stopped = false;
  const auto judge = [&](int i, int worker) {
    if (worker == 0 && problem.must_stop()) stopped = true;
    if (!stopped) scores[static_cast<std::size_t>(i)] = score(i, worker);
  };
  if (problem.n_rows * n < parallel_values)
    for (int i = 0; i < static_cast<int>(n); ++i) judge(i, 0);
  else
    problem.run(static_cast<int>(n), judge);
  if (stopped || n == 0) return {};
  const double top = std::ranges::max(scores);
  if (top == no_score) return {};
  const auto best = std::ranges::find_if(scores, [&](double s) { return !beats(top, s); });
  return static_cast<std::size_t>(best - scores.begin());
}

Proposal best_of(const ObliqueProblem& problem, std::vector<Direction> candidates) {
  std::erase_if(candidates, [](const Direction& each) { return !is_usable(each); });
  if (candidates.empty()) return {};
  if (candidates.size() == 1) return std::move(candidates[0]);
  std::vector<LineBuffers> workers(problem.judges.size(), LineBuffers(problem));
  const auto best = first_best(problem, candidates.size(), [&](int i, int worker) {
    const Direction& candidate = candidates[static_cast<std::size_t>(i)];
    auto& [scan, place] = workers[static_cast<std::size_t>(worker)];
    SideJudge& judge = *problem.judges[static_cast<std::size_t>(worker)];
    project(problem, candidate.weight, place);
    if (!std::ranges::all_of(place, [](double x) { return std::isfinite(x); })) return no_score;
    if (!candidate.has_cut) return scan.best(place, judge).score;
    return SplitJudge(problem, judge).score([&](std::size_t row) {
      return place[row] + candidate.bias < 0;
    });
  });
  if (!best) return {};
  return std::move(candidates[*best]);
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The best few candidate splits of a node.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "select/split.hpp"

namespace ramify {

struct Candidate {
  Split split;
  std::vector<double> left;  // sums by channel
  std::size_t cut = 0;       // its index among the cuts of the column

  /// The order in which candidates are tried.
  auto place() const { return std::tuple(split.column, cut, split.missing_left); }
};

/// Keeps the best candidates by score; of those that are tied with the last, the first tried.
class TopCandidates {
 public:
  /// `n` = 0 keeps all.
  void start(std::size_t n) {
    n_ = n;
    candidates_.clear();
    min_ = minus_infinity;
  }
  /// Returns what was kept so far, and starts anew.
  TopCandidates set_aside() {
    TopCandidates kept = std::move(*this);
    start(kept.n_);
    return kept;
  }
  /// Whether a candidate of that score could be among the best.
  bool wants(double score) const { return score > minus_infinity && score >= min_; }
  /// The lowest score that could be.
  double min() const { return min_; }
  /// Announces the scores that will be offered, so that candidates that cannot stay are not even
  /// added.
  void announce(std::span<const double> scores) {
    if (n_ == 0 || scores.size() <= n_) return;
    std::vector<double> wanted;
    for (const double score : scores)
      if (wants(score)) wanted.push_back(score);
    if (wanted.size() > 2 * n_) min_ = surely_below(nth_best(wanted));
  }
  void add(Candidate candidate) {
    candidates_.push_back(std::move(candidate));
    if (n_ > 0 && candidates_.size() > 2 * n_ + 16) prune();
  }
  std::vector<Candidate>& candidates() { return candidates_; }

 private:
  /// Drops candidates that `best_of` would not choose, in whatever order they came: n others are
  /// certainly better, or as good and tried before.
  void prune() {
    std::vector<double> scores;
    for (const Candidate& candidate : candidates_) scores.push_back(candidate.split.score);
    const double last = nth_best(scores), slack = last - surely_below(last);
    min_ = last - slack;
    std::erase_if(candidates_, [&](const Candidate& each) { return each.split.score < min_; });
    std::ranges::sort(candidates_, std::less{}, &Candidate::place);
    std::vector<std::pair<double, double>> tied;  // score and second measure of those kept
    std::erase_if(candidates_, [&](const Candidate& candidate) {
      const auto& [score, tie] = std::tie(candidate.split.score, candidate.split.tie_break);
      if (score > last + slack) return false;
      std::size_t n_before = 0;
      for (auto each = tied.begin(); each != tied.end() && n_before < n_; ++each)
        n_before += each->first >= score && each->second >= tie;
      if (n_before >= n_) return true;
      tied.emplace_back(score, tie);
      return false;
    });
  }

  double nth_best(std::vector<double>& scores) const {
    std::ranges::nth_element(scores, scores.begin() + static_cast<std::ptrdiff_t>(n_ - 1),
                             std::greater{});
    return scores[n_ - 1];
  }

  std::size_t n_ = 0;
  double min_ = minus_infinity;
  std::vector<Candidate> candidates_;
};

/// Returns the n best, best first. Ties are broken by the second measure if there is one, then by
/// the order in which they were tried. n = 0: all, in that order.
inline std::vector<Candidate> best_of(std::vector<Candidate> candidates, std::size_t n) {
  std::ranges::sort(candidates, std::less{}, &Candidate::place);
  if (n == 0) return candidates;
  std::vector<Candidate> best;
  while (best.size() < n && !candidates.empty()) {
    double top = minus_infinity, tie = minus_infinity;
    for (const Candidate& each : candidates) top = std::max(top, each.split.score);
    const auto is_tied = [&](const Candidate& each) { return each.split.score >= enough(top); };
    for (const Candidate& each : candidates)
      if (is_tied(each)) tie = std::max(tie, each.split.tie_break);
    const auto first = std::ranges::find_if(candidates, [&](const Candidate& each) {
      return is_tied(each) && (each.split.tie_break == tie || each.split.tie_break >= enough(tie));
    });
    best.push_back(std::move(*first));
    candidates.erase(first);
  }
  return best;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/finalists.hpp"

#include <algorithm>
#include <cmath>

namespace ramify {
namespace {

/// The sums without those of absent classes; user-defined sums stay.
std::vector<double> of_present(const std::vector<double>& all, const NodeChannels& present) {
  std::vector<double> some;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (k >= present.is_present.size() || present.is_present[k]) some.push_back(all[k]);
  return some;
}

}  // namespace

void Finalists::start(TopCandidates& top) const {
  std::size_t n_kept = plan_.n_recorded;
  if (const auto& composed = plan_.criterion.composed) {
    if (composed->top == ComposedCriterion::all || !composed->relative.empty())
      n_kept = 0;
    else
      n_kept = std::max(n_kept, static_cast<std::size_t>(composed->top));
  }
  top.start(n_kept);
}

void Finalists::keep(const Judge& judge, const ScoredCuts& cuts, int n_channels,
                     TopCandidates& top) const {
  const auto& [block, missing_left, scores, ties, first_cut] = cuts;
  const auto& composed = plan_.criterion.composed;
  const bool gain_test = composed && composed->gain_test;
  if (block.n_cuts == 0 || !top.wants(kernels().largest(scores, block.n_cuts))) return;
  if (!ties) top.announce({scores, static_cast<std::size_t>(block.n_cuts)});
  for (int i = 0; i < block.n_cuts; ++i) {
    const bool gains =
        !gain_test || scores_enough(plan_, scores[i], ties ? ties[i] : minus_infinity);
    if (!top.wants(scores[i]) || !gains) continue;
    Candidate candidate{judge.split_at(block, i, missing_left, scores[i]),
                        {},
                        first_cut + static_cast<std::size_t>(i)};
    if (ties) candidate.split.tie_break = ties[i];
    for (int k = 0; k < n_channels; ++k)
      candidate.left.push_back(block.left[k * CutBlock::stride + i]);
    top.add(std::move(candidate));
  }
}

Split Finalists::choose(const Node& node, const NodeChannels& channels, Split best,
                        std::vector<Candidate>& kept, const NodeRows& rows) const {
  if (!decide()) return best;
  const ComposedCriterion& composed = *plan_.criterion.composed;
  if (!composed.relative.empty()) {
    const auto scores = evaluator_.evaluate(composed.relative, node, channels, rows, kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      check_finite(plan_, node, scores[i]);
      kept[i].split.score = kept[i].split.best = scores[i];
    }
    if (composed.gain_test && composed.tie.empty())
      std::erase_if(kept,
                    [&](const Candidate& each) { return !scores_enough(plan_, each.split.score); });
  }
  return choose_among(node, channels, kept, rows);
}

/// Keeps the best few by score, among which the following measures choose one in turn; then the
/// score, then the order in which they were tried.
Split Finalists::choose_among(const Node& node, const NodeChannels& channels,
                              const std::vector<Candidate>& kept, const NodeRows& rows) const {
  const ComposedCriterion& composed = *plan_.criterion.composed;
  // Zero stands for all of them; one is wanted where `top` is not given.
  std::size_t n_wanted = composed.top == 0 ? 1 : static_cast<std::size_t>(composed.top);
  if (composed.top == ComposedCriterion::all) n_wanted = 0;
  const std::vector<Candidate> few = best_of(kept, n_wanted);
  if (few.empty()) return {};
  const std::size_t n = few.size();
  std::vector<std::uint8_t> is_in(n, 1);
  const auto keep_highest = [&](const std::vector<double>& values) {
    double highest = minus_infinity;
    for (std::size_t i = 0; i < n; ++i)
      if (is_in[i]) highest = std::max(highest, values[i]);
    for (std::size_t i = 0; i < n; ++i)
      is_in[i] = is_in[i] && (values[i] == highest || values[i] >= enough(highest));
  };
  for (const auto& choice : composed.then) {
    std::vector<double> values = evaluator_.evaluate(choice.by, node, channels, rows, few);
    for (double& value : values) {
      if (!choice.is_largest) value = -value;
      if (std::isnan(value)) value = minus_infinity;
    }
    keep_highest(values);
  }
  std::vector<double> scores;
  for (const Candidate& candidate : few) scores.push_back(candidate.split.score);
  keep_highest(scores);
  std::size_t chosen = n;
  for (std::size_t i = 0; i < n; ++i)
    if (is_in[i] && (chosen == n || few[i].place() < few[chosen].place())) chosen = i;
  Split split = few[chosen].split;
  if (!composed.tie.empty())
    split.tie_break =
        evaluator_.evaluate(composed.tie, node, channels, rows, std::span(&few[chosen], 1))[0];
  return split;
}

std::vector<Recorded> Finalists::record(const Node& node, const Split& chosen,
                                        std::vector<Candidate> kept, const NodeRows& rows,
                                        const std::function<void(Split&)>& list_codes) const {
  const auto is_chosen = [&](const Split& split) {
    return chosen.exists() && split.column == chosen.column && split.code == chosen.code &&
           split.missing_left == chosen.missing_left;
  };
  std::vector<Candidate> best = best_of(kept, plan_.n_recorded);
  const auto is_in = [&](const Candidate& each) { return is_chosen(each.split); };
  if (std::ranges::none_of(best, is_in))
    if (const auto found = std::ranges::find_if(kept, is_in); found != kept.end())
      best.push_back(*found);
  std::vector<Recorded> all;
  for (const Candidate& candidate : best) all.push_back({candidate.split, {}});
  const NodeChannels present = classes_.of(node.sums, node.n_rows(), true);
  if (!plan_.criterion.sees_present_classes())
    for (Candidate& candidate : best) candidate.left = of_present(candidate.left, present);
  for (const Expression& expression : plan_.also) {
    const auto values = evaluator_.evaluate(expression, node, present, rows, best);
    for (std::size_t i = 0; i < best.size(); ++i) all[i].also.push_back(values[i]);
  }
  for (Recorded& recorded : all) {
    Split& split = recorded.split;
    split.is_chosen = is_chosen(split);
    if (split.kind != SplitKind::categories || !split.codes.empty()) continue;
    list_codes(split);
    if (split.codes.back() != table_.columns[static_cast<std::size_t>(split.column)].n_codes())
      continue;
    split.missing_left = split.branches.back() == 0;  // missing was one of the categories
    split.codes.pop_back();
    split.branches.pop_back();
  }
  return all;
}

}  // namespace ramify

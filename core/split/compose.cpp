// SPDX-License-Identifier: BSD-3-Clause
// Composed criteria: calculates expressions over cuts, and chooses among the best few of a node.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "split/each_block.hpp"

namespace ramify {
namespace {

/// Area under the curve of a cut as a score for a group: the share of the group on the left against
/// that of the rest, whichever way round is better.
double folded_auc(double left, double whole, double left_total, double total) {
  if (!(whole > 0) || !(total - whole > 0)) return 0.5;
  const double auc = (1 + left / whole - (left_total - left) / (total - whole)) / 2;
  return std::max(auc, 1 - auc);
}

/// Measures of a cut that see nothing but sums.
class SumMeasure {
 public:
  SumMeasure(const ExpressionStep& step, const NodeChannels& channels, int n_extra)
      : step_(step), channels_(channels), output_(channels.outputs[0]), n_extra_(n_extra) {}

  double operator()(const double* left, std::size_t stride, std::size_t cut) const {
    const auto in_left = [&](int channel) {
      return left[static_cast<std::size_t>(channel) * stride + cut];
    };
    double left_total = 0;
    for (int k = 0; k < output_.n_classes; ++k) left_total += in_left(output_.first + k);
    switch (step_.measure) {
      case Measure::imbalance:
        return imbalance();
      case Measure::class_auc: {
        double sum = 0;
        for (int k = 0; k < output_.n_classes; ++k)
          sum += folded_auc(in_left(output_.first + k), parent(output_.first + k), left_total,
                            output_.total);
        return sum / output_.n_classes;
      }
      case Measure::sensitive_auc: {
        double sum = 0, highest = 0.5;
        int n_present = 0;
        for (int g = channels_.size() - n_extra_; g < channels_.size(); ++g) {
          if (!(parent(g) > 0)) continue;
          const double auc = folded_auc(in_left(g), parent(g), left_total, output_.total);
          sum += auc;
          highest = std::max(highest, auc);
          ++n_present;
        }
        return step_.first != 0 ? sum / n_present : highest;
      }
      default:
        return prior_accuracy(in_left);
    }
  }

 private:
  double parent(int channel) const { return channels_.parent[static_cast<std::size_t>(channel)]; }

  double imbalance() const {
    double fewest = output_.total, most = 0;
    for (int k = 0; k < output_.n_classes; ++k) {
      if (parent(output_.first + k) <= 0) continue;
      fewest = std::min(fewest, parent(output_.first + k));
      most = std::max(most, parent(output_.first + k));
    }
    return fewest / most;
  }

  template <class InLeft>
  double prior_accuracy(InLeft in_left) const {
    double best_left = 0, best_right = 0, total = 0;
    int channel = output_.first;
    for (std::size_t k = 0; k < channels_.is_present.size(); ++k) {
      if (!channels_.is_present[k]) continue;
      const double whole = parent(channel), left = in_left(channel);
      const double factor = step_.prior.empty() ? 1 : step_.prior.at(k) / whole;
      best_left = std::max(best_left, left * factor);
      best_right = std::max(best_right, (whole - left) * factor);
      total += whole * factor;
      ++channel;
    }
    return total > 0 ? (best_left + best_right) / total : 0;
  }

  const ExpressionStep& step_;
  const NodeChannels& channels_;
  const NodeChannels::Output& output_;
  int n_extra_;
};

void normalise(Normalise how, std::span<double> x) {
  const auto [low, high] = std::ranges::minmax(x);
  const bool are_equal = high - low <= tolerance(high);  // but for rounding
  for (double& value : x) {
    if (how == Normalise::by_max)
      value = std::abs(high) > 1e-12 ? value / high : 0;
    else if (how == Normalise::by_range)
      value = are_equal ? 1 : (value - low) / (high - low);
    else
      value = value != 0 ? low / value : 1;
  }
}

}  // namespace

/// Calculates an expression for some cuts: `left` holds their sums by channel, `stride` apart, and
/// `found` from place `first` on what steps that look at rows have found.
void Search::evaluate(const Expression& expression, const NodeChannels& channels,
                      const double* left, std::size_t stride, std::size_t n_cuts,
                      const StepValues& found, std::size_t first, double* out) const {
  std::vector<std::vector<double>> stack;
  std::vector<std::uint8_t> is_refused(n_cuts);  // by a user's criterion, whatever is made of it
  for (std::size_t s = 0; s < expression.size(); ++s) {
    const ExpressionStep& step = expression[s];
    using Kind = ExpressionStep::Kind;
    if (step.kind == Kind::add || step.kind == Kind::multiply) {
      const std::vector<double> top = std::move(stack.back());
      stack.pop_back();
      for (std::size_t i = 0; i < n_cuts; ++i)
        stack.back()[i] =
            step.kind == Kind::add ? stack.back()[i] + top[i] : stack.back()[i] * top[i];
      continue;
    }
    if (step.kind == Kind::normalise) {
      normalise(step.how, stack.back());
      continue;
    }
    std::vector<double>& values = stack.emplace_back(n_cuts, step.number);
    if (step.kind == Kind::criterion || step.kind == Kind::compiled ||
        step.kind == Kind::function) {
      evaluate_criterion(step, channels, left, stride, n_cuts, values.data());
      for (std::size_t i = 0; i < n_cuts; ++i) is_refused[i] |= values[i] == minus_infinity;
    } else if (looks_at_rows(step)) {
      std::copy_n(found[s].begin() + static_cast<std::ptrdiff_t>(first), n_cuts, values.begin());
    } else if (step.kind == Kind::measure) {
      const SumMeasure measure(step, channels, target.n_extra);
      for (std::size_t i = 0; i < n_cuts; ++i) values[i] = measure(left, stride, i);
    }
  }
  for (std::size_t i = 0; i < n_cuts; ++i)
    out[i] = is_refused[i] || std::isnan(stack.back()[i]) ? minus_infinity : stack.back()[i];
}

/// Has a criterion of ours or of the user's score some cuts.
void Search::evaluate_criterion(const ExpressionStep& step, const NodeChannels& channels,
                                const double* left, std::size_t stride, std::size_t n_cuts,
                                double* out) const {
  const auto score = [&](const double* sums, int n, double* scores) {
    if (step.kind == ExpressionStep::Kind::criterion)
      return score_builtin(step.criterion->score, channels, sums, n, scores);
    mean_of_outputs(channels, n, scores, [&](const NodeChannels::Output& output, double* to) {
      ask_user(step, channels, output, sums, n, to);
    });
  };
  double scores[CutBlock::stride];
  if (stride == CutBlock::stride && n_cuts <= CutBlock::capacity) {  // a block of the engine's
    score(left, static_cast<int>(n_cuts), scores);
    std::copy_n(scores, n_cuts, out);
    return;
  }
  const int n_channels = channels.size();
  std::vector<double> sums(static_cast<std::size_t>(n_channels) * CutBlock::stride);
  for (std::size_t begin = 0; begin < n_cuts; begin += CutBlock::capacity) {
    const auto n = static_cast<int>(std::min<std::size_t>(CutBlock::capacity, n_cuts - begin));
    for (int k = 0; k < n_channels; ++k) {
      double* to = sums.data() + k * CutBlock::stride;
      std::copy_n(left + static_cast<std::size_t>(k) * stride + begin, n, to);
      std::fill(to + n, to + CutBlock::stride, to[n - 1]);  // packs read beyond the end
    }
    score(sums.data(), n, scores);
    std::copy_n(scores, n, out + begin);
  }
}

/// A user's criterion knows its classes by place, also those that do not occur in the node.
void Search::ask_user(const ExpressionStep& step, const NodeChannels& channels,
                      const NodeChannels::Output& output, const double* left, int n_cuts,
                      double* scores) const {
  const auto which = static_cast<std::size_t>(&output - channels.outputs.data());
  const auto n_classes = static_cast<std::size_t>(target.n_classes[which]);
  const std::size_t n_stats = n_classes + static_cast<std::size_t>(target.n_extra);
  const auto m = static_cast<std::size_t>(n_cuts);
  CutBatch batch{.parent = std::vector<double>(n_stats),
                 .left = std::vector<double>(n_stats * m),
                 .right = std::vector<double>(n_stats * m),
                 .n_stats = static_cast<int>(n_stats),
                 .n_cuts = n_cuts};
  for (std::size_t k = 0; k < n_stats; ++k) {
    const bool is_class = k < n_classes;
    if (is_class && !channels.is_present[first_class_[which] + k]) continue;
    const std::size_t channel =
        is_class ? channels.channel[first_class_[which] + k]
                 : static_cast<std::size_t>(channels.size() - target.n_extra) + (k - n_classes);
    const double whole = channels.parent[channel];
    batch.parent[k] = whole * target.unit;
    for (std::size_t i = 0; i < m; ++i) {
      const double here = left[channel * CutBlock::stride + i];
      batch.left[k * m + i] = here * target.unit;
      batch.right[k * m + i] = (whole - here) * target.unit;
    }
  }
  if (step.kind == ExpressionStep::Kind::function) {
    step.function(std::move(batch), scores);
  } else {
    step.compiled(n_cuts, batch.n_stats, batch.parent.data(), batch.left.data(), batch.right.data(),
                  scores, step.user_data);
    check_compiled(scores, n_cuts);
  }
}

/// Prepares a node for a composed criterion.
void Search::start_composed(const Node& node, const NodeChannels& channels,
                            std::span<Scratch> scratch) const {
  std::size_t n_kept = plan.n_recorded;
  if (const auto& composed = plan.criterion.composed) {
    if (composed->top == ComposedCriterion::all || !composed->relative.empty())
      n_kept = 0;
    else
      n_kept = std::max(n_kept, static_cast<std::size_t>(composed->top));
  }
  if (reads_rows_) read_rows(node, channels, scratch[0].own_rows);
  for (Scratch& each : scratch) {
    each.node_rows = &scratch[0].own_rows;
    each.top.start(n_kept);
  }
}

/// Prepares a column: what steps that look at rows find at its cuts.
void Search::start_column(const Node& node, int column, Scratch& scratch) const {
  scratch.n_cuts_before = 0;
  if (!plan.criterion.composed) return;
  const ComposedCriterion& composed = *plan.criterion.composed;
  find_values(composed.score, node, *scratch.node_rows, column, scratch.column_buffers,
              scratch.score_values);
  find_values(composed.tie, node, *scratch.node_rows, column, scratch.column_buffers,
              scratch.tie_values);
}

/// Remembers the cuts of a block that may be among the best of the node. The sums of the block must
/// count the missing rows on the side that is meant.
void Search::keep_top(const Judge& judge, const CutBlock& block, int n_channels, bool missing_left,
                      const double* scores, const double* ties, std::size_t first_cut,
                      TopCandidates& top) const {
  const auto& composed = plan.criterion.composed;
  const bool gain_test = composed && composed->gain_test;
  if (block.n_cuts == 0 || !top.wants(kernels_.largest(scores, block.n_cuts))) return;
  for (int i = 0; i < block.n_cuts; ++i) {
    const bool gains = scores[i] > 1e-12 || (ties && ties[i] > 1e-12);
    if (!top.wants(scores[i]) || (gain_test && !gains)) continue;
    Candidate candidate{judge.split_at(block, i, missing_left, scores[i]),
                        {},
                        first_cut + static_cast<std::size_t>(i)};
    if (ties) candidate.split.tie_break = ties[i];
    for (int k = 0; k < n_channels; ++k)
      candidate.left.push_back(block.left[k * CutBlock::stride + i]);
    top.add(std::move(candidate));
  }
}

namespace {

/// The sums of candidates, channel by channel.
std::vector<double> sums_of(std::span<const Candidate> candidates, int n_channels) {
  const std::size_t n = candidates.size();
  std::vector<double> sums(n * static_cast<std::size_t>(n_channels));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < candidates[i].left.size(); ++k)
      sums[k * n + i] = candidates[i].left[k];
  return sums;
}

/// Sums of all classes and the user's, without the classes that do not occur.
std::vector<double> of_present(const std::vector<double>& all, const NodeChannels& present) {
  std::vector<double> some;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (k >= present.is_present.size() || present.is_present[k]) some.push_back(all[k]);
  return some;
}

std::vector<Candidate> all_kept(std::span<Scratch> scratch) {
  std::vector<Candidate> all;
  for (Scratch& each : scratch) {
    std::ranges::move(each.top.candidates(), std::back_inserter(all));
    each.top.candidates().clear();
  }
  return all;
}

}  // namespace

/// Calculates an expression for candidates of any columns.
std::vector<double> Search::evaluate(const Expression& expression, const Node& node,
                                     const NodeChannels& channels, const NodeRows& rows,
                                     std::span<const Candidate> candidates) const {
  const std::size_t n = candidates.size();
  std::vector<double> values(n);
  if (n == 0) return values;
  const auto sums = sums_of(candidates, channels.size());
  const auto found = values_of_candidates(expression, node, rows, candidates);
  evaluate(expression, channels, sums.data(), n, n, found, 0, values.data());
  return values;
}

/// The split of a node whose criterion keeps the best few: the record of them, and the choice.
Split Search::choose_top(const Node& node, const NodeChannels& channels, Split best,
                         std::span<Scratch> scratch) const {
  const auto& composed = plan.criterion.composed;
  std::vector<Candidate> kept = all_kept(scratch);
  std::ranges::sort(kept, std::less{}, &Candidate::place);
  if (composed && !composed->relative.empty()) {
    const auto scores = evaluate(composed->relative, node, channels, *scratch[0].node_rows, kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      check_finite(plan, node, scores[i]);
      kept[i].split.score = kept[i].split.best = scores[i];
    }
    if (composed->gain_test && composed->tie.empty())
      std::erase_if(kept, [](const Candidate& each) { return !(each.split.score > 1e-12); });
  }
  if (composed && (composed->top != 0 || !composed->relative.empty()))
    best = choose_among(node, channels, kept, *scratch[0].node_rows);
  if (plan.n_recorded > 0) record_candidates(node, best, std::move(kept), scratch[0]);
  return best;
}

/// The best few by score, of which the measures that follow choose one in turn; then the score,
/// then the order in which they were tried.
Split Search::choose_among(const Node& node, const NodeChannels& channels,
                           const std::vector<Candidate>& kept, const NodeRows& rows) const {
  const ComposedCriterion& composed = *plan.criterion.composed;
  const std::size_t n_wanted = composed.top == ComposedCriterion::all ? 0
                               : composed.top == 0 ? 1
                                                   : static_cast<std::size_t>(composed.top);
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
    std::vector<double> values = evaluate(choice.by, node, channels, rows, few);
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
    split.tie_break = evaluate(composed.tie, node, channels, rows, std::span(&few[chosen], 1))[0];
  return split;
}

/// Writes down the best candidates, and the chosen one in any case, with their scores by the other
/// criteria asked for.
void Search::record_candidates(const Node& node, const Split& chosen, std::vector<Candidate> kept,
                               Scratch& scratch) const {
  const auto is_chosen = [&](const Split& split) {
    return chosen.exists() && split.column == chosen.column && split.code == chosen.code &&
           split.missing_left == chosen.missing_left;
  };
  std::vector<Candidate> best = best_of(kept, plan.n_recorded);
  const auto is_in = [&](const Candidate& each) { return is_chosen(each.split); };
  if (std::ranges::none_of(best, is_in))
    if (const auto found = std::ranges::find_if(kept, is_in); found != kept.end())
      best.push_back(*found);
  scratch.recorded.clear();
  for (const Candidate& candidate : best) scratch.recorded.push_back({candidate.split, {}});
  const NodeChannels present = channels_of(node.sums, node.n_rows(), true);
  if (!plan.criterion.sees_present_classes())
    for (Candidate& candidate : best) candidate.left = of_present(candidate.left, present);
  for (const Expression& expression : plan.also) {
    const auto values = evaluate(expression, node, present, *scratch.node_rows, best);
    for (std::size_t i = 0; i < best.size(); ++i) scratch.recorded[i].also.push_back(values[i]);
  }
  for (Recorded& recorded : scratch.recorded) {
    Split& split = recorded.split;
    split.is_chosen = is_chosen(split);
    if (split.kind != SplitKind::categories || !split.codes.empty()) continue;
    list_codes(node, split, scratch);
    if (split.codes.back() != table.columns[split.column].n_codes()) continue;
    split.missing_left = split.branches.back() == 0;  // missing was one of the categories
    split.codes.pop_back();
    split.branches.pop_back();
  }
}

}  // namespace ramify

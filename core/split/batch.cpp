// SPDX-License-Identifier: BSD-3-Clause
// A user's interpreted criterion: the cuts of many columns in one call.
#include <deque>
#include <optional>

#include "split/each_block.hpp"

namespace ramify {
namespace {

/// An interpreted criterion is dear to call and cheap per cut: as many as stay in cache.
constexpr int batch_cuts = 8192;

}  // namespace

/// Collects the cuts of many columns for one call of an interpreted criterion.
std::vector<Split> Search::best_of_batch(const Node& node, const NodeChannels& channels,
                                         std::span<const std::uint32_t> columns,
                                         Scratch& scratch) const {
  /// A block, once with the missing rows on the right and, if there are any, once more.
  struct Part {
    std::size_t place = 0;
    std::size_t first_cut = 0;  // in its column
    bool missing_left = false;
    CutBlock block{};
    std::vector<double> left;

    /// Copies what the block holds, not all that it could hold: most blocks are small.
    void take(const CutBlock& from, int n_channels) {
      const int n = from.n_cuts;
      block.n_cuts = n;
      block.missing_moved = from.missing_moved;
      block.items = from.items;
      block.layout = from.layout;
      block.n_valued = from.n_valued;
      block.missing_code = from.missing_code;
      std::copy_n(from.rows_left, n, block.rows_left);
      if (!from.items) {
        std::copy_n(from.code, n, block.code);
        std::copy_n(from.next_code, n, block.next_code);
      }
      left.resize(static_cast<std::size_t>(n_channels) * CutBlock::stride);
      block.left = left.data();
      for (int k = 0; k < n_channels; ++k)
        std::copy_n(from.left + k * CutBlock::stride, n, block.left + k * CutBlock::stride);
    }
  };
  std::deque<Part> pool;  // parts are used again after every call
  std::vector<Part*> parts;
  const auto add_part = [&](std::size_t place, const CutBlock& block, bool missing_left) {
    if (parts.size() == pool.size()) pool.emplace_back();
    Part& part = pool[parts.size()];
    part.place = place;
    part.first_cut = scratch.n_cuts_before;
    part.missing_left = missing_left;
    part.take(block, channels.size());
    parts.push_back(&part);
  };
  std::vector<std::optional<Judge>> judges(columns.size());
  int n_cuts = 0;

  const auto flush = [&] {
    std::vector<double> mean(static_cast<std::size_t>(n_cuts)), mean_ties(mean), scores(mean);
    const bool has_ties = plan.criterion.has_tie_break();
    for (const auto& output : channels.outputs) {
      if (output.n_present < 2) continue;
      const int n_stats = n_stats_of(output);
      CutBatch batch{.parent = {}, .left = {}, .right = {}, .n_stats = n_stats, .n_cuts = n_cuts};
      batch.left.resize(static_cast<std::size_t>(n_stats) * n_cuts);
      batch.right.resize(batch.left.size());
      double *to_left = batch.left.data(), *to_right = batch.right.data();
      for (int k = 0; k < n_stats; ++k) {
        const double parent = channels.parent[output.first + k];
        batch.parent.push_back(parent * target.unit);
        for (const Part* part : parts) {
          const double* left = part->block.left + (output.first + k) * CutBlock::stride;
          for (int i = 0; i < part->block.n_cuts; ++i) {
            *to_left++ = left[i] * target.unit;
            *to_right++ = (parent - left[i]) * target.unit;
          }
        }
      }
      if (numbers) {
        const Ruler& ruler = channels.ruler_of(output);
        const auto n = static_cast<std::size_t>(n_cuts);
        leave_ruler(ruler, batch.parent.data(), 1, 1);
        leave_ruler(ruler, batch.left.data(), n, n);
        leave_ruler(ruler, batch.right.data(), n, n);
      }
      const auto add_to = [&](std::vector<double>& sum) {
        for (int i = 0; i < n_cuts; ++i)
          sum[i] += scores[i] / static_cast<double>(channels.outputs.size());
      };
      if (has_ties) {
        plan.criterion.interpreted_tie_break(CutBatch(batch), scores.data());
        add_to(mean_ties);
      }
      plan.criterion.interpreted(std::move(batch), scores.data());
      add_to(mean);
    }
    const double* at = mean.data();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Part& part = *parts[i];
      // The two parts of a block differ by the cut of all values against the missing rows, which is
      // shown once.
      const auto padded_scores = [&](const std::vector<double>& all, int n) {
        std::vector<double> scores(all.begin() + (at - mean.data()),
                                   all.begin() + (at - mean.data()) + n);
        scores.resize(static_cast<std::size_t>(part.block.n_cuts), minus_infinity);
        return scores;
      };
      Judge& judge = *judges[part.place];
      std::vector<double> right = padded_scores(mean, part.block.n_cuts), right_ties, left,
                          left_ties;
      if (has_ties) right_ties = padded_scores(mean_ties, part.block.n_cuts);
      judge.refuse(part.block, false, right.data());
      const auto keep = [&](const Part& of, bool missing_left, const std::vector<double>& scores,
                            const std::vector<double>& ties) {
        if (keeps_top())
          keep_top(judge, of.block, channels.size(), missing_left, scores.data(),
                   has_ties ? ties.data() : nullptr, of.first_cut, scratch.top);
      };
      keep(part, false, right, right_ties);
      at += part.block.n_cuts;
      if (i + 1 < parts.size() && parts[i + 1]->missing_left) {
        Part& moved = *parts[++i];
        left = padded_scores(mean, moved.block.n_cuts);
        if (has_ties) left_ties = padded_scores(mean_ties, moved.block.n_cuts);
        judge.refuse(moved.block, true, left.data());
        keep(moved, true, left, left_ties);
        at += moved.block.n_cuts;
      }
      double* left_scores = left.empty() ? nullptr : left.data();
      if (has_ties) {
        judge.offer_with_ties(part.block, right.data(), right_ties.data(), left_scores,
                              left_ties.data());
        continue;
      }
      double top = kernels_.largest(right.data(), part.block.n_cuts);
      if (left_scores) top = std::max(top, kernels_.largest(left_scores, part.block.n_cuts));
      judge.offer(part.block, top, right.data(), left_scores, minus_infinity);
    }
    parts.clear();
    n_cuts = 0;
  };

  std::vector<Split> found(columns.size());
  for (std::size_t place = 0; place < columns.size(); ++place) {
    const int column = static_cast<int>(columns[place]);
    if (table.columns[column].is_narrow())
      sum_columns(node, channels, columns.subspan(place, 1), scratch);
    scratch.n_cuts_before = 0;
    const auto start = [&](std::uint32_t first_code, std::uint32_t last_code,
                           std::uint32_t n_missing) {
      judges[place].emplace(
          judge_of(node, channels, column, first_code, last_code, n_missing, scratch.missing));
    };
    const auto visit = [&](std::uint32_t n_missing) {
      CutBlock& block = scratch.block;
      add_part(place, block, false);
      n_cuts += block.n_cuts;
      if (n_missing > 0) {
        move_missing(block, true, scratch.missing, channels.size());
        // The cut of all values against the missing rows leaves nothing on the right now; do not
        // show it.
        const int n_shown = block.n_cuts;
        if (block.next_code_at(n_shown - 1) >= table.columns[column].n_codes()) --block.n_cuts;
        if (block.n_cuts > 0) add_part(place, block, true);
        n_cuts += block.n_cuts;
        block.n_cuts = n_shown;
      }
      scratch.n_cuts_before += static_cast<std::size_t>(block.n_cuts);
      if (n_cuts >= batch_cuts) flush();
    };
    if (!each_block(node, channels, column, scratch.sums.data(), scratch, start, visit))
      found[place] = Split::constant();
  }
  if (n_cuts > 0) flush();
  for (std::size_t place = 0; place < columns.size(); ++place)
    if (judges[place]) found[place] = judges[place]->result();
  return found;
}

}  // namespace ramify

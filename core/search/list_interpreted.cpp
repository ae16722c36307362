// SPDX-License-Identifier: BSD-3-Clause
// Flagged lists and a user's interpreted criterion: the cuts of many columns in one call. If it is
// said to be convex, corners are asked about first, and then the cuts that may matter.
#include <algorithm>

#include "expressions/batch.hpp"
#include "search/list_walk.hpp"

namespace ramify {
namespace {

/// A block of cuts that waits for what the criterion says of its corners.
struct WaitingBlock {
  std::size_t place;      // of its column
  std::uint32_t first;    // rows that had moved before it
  std::uint32_t left[2];  // and their classes
  int n_cuts, chunk;
  std::size_t first_chunk;  // its scores
  double corners[2 * CutBlock::stride];

  HullCall hulls() const { return {nullptr, nullptr, n_cuts, chunk, nullptr}; }
};

}  // namespace

/// What the corners of a node say.
class ListSearch::Sparing {
 public:
  Sparing(ListSearch& search) : search_(search) {
    const Training& training = search.training_;
    limits_ = tried_limits(training.plan, training.target, search.channels_.outputs[0].total);
  }

  void add(std::size_t place, std::uint32_t first, const CutBlock& block) {
    if (n_used_ == blocks_.size()) blocks_.emplace_back();
    WaitingBlock& waiting = blocks_[n_used_++];
    waiting.place = place;
    waiting.first = first;
    std::copy_n(search_.at_start_.begin(), 2, waiting.left);
    waiting.n_cuts = block.n_cuts;
    const double total = search_.channels_.outputs[0].total;
    waiting.chunk = hull_chunk(block.rows_left[block.n_cuts / 2], total);
    const HullCall hulls{block.left, search_.channels_.parent.data(), block.n_cuts, waiting.chunk,
                         waiting.corners};
    kernels().write_hulls(hulls);
    waiting.first_chunk = tops_.size();
    tops_.resize(tops_.size() + static_cast<std::size_t>(hulls.n_chunks()));
    n_corners_ += hulls.n_all_corners();
    if (n_corners_ >= batch_cuts) ask();
  }

  /// Asks about the corners that have not been shown yet.
  void ask() {
    if (n_corners_ == 0) return;
    pieces_.clear();
    for (std::size_t i = n_requested_; i < n_used_; ++i)
      pieces_.push_back({blocks_[i].corners, blocks_[i].hulls().n_all_corners()});
    scores_.resize(static_cast<std::size_t>(n_corners_));
    CutBatch batch;
    UserCuts(search_.training_.target, search_.classes_)
        .show(search_.channels_, search_.channels_.outputs[0], pieces_, batch);
    search_.criterion_.interpreted(std::move(batch), scores_.data());
    const double* scores = scores_.data();
    for (; n_requested_ < n_used_; ++n_requested_) {
      note(blocks_[n_requested_], scores);
      scores += blocks_[n_requested_].hulls().n_all_corners();
    }
    n_corners_ = 0;
  }

  /// Calls visit(block) for those that may hold the best cut.
  template <class Visit>
  void each_left(Visit visit) {
    min_ = surely_below(best_) - hull_slack(best_);
    for (std::size_t i = 0; i < n_used_; ++i)
      for (int chunk = 0; chunk < blocks_[i].hulls().n_chunks(); ++chunk)
        if (may_matter(blocks_[i], chunk)) {
          visit(blocks_[i]);
          break;
        }
  }

  /// Leaves those cuts in a block that may matter.
  void thin(const WaitingBlock& waiting, CutBlock& block) const {
    int n = 0;
    for (int i = 0; i < block.n_cuts; ++i) {
      if (!may_matter(waiting, i / waiting.chunk)) continue;
      block.rows_left[n] = block.rows_left[i];
      block.next_code[n] = block.next_code[i];
      for (int k = 0; k < 2; ++k)
        block.left[k * CutBlock::stride + n] = block.left[k * CutBlock::stride + i];
      ++n;
    }
    block.n_cuts = n;
  }

 private:
  /// The first corner of a polygon is a cut of the column; if it is admissible, the best is no
  /// worse.
  void note(const WaitingBlock& waiting, const double* scores) {
    const auto n_rows = search_.where_.n_rows();
    for (int chunk = 0; chunk < waiting.hulls().n_chunks(); ++chunk) {
      const int at = chunk * HullCall::n_corners;
      const double* corner = scores + at;
      const double *end = corner + HullCall::n_corners + 1, top = *std::max_element(corner, end);
      const bool is_refused = *std::min_element(corner, end) == minus_infinity;
      tops_[waiting.first_chunk + static_cast<std::size_t>(chunk)] =
          is_refused ? std::numeric_limits<double>::infinity() : top;
      const double n_left = waiting.corners[at] + waiting.corners[CutBlock::stride + at];
      if (limits_.allow_rows(static_cast<std::uint32_t>(n_left), n_rows) &&
          limits_.allow_weight(n_left, n_rows))
        best_ = std::max(best_, corner[0]);
    }
  }
  bool may_matter(const WaitingBlock& waiting, int chunk) const {
    return !(tops_[waiting.first_chunk + static_cast<std::size_t>(chunk)] < min_);
  }

  ListSearch& search_;
  LeafLimits limits_;
  std::vector<WaitingBlock> blocks_;
  std::size_t n_used_ = 0, n_requested_ = 0;
  std::vector<double> tops_, scores_;  // of each chunk, of each corner
  std::vector<CutPiece> pieces_;
  int n_corners_ = 0;
  double best_ = minus_infinity, min_ = minus_infinity;
};

std::vector<Split> ListSearch::look_at_all(std::span<const std::uint32_t> columns) {
  const UserCuts users(training_.target, classes_);
  CutBatches batches(training_, users, nullptr, channels_, columns.size(), nullptr);
  Sparing sparing(*this);
  const bool is_large = std::size_t{where_.n_rows()} * columns.size() > batch_cuts;
  for (std::size_t place = 0; place < columns.size(); ++place) {
    Walk walk = begin(columns[place]);
    bool is_begun = false;
    while (walk.right.next < walk.n) {
      walk.first = walk.right.next;
      std::copy_n(left_[0].begin(), channels_.size(), at_start_.begin());
      CutBlock& block = cuts_.start(channels_.size());
      sum_block(walk);
      if (block.n_cuts == 0) continue;
      if (walk.n_missing == 0) note_last(walk);
      if (!is_begun)
        batches.start(place, Judge(training_, name_column(walk), ColumnRange{0, 0, walk.n_missing},
                                   cuts_.missing));
      is_begun = true;
      if (is_large && has_hulls_ && walk.n_missing == 0 && training_.plan.monotonic.empty())
        sparing.add(place, walk.first, block);
      else
        batches.add(place, cuts_, walk.n_missing);
    }
  }
  sparing.ask();
  sparing.each_left([&](const auto& waiting) {
    Walk walk = begin(columns[waiting.place]);
    walk.first = walk.right.next = waiting.first;
    std::copy_n(waiting.left, 2, left_[0].begin());
    CutBlock& block = cuts_.start(channels_.size());
    sum_block(walk);
    note_last(walk);
    sparing.thin(waiting, block);
    batches.add(waiting.place, cuts_, 0);
  });
  return batches.finish();
}

}  // namespace ramify

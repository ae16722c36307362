// SPDX-License-Identifier: BSD-3-Clause
// Sorted lists and a user's interpreted criterion: the cuts of many columns in one call. If it is
// declared quasi-convex, corners are scored first, and then the cuts that may matter.
#include <algorithm>

#include "expressions/batch.hpp"
#include "search/sorted_class_search.hpp"

namespace ramify {
namespace {

/// A block of cuts that waits for the scores of its corners.
struct WaitingBlock {
  std::size_t place;    // of its column
  std::uint32_t first;  // rows that had moved before it
  int n_cuts, chunk;
  std::size_t first_chunk;  // its scores
  double corners[2 * CutBlock::stride];

  HullCall hulls() const { return {nullptr, nullptr, n_cuts, chunk, nullptr}; }
};

}  // namespace

/// What the corners of a node say.
class SortedClassSearch::Corners {
 public:
  explicit Corners(SortedClassSearch& search)
      : search_(search),
        limits_(tried_limits(search.training_.plan, search.training_.target,
                             search.channels_.outputs[0].total)) {}

  void add(std::size_t place, std::uint32_t first, const CutBlock& block) {
    if (n_used_ == blocks_.size()) blocks_.emplace_back();
    WaitingBlock& waiting = blocks_[n_used_++];
    const int chunk =
        hull_chunk(block.rows_left[block.n_cuts / 2], search_.channels_.outputs[0].total);
    waiting.place = place;
    waiting.first = first;
    waiting.n_cuts = block.n_cuts;
    waiting.chunk = chunk;
    const HullCall hulls{block.left, search_.channels_.parent.data(), block.n_cuts, chunk,
                         waiting.corners};
    kernels().write_hulls(hulls);
    waiting.first_chunk = tops_.size();
    tops_.resize(tops_.size() + static_cast<std::size_t>(hulls.n_chunks()));
    n_corners_ += hulls.n_all_corners();
    if (n_corners_ >= batch_cuts) score();
  }

  /// Scores the corners that wait.
  void score() {
    if (n_corners_ == 0) return;
    pieces_.clear();
    for (std::size_t i = n_scored_; i < n_used_; ++i)
      pieces_.push_back({blocks_[i].corners, blocks_[i].hulls().n_all_corners()});
    scores_.resize(static_cast<std::size_t>(n_corners_));
    CutBatch batch;
    UserCuts(search_.training_.target, search_.classes_)
        .show(search_.channels_, search_.channels_.outputs[0], pieces_, batch);
    search_.training_.plan.criterion.interpreted(std::move(batch), scores_.data());
    const double* scores = scores_.data();
    for (; n_scored_ < n_used_; ++n_scored_) {
      note(blocks_[n_scored_], scores);
      scores += blocks_[n_scored_].hulls().n_all_corners();
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

  SortedClassSearch& search_;
  LeafLimits limits_;
  std::vector<WaitingBlock> blocks_;
  std::size_t n_used_ = 0, n_scored_ = 0;
  std::vector<double> tops_, scores_;  // of each chunk, of each corner
  std::vector<CutPiece> pieces_;
  int n_corners_ = 0;
  double best_ = minus_infinity, min_ = minus_infinity;
};

std::vector<Split> SortedClassSearch::best_interpreted(std::span<const std::uint32_t> columns) {
  const UserCuts users(training_.target, classes_);
  CutBatches batches(training_, users, nullptr, channels_, columns.size(), nullptr);
  Corners corners(*this);
  const bool spares_cuts = std::size_t{where_.n_rows()} * columns.size() > batch_cuts &&
                           scorer_.has_hulls() && training_.plan.monotonic.empty();
  std::uint32_t places[CutBlock::stride];
  const auto sum_block = [&](SortedCuts& cuts) -> CutBlock& {
    CutBlock& block = cuts_.start(channels_.size());
    std::uint32_t end;
    cuts.sum(cuts.cuts_of_block(places, end), block);
    cuts.note_last(block);
    cuts.go_to(end);
    return block;
  };
  for (std::size_t place = 0; place < columns.size(); ++place) {
    SortedCuts cuts = begin(columns[place]);
    bool is_begun = false;
    while (!cuts.is_done()) {
      const std::uint32_t first = cuts.next();
      const CutBlock& block = sum_block(cuts);
      if (block.n_cuts == 0) continue;
      if (!is_begun) {
        judge(cuts);
        batches.start(place, *cuts.judge);
      }
      is_begun = true;
      if (spares_cuts && cuts.n_missing() == 0)
        corners.add(place, first, block);
      else
        batches.add(place, cuts_, cuts.n_missing());
    }
  }
  corners.score();
  corners.each_left([&](const auto& waiting) {
    SortedCuts cuts = begin(columns[waiting.place]);
    cuts.go_to(waiting.first);
    corners.thin(waiting, sum_block(cuts));
    batches.add(waiting.place, cuts_, 0);
  });
  return batches.finish();
}

}  // namespace ramify

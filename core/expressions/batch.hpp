// SPDX-License-Identifier: BSD-3-Clause
// A user's interpreted criterion: scores the cuts of many columns of a node in one call.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "expressions/finalists.hpp"
#include "expressions/users.hpp"

namespace ramify {

/// A call of an interpreted criterion is expensive, a further cut is cheap: as many as stay in the
/// cache.
inline constexpr int batch_cuts = 8192;

class CutBatches {
 public:
  /// `finalists` may be null: none are kept then.
  CutBatches(const Training& training, const UserCuts& users, const Finalists* finalists,
             const NodeChannels& channels, std::size_t n_columns, TopCandidates* top)
      : training_(training),
        users_(users),
        finalists_(finalists),
        channels_(channels),
        top_(top),
        judges_(n_columns) {}

  /// Begins the column at a position among the searched columns.
  void start(std::size_t place, const Judge& judge) {
    judges_[place].emplace(judge);
    n_cuts_before_ = 0;
  }
  /// Adds a block of its cuts. Once there are enough of them the criterion is called.
  void add(std::size_t place, CutBuffers& cuts, std::uint64_t n_missing);

  /// Returns the best split of each column that was begun.
  std::vector<Split> finish();

 private:
  /// A block with the missing values on the right or, in a second copy if there are any, on the
  /// left.
  struct Part {
    std::size_t place = 0;
    std::size_t first_cut = 0;  // in its column
    bool missing_left = false;
    CutBlock block{};
    std::vector<double> left;

    void take(const CutBlock& from, int n_channels);
  };
  /// The scores of all cuts, copy by copy.
  struct Scores {
    std::vector<double> scores, ties;  // the second is empty if there is no tie-breaker
  };

  void add_part(std::size_t place, const CutBlock& block, bool missing_left);
  void flush();
  Scores score() const;
  void judge(const Scores& all);

  const Training& training_;
  const UserCuts& users_;
  const Finalists* finalists_;
  const NodeChannels& channels_;
  TopCandidates* top_;
  std::vector<std::optional<Judge>> judges_;  // by position
  std::deque<Part> pool_;                     // reused after every call
  std::vector<Part*> parts_;
  int n_cuts_ = 0;
  std::size_t n_cuts_before_ = 0;  // of the current column
};

}  // namespace ramify

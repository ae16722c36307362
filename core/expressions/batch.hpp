// SPDX-License-Identifier: BSD-3-Clause
// A user's interpreted criterion: the cuts of many columns of a node in one call.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "expressions/finalists.hpp"
#include "expressions/users.hpp"

namespace ramify {

/// An interpreted criterion is dear to call and cheap per cut: as many as stay in cache.
inline constexpr int batch_cuts = 8192;

class CutBatches {
 public:
  /// `finalists` may be null: none are wanted then.
  CutBatches(const Training& training, const UserCuts& users, const Finalists* finalists,
             const NodeChannels& channels, std::size_t n_columns, TopCandidates* top)
      : training_(training),
        users_(users),
        finalists_(finalists),
        channels_(channels),
        top_(top),
        judges_(n_columns) {}

  /// Begins the column that stands at a place among those that are searched.
  void start(std::size_t place, const Judge& judge) {
    judges_[place].emplace(judge);
    n_cuts_before_ = 0;
  }
  /// Adds a block of its cuts. Once there are enough of them the criterion is called.
  void add(std::size_t place, CutBuffers& cuts, std::uint64_t n_missing);

  /// The best split of each column that was begun.
  std::vector<Split> finish();

 private:
  /// A block, once with the missing rows on the right and, if there are any, once more.
  struct Part {
    std::size_t place = 0;
    std::size_t first_cut = 0;  // in its column
    bool missing_left = false;
    CutBlock block{};
    std::vector<double> left;

    void take(const CutBlock& from, int n_channels);
  };
  /// What the criterion says of all cuts, part by part.
  struct Scores {
    std::vector<double> scores, ties;  // the second is empty if nothing settles ties
  };

  void add_part(std::size_t place, const CutBlock& block, bool missing_left);
  void flush();
  Scores ask() const;
  void judge(const Scores& all);

  const Training& training_;
  const UserCuts& users_;
  const Finalists* finalists_;
  const NodeChannels& channels_;
  TopCandidates* top_;
  std::vector<std::optional<Judge>> judges_;  // by place
  std::deque<Part> pool_;                     // parts are used again after every call
  std::vector<Part*> parts_;
  int n_cuts_ = 0;
  std::size_t n_cuts_before_ = 0;  // of the column at hand
};

}  // namespace ramify

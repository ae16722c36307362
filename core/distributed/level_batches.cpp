// SPDX-License-Identifier: BSD-3-Clause
// Calls a user's function with the cuts of many nodes at once.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "distributed/level_grower.hpp"

namespace ramify {
namespace {

/// Thrown where a search needs scores that are not known yet.
struct Unanswered {};

/// Number of cuts per call: they are copied, and should stay in the cache.
constexpr int cuts_at_once = 1 << 14;

}  // namespace

void LevelGrower::score_together(Together function) {
  if (!plan_.criterion.interpreted)
    throw std::invalid_argument("the criterion must be a user's function");
  together_ = std::move(function);
  plan_.criterion.interpreted = [this](CutBatch&& batch, double* scores) {
    score(std::move(batch), scores);
  };
}

/// Scores the cuts of a node from the responses of the user's function.
void LevelGrower::score(CutBatch&& batch, double* scores) {
  if (asking_->next == asking_->answers.size()) {
    asking_->request = std::move(batch);
    throw Unanswered{};
  }
  std::ranges::copy(asking_->answers[asking_->next++], scores);
}

/// Requests the scores of some nodes in one call.
void LevelGrower::score_requested(std::span<Requested*> requested) const {
  std::vector<CutBatch> batches;
  for (Requested* each : requested) batches.push_back(std::move(each->request));
  const std::vector<double> scores = together_(batches);
  auto from = scores.begin();
  for (std::size_t i = 0; i < batches.size(); ++i) {
    requested[i]->answers.emplace_back(from, from + batches[i].n_cuts);
    from += batches[i].n_cuts;
  }
}

/// Searches all nodes until each has what it needs to be decided. A search that lacks scores is
/// abandoned, and restarted when they are there: most make one request.
template <class Sum>
void LevelGrower::ask_user(std::span<const Sum> supplied, std::span<const Family> families) {
  std::vector<Requested*> requested;
  int n_cuts = 0;
  const auto request = [&] {
    if (!requested.empty()) score_requested(requested);
    requested.clear();
    n_cuts = 0;
  };
  bool is_done = false;
  while (!is_done) {
    is_done = true;
    const auto search = [&](int id, const std::vector<std::int64_t>& sums) {
      asking_ = &requested_[id];
      if (asking_->split) return;
      asking_->next = 0;
      Node node = item(id).node;
      const std::vector<double> units = units_of(item(id));
      try {
        asking_->split = best_of(node, view(sums, units));
        asking_->non_constant = std::move(node.non_constant);
        asking_->recorded = std::exchange(scratch_[0].recorded, {});
      } catch (const Unanswered&) {
        is_done = false;
        scratch_ = std::vector<Scratch>(1);  // an abandoned search left it in an undefined state
        requested.push_back(asking_);
        n_cuts += asking_->request.n_cuts;
        if (n_cuts >= cuts_at_once) request();
      }
    };
    each_supplied(supplied, families, search, [](const Family&) {});
    request();
  }
}

template void LevelGrower::ask_user(std::span<const std::uint32_t>, std::span<const Family>);
template void LevelGrower::ask_user(std::span<const std::int64_t>, std::span<const Family>);

}  // namespace ramify

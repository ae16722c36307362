// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/sum_search.hpp"

#include <algorithm>
#include <utility>

namespace ramify {
namespace {

/// Thrown where a search needs scores that are not known yet.
struct Unanswered {};

/// Number of cuts per call: they are copied, and should stay in the cache.
constexpr int cuts_at_once = 1 << 14;

}  // namespace

NodeSums node_sums(const Layout& layout, std::span<const std::int64_t> sums,
                   std::span<const double> units) {
  return {.cells = sums.data(),
          .first_cell = layout.first_cell.data(),
          .n_classes = layout.n_classes_all,
          .n_first = static_cast<std::size_t>(layout.n_classes[0]),
          .n_counts = layout.n_counts(),
          .unit = units.empty() ? nullptr : units.data()};
}

void SumSearch::start() {
  const std::span<const std::uint32_t> no_rows;
  if (target_.is_numeric()) regression_ = std::make_unique<RegressionTarget>(target_, plan_);
  search_ =
      std::make_unique<Search>(table_, no_rows, target_, plan_, store_, pool_, regression_.get());
  if (plan_.dgmml) dgmml_ = std::make_unique<DgmmlSearch>(table_, no_rows, target_, plan_, nullptr);
}

FoundSplit SumSearch::best(Node node, const NodeSums& sums, RequestedCuts* cuts) {
  Scratch& scratch = scratch_[0];
  scratch.codes.given = &sums;
  scratch.scores.own_rows.elsewhere = cuts;
  scratch.recorded.clear();
  Split split = dgmml_ ? dgmml_->best({node, {}, nullptr, &sums}, dgmml_scratch_)
                       : search_->best(node, scratch_);
  return {std::move(split), std::move(node.non_constant), std::exchange(scratch.recorded, {})};
}

void BatchScorer::score(CutBatch&& batch, double* scores) {
  if (current_->next == current_->answers.size()) {
    current_->request = std::move(batch);
    throw Unanswered{};
  }
  std::ranges::copy(current_->answers[current_->next++], scores);
}

/// Requests the scores of some nodes in one call.
void BatchScorer::request(std::span<Requested*> requested) const {
  if (requested.empty()) return;
  std::vector<CutBatch> batches;
  for (Requested* each : requested) batches.push_back(std::move(each->request));
  const std::vector<double> scores = function_(batches);
  auto from = scores.begin();
  for (std::size_t i = 0; i < batches.size(); ++i) {
    requested[i]->answers.emplace_back(from, from + batches[i].n_cuts);
    from += batches[i].n_cuts;
  }
}

std::map<int, FoundSplit> BatchScorer::search(
    SumSearch& search, const EachNode& each,
    const std::function<FoundSplit(int, std::span<const std::int64_t>)>& best) {
  std::map<int, FoundSplit> found;
  std::map<int, Requested> by_node;
  std::vector<Requested*> waiting;
  int n_cuts = 0;
  const auto request_all = [&] {
    request(waiting);
    waiting.clear();
    n_cuts = 0;
  };
  for (bool is_done = false; !is_done;) {
    is_done = true;
    each([&](int id, std::span<const std::int64_t> sums) {
      if (found.contains(id)) return;
      current_ = &by_node[id];
      current_->next = 0;
      try {
        found.emplace(id, best(id, sums));
      } catch (const Unanswered&) {
        is_done = false;
        search.abandon();
        waiting.push_back(current_);
        n_cuts += current_->request.n_cuts;
        if (n_cuts >= cuts_at_once) request_all();
      }
    });
    request_all();
  }
  return found;
}

}  // namespace ramify

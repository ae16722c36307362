// SPDX-License-Identifier: BSD-3-Clause
// Several methods propose, and the criterion chooses the best (after Katuwal, Suganthan, Zhang
// 2020).
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"

namespace ramify {

Proposal propose(const ObliqueProblem& problem, const HeterogeneousRules& rules) {
  std::vector<Direction> candidates;
  for (const SingleRules& each : rules.methods) {
    if (problem.must_stop()) return {};
    Proposal proposal = std::visit([&](const auto& own) { return propose(problem, own); }, each);
    if (proposal) candidates.push_back(std::move(*proposal));
  }
  return best_of(problem, std::move(candidates));
}

}  // namespace ramify

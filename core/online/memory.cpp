// SPDX-License-Identifier: BSD-3-Clause
// When sums and moments take too much memory, the leaves where a split could gain least go to
// sleep: they answer by their class weights, and are split no more.
#include <algorithm>

#include "online/tree.hpp"

namespace ramify::online {

void OnlineTree::limit_memory() {
  std::size_t bytes = n_bytes();
  if (bytes <= rules_.max_bytes) return;
  struct Candidate {
    double promise;
    std::size_t leaf;
  };
  std::vector<Candidate> awake;
  for (std::size_t i = 0; i < state_.leaves.size(); ++i) {
    const Leaf& leaf = state_.leaves[i];
    if (leaf.is_asleep || leaf.class_weights.empty()) continue;  // the latter are free places
    awake.push_back({static_cast<double>(leaf.sums.n_rows()) * (1 - leaf.largest_share()), i});
  }
  std::ranges::stable_sort(awake, {}, &Candidate::promise);
  for (const Candidate& each : awake) {
    if (bytes <= rules_.max_bytes) break;
    Leaf& leaf = state_.leaves[each.leaf];
    bytes -= leaf.n_bytes();
    leaf.sums = LeafSums(n_classes_);
    leaf.bayes = {};
    leaf.recent = {};
    leaf.is_asleep = true;
    bytes += leaf.n_bytes();
  }
}

}  // namespace ramify::online

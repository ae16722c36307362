// SPDX-License-Identifier: BSD-3-Clause
#include "tree/prune.hpp"

#include <set>
#include <utility>

namespace ramify {

PruningPath prune(std::span<const std::int64_t> children_left,
                  std::span<const std::int64_t> children_right, std::span<const double> risk,
                  double up_to) {
  const std::size_t n = risk.size();
  std::vector<double> branch_risk(risk.begin(), risk.end());  // of the leaves below
  std::vector<std::int64_t> n_leaves(n, 1), parent(n, -1);
  PruningPath path;
  path.is_leaf.assign(n, 0);
  for (std::size_t i = n; i-- > 0;) {  // children stand behind their parent
    const std::int64_t left = children_left[i], right = children_right[i];
    path.is_leaf[i] = left < 0;
    if (left < 0) continue;
    parent[left] = parent[right] = static_cast<std::int64_t>(i);
    branch_risk[i] = branch_risk[left] + branch_risk[right];
    n_leaves[i] = n_leaves[left] + n_leaves[right];
  }
  const auto link = [&](std::size_t i) {
    return std::pair{(risk[i] - branch_risk[i]) / static_cast<double>(n_leaves[i] - 1), i};
  };
  std::set<std::pair<double, std::size_t>> links;
  for (std::size_t i = 0; i < n; ++i)
    if (!path.is_leaf[i]) links.insert(link(i));
  path.alphas.push_back(0);
  path.risks.push_back(branch_risk[0]);
  std::vector<std::size_t> below;
  while (!links.empty() && links.begin()->first <= up_to) {
    const auto [alpha, weakest] = *links.begin();
    below.assign(1, weakest);
    while (!below.empty()) {
      const std::size_t i = below.back();
      below.pop_back();
      if (path.is_leaf[i]) continue;
      links.erase(link(i));
      path.is_leaf[i] = 1;
      below.push_back(static_cast<std::size_t>(children_left[i]));
      below.push_back(static_cast<std::size_t>(children_right[i]));
    }
    const double risk_added = risk[weakest] - branch_risk[weakest];
    const std::int64_t leaves_lost = n_leaves[weakest] - 1;
    branch_risk[weakest] = risk[weakest];
    n_leaves[weakest] = 1;
    for (std::int64_t i = parent[weakest]; i >= 0; i = parent[i]) {
      links.erase(link(static_cast<std::size_t>(i)));
      branch_risk[i] += risk_added;
      n_leaves[i] -= leaves_lost;
      links.insert(link(static_cast<std::size_t>(i)));
    }
    path.alphas.push_back(alpha);
    path.risks.push_back(branch_risk[0]);
  }
  return path;
}

}  // namespace ramify

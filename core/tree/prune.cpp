// SPDX-License-Identifier: BSD-3-Clause
#include "tree/prune.hpp"

#include <set>
#include <utility>

namespace ramify {

PruningPath prune(const TreeView& tree, std::span<const double> risk, double up_to) {
  const std::size_t n = risk.size();
  std::vector<double> branch_risk(risk.begin(), risk.end());  // of the leaves below
  std::vector<std::int64_t> n_leaves(n, 1), parent(n, -1);
  PruningPath path;
  path.is_leaf.assign(n, 0);
  for (std::size_t i = n; i-- > 0;) {  // children come after their parent
    path.is_leaf[i] = tree.children_left[i] < 0;
    if (path.is_leaf[i]) continue;
    branch_risk[i] = 0;
    n_leaves[i] = 0;
    tree.each_child(i, [&](std::size_t child, std::int64_t) {
      parent[child] = static_cast<std::int64_t>(i);
      branch_risk[i] += branch_risk[child];
      n_leaves[i] += n_leaves[child];
    });
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
      tree.each_child(i, [&](std::size_t child, std::int64_t) { below.push_back(child); });
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

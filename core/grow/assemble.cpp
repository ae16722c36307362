// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "grow/fragment.hpp"

namespace ramify {
namespace {

double impurity_of(Impurities kind, const double* share, int n_classes) {
  double sum = 0;
  switch (kind) {
    case Impurities::gini:
      for (int k = 0; k < n_classes; ++k) sum += share[k] * share[k];
      return 1 - sum;
    case Impurities::entropy:
      for (int k = 0; k < n_classes; ++k)
        if (share[k] > 0) sum -= share[k] * std::log2(share[k]);
      return sum;
    case Impurities::misclassification:
      return 1 - *std::max_element(share, share + n_classes);
  }
  return 0;
}

}  // namespace

Tree assemble(const std::vector<Fragment>& fragments, const Target& target, Impurities impurity) {
  Tree tree;
  tree.n_outputs = target.n_outputs();
  tree.max_classes = *std::ranges::max_element(target.n_classes);
  std::size_t n_nodes = 0;
  for (const Fragment& fragment : fragments) n_nodes += fragment.nodes.size();
  for (auto* column :
       {&tree.children_left, &tree.children_right, &tree.feature, &tree.n_node_samples})
    column->reserve(n_nodes);
  for (auto* column : {&tree.threshold, &tree.impurity, &tree.weighted_n_node_samples, &tree.gain})
    column->reserve(n_nodes);
  const auto n_values = static_cast<std::size_t>(tree.n_outputs) * tree.max_classes;
  tree.value.reserve(n_nodes * n_values);
  tree.missing_go_to_left.reserve(n_nodes);
  const std::size_t n_classes = target.n_all_classes();

  struct Visit {
    int fragment, node;
    std::int64_t parent;
    bool is_left;
  };
  std::vector<Visit> stack{{0, 0, -1, false}};
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    const Fragment& fragment = fragments[visit.fragment];
    const Fragment::Grown& node = fragment.nodes[visit.node];
    if (node.continued_in >= 0) {
      stack.push_back({node.continued_in, 0, visit.parent, visit.is_left});
      continue;
    }
    const auto id = static_cast<std::int64_t>(tree.size());
    if (visit.parent >= 0)
      (visit.is_left ? tree.children_left : tree.children_right)[visit.parent] = id;
    const bool is_leaf = node.left < 0;
    tree.children_left.push_back(Tree::no_child);
    tree.children_right.push_back(Tree::no_child);
    tree.feature.push_back(is_leaf ? Tree::no_feature : node.column);
    tree.threshold.push_back(is_leaf ? -2 : node.threshold);
    tree.gain.push_back(is_leaf ? std::numeric_limits<double>::quiet_NaN() : node.gain);
    tree.missing_go_to_left.push_back(!is_leaf && node.missing_left);
    tree.n_node_samples.push_back(node.n_rows);

    const double* sums = fragment.sums.data() + static_cast<std::size_t>(visit.node) * n_classes;
    double weight = 0, impurity_sum = 0;
    const std::size_t first_value = tree.value.size();
    tree.value.resize(first_value + n_values);
    for (int o = 0; o < tree.n_outputs; ++o) {
      const int n = target.n_classes[o];
      double* share =
          tree.value.data() + first_value + static_cast<std::size_t>(o) * tree.max_classes;
      weight = std::accumulate(sums, sums + n, 0.0);
      for (int k = 0; k < n; ++k) share[k] = sums[k] / weight;
      impurity_sum += impurity_of(impurity, share, n);
      if (node.lower > 0 || node.upper < 1) {  // two classes, and monotonic splits above
        share[1] = std::clamp(share[1], node.lower, node.upper);
        share[0] = 1 - share[1];
      }
      sums += n;
    }
    tree.weighted_n_node_samples.push_back(weight * target.unit);
    tree.impurity.push_back(impurity_sum / tree.n_outputs);
    if (is_leaf) continue;
    stack.push_back({visit.fragment, node.right, id, false});
    stack.push_back({visit.fragment, node.left, id, true});
  }
  return tree;
}

}  // namespace ramify

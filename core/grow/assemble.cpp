// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

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

/// Adds the candidates of one node to the tree's ledger.
void write(Ledger& ledger, std::int64_t node, const std::vector<Recorded>& candidates) {
  for (const auto& [split, also] : candidates) {
    ledger.node.push_back(node);
    ledger.feature.push_back(split.column);
    ledger.threshold.push_back(split.threshold);
    ledger.score.push_back(split.score);
    ledger.missing_left.push_back(split.missing_left);
    ledger.chosen.push_back(split.is_chosen);
    for (std::size_t i = 0; i < split.codes.size(); ++i)
      if (split.branches[i] == 0) ledger.left_codes.push_back(split.codes[i]);
    ledger.left_begin.push_back(static_cast<std::int64_t>(ledger.left_codes.size()));
    ledger.also.insert(ledger.also.end(), also.begin(), also.end());
  }
}

}  // namespace

Tree assemble(const std::vector<Fragment>& fragments, const Target& target, Impurities impurity) {
  Tree tree;
  tree.n_outputs = target.n_outputs();
  tree.max_classes = *std::ranges::max_element(target.n_classes);
  std::size_t n_nodes = 0;
  for (const Fragment& fragment : fragments) n_nodes += fragment.nodes.size();
  for (auto* column : {&tree.children_left, &tree.children_right, &tree.next_sibling, &tree.feature,
                       &tree.n_node_samples, &tree.missing_branch, &tree.default_branch,
                       &tree.split_begin, &tree.term_begin})
    column->reserve(n_nodes + 1);
  for (auto* column : {&tree.threshold, &tree.impurity, &tree.weighted_n_node_samples, &tree.gain})
    column->reserve(n_nodes);
  const auto n_values = static_cast<std::size_t>(tree.n_outputs) * tree.max_classes;
  tree.value.reserve(n_nodes * n_values);
  tree.kind.reserve(n_nodes);
  tree.optimal.reserve(n_nodes);
  const std::size_t n_classes = target.n_all_classes() + (target.is_numeric() ? 2 : 0);

  struct Visit {
    int fragment, node;
    std::int64_t parent;
  };
  std::vector<std::unordered_map<int, const std::vector<Recorded>*>> recorded(fragments.size());
  for (std::size_t i = 0; i < fragments.size(); ++i)
    for (const auto& entry : fragments[i].ledger) recorded[i][entry.place] = &entry.candidates;
  std::vector<Visit> stack{{0, 0, -1}};
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    const Fragment& fragment = fragments[visit.fragment];
    const Fragment::Grown& node = fragment.nodes[visit.node];
    if (node.continued_in >= 0) {
      stack.push_back({node.continued_in, 0, visit.parent});
      continue;
    }
    const auto id = static_cast<std::int64_t>(tree.size());
    if (visit.parent >= 0) {  // children come in order, the first before all others
      const auto parent = static_cast<std::size_t>(visit.parent);
      if (tree.children_left[parent] == Tree::no_child)
        tree.children_left[parent] = id;
      else
        tree.next_sibling[static_cast<std::size_t>(tree.children_right[parent])] = id;
      tree.children_right[parent] = id;
    }
    const auto& notes = recorded[static_cast<std::size_t>(visit.fragment)];
    if (const auto found = notes.find(visit.node); found != notes.end())
      write(tree.ledger, id, *found->second);
    const bool is_leaf = node.n_children == 0;
    tree.children_left.push_back(Tree::no_child);
    tree.children_right.push_back(Tree::no_child);
    tree.next_sibling.push_back(Tree::no_child);
    tree.feature.push_back(is_leaf ? Tree::no_feature : node.column);
    tree.threshold.push_back(is_leaf ? -2 : node.threshold);
    tree.gain.push_back(is_leaf ? std::numeric_limits<double>::quiet_NaN() : node.gain);
    tree.kind.push_back(static_cast<std::uint8_t>(node.kind));
    tree.optimal.push_back(!is_leaf && node.is_optimal);
    tree.missing_branch.push_back(node.missing_branch);
    tree.default_branch.push_back(node.default_branch);
    for (std::size_t i = node.list_begin; i < node.list_end; ++i) {
      tree.split_value.push_back(fragment.listed[i]);
      tree.split_branch.push_back(fragment.branches[i]);
    }
    tree.split_begin.push_back(static_cast<std::int64_t>(tree.split_value.size()));
    for (std::size_t i = node.term_begin; i < node.term_end; ++i) {
      const Term& term = fragment.terms[i];
      tree.term_column.push_back(term.column);
      tree.term_category.push_back(term.category);
      tree.term_weight.push_back(term.weight);
      tree.term_fill.push_back(term.fill);
      tree.term_share.push_back(term.share);
    }
    tree.term_begin.push_back(static_cast<std::int64_t>(tree.term_column.size()));
    tree.n_node_samples.push_back(node.n_rows);

    const double* sums = fragment.sums.data() + static_cast<std::size_t>(visit.node) * n_classes;
    double weight = 0, impurity_sum = 0;
    const std::size_t first_value = tree.value.size();
    tree.value.resize(first_value + n_values);
    if (target.is_numeric()) {
      for (int o = 0; o < tree.n_outputs; ++o)
        tree.value[first_value + static_cast<std::size_t>(o)] =
            std::clamp(sums[o], node.lower, node.upper);
      impurity_sum = sums[tree.n_outputs] * tree.n_outputs;
      weight = sums[tree.n_outputs + 1];
    }
    for (int o = 0; o < tree.n_outputs && !target.is_numeric(); ++o) {
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
    tree.weighted_n_node_samples.push_back(weight * fragment.unit);
    tree.impurity.push_back(impurity_sum / tree.n_outputs);
    for (int i = node.n_children; i-- > 0;)
      stack.push_back({visit.fragment, node.first_child + i, id});
  }
  return tree;
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "grow/fragment.hpp"
#include "regression/loss_terms.hpp"

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

/// Writes one node after the other, in preorder.
class Writer {
 public:
  Writer(const Target& target, Impurities impurity, std::size_t n_nodes)
      : target_(target),
        impurity_(impurity),
        n_statistics_(target.n_all_classes() + (target.is_numeric() ? 2 : 0)) {
    tree_.n_outputs = target.n_outputs();
    tree_.max_classes = *std::ranges::max_element(target.n_classes);
    n_values_ = static_cast<std::size_t>(tree_.n_outputs) * tree_.max_classes;
    for (auto* column :
         {&tree_.children_left, &tree_.children_right, &tree_.next_sibling, &tree_.feature,
          &tree_.n_node_samples, &tree_.missing_branch, &tree_.default_branch})
      column->resize(n_nodes);
    for (auto* begin : {&tree_.split_begin, &tree_.term_begin}) begin->resize(n_nodes + 1);
    for (auto* column :
         {&tree_.threshold, &tree_.impurity, &tree_.weighted_n_node_samples, &tree_.gain})
      column->resize(n_nodes);
    tree_.value.resize(n_nodes * n_values_);
    tree_.kind.resize(n_nodes);
    tree_.optimal.resize(n_nodes);
  }

  /// Returns the index of the node.
  std::int64_t add(const Fragment& fragment, int place, std::int64_t parent) {
    const Fragment::Grown& node = fragment.nodes[place];
    const std::size_t id = n_++;
    if (parent >= 0) link(static_cast<std::size_t>(parent), static_cast<std::int64_t>(id));
    add_split(id, fragment, node);
    add_lists(id, fragment, node);
    tree_.n_node_samples[id] = static_cast<std::int64_t>(node.n_rows);
    const double* statistics = fragment.sums.data() + place * n_statistics_;
    add_value(id, node, statistics, fragment.unit);
    return static_cast<std::int64_t>(id);
  }
  void add_ledger(std::int64_t node, const std::vector<Recorded>& candidates) {
    write(tree_.ledger, node, candidates);
  }
  Tree take() { return std::move(tree_); }

 private:
  /// Children come in order, the first before all others.
  void link(std::size_t parent, std::int64_t id) {
    if (tree_.children_left[parent] == Tree::no_child)
      tree_.children_left[parent] = id;
    else
      tree_.next_sibling[tree_.children_right[parent]] = id;
    tree_.children_right[parent] = id;
  }

  void add_split(std::size_t id, const Fragment& fragment, const Fragment::Grown& node) {
    const bool is_leaf = node.n_children == 0;
    tree_.children_left[id] = tree_.children_right[id] = tree_.next_sibling[id] = Tree::no_child;
    tree_.feature[id] = is_leaf ? Tree::no_feature : node.column;
    tree_.threshold[id] = is_leaf ? -2 : node.threshold;
    tree_.gain[id] = is_leaf ? std::numeric_limits<double>::quiet_NaN() : node.gain;
    tree_.kind[id] = static_cast<std::uint8_t>(node.kind);
    tree_.optimal[id] = !is_leaf && node.is_optimal;
    tree_.missing_branch[id] = node.missing_branch;
    tree_.default_branch[id] = node.default_branch;
    if (node.list_begin == node.list_end) return;
    const auto append = [&](auto& to, const auto& from) {
      to.insert(to.end(), from.begin() + node.list_begin, from.begin() + node.list_end);
    };
    append(tree_.split_value, fragment.listed);
    append(tree_.split_branch, fragment.branches);
  }

  void add_lists(std::size_t id, const Fragment& fragment, const Fragment::Grown& node) {
    tree_.split_begin[id + 1] = static_cast<std::int64_t>(tree_.split_value.size());
    for (std::size_t i = node.term_begin; i < node.term_end; ++i) {
      const Term& term = fragment.terms[i];
      tree_.term_column.push_back(term.column);
      tree_.term_category.push_back(term.category);
      tree_.term_weight.push_back(term.weight);
      tree_.term_fill.push_back(term.fill);
      tree_.term_share.push_back(term.share);
    }
    tree_.term_begin[id + 1] = static_cast<std::int64_t>(tree_.term_column.size());
  }

  /// What a node predicts, its weight and impurity, from its statistics.
  void add_value(std::size_t id, const Fragment::Grown& node, const double* sums, double unit) {
    double weight = 0, impurity_sum = 0;
    double* value = tree_.value.data() + id * n_values_;
    if (target_.is_numeric()) {
      for (int o = 0; o < tree_.n_outputs; ++o)
        value[o] = std::clamp(sums[o], node.lower, node.upper);
      impurity_sum = sums[tree_.n_outputs] * tree_.n_outputs;
      weight = sums[tree_.n_outputs + 1];
    }
    for (int o = 0; o < tree_.n_outputs && !target_.is_numeric(); ++o) {
      const int n = target_.n_classes[o];
      double* share = value + static_cast<std::size_t>(o) * tree_.max_classes;
      weight = std::accumulate(sums, sums + n, 0.0);
      bool is_pure = false;
      for (int k = 0; k < n; ++k) {
        share[k] = sums[k] / weight;
        is_pure |= sums[k] == weight;
      }
      if (!is_pure) impurity_sum += impurity_of(impurity_, share, n);  // else 0 by any measure
      if (node.lower > 0 || node.upper < 1) {  // two classes, and monotonic splits above
        share[1] = std::clamp(share[1], node.lower, node.upper);
        share[0] = 1 - share[1];
      }
      sums += n;
    }
    tree_.weighted_n_node_samples[id] = weight * unit;
    tree_.impurity[id] = impurity_sum / tree_.n_outputs;
  }

  const Target& target_;
  Impurities impurity_;
  std::size_t n_statistics_, n_values_ = 0, n_ = 0;
  Tree tree_;
};

/// Draws Poisson rates towards that of the root, as far as a gamma prior of this coefficient of
/// variation does. The impurity becomes the deviance from what is predicted.
void shrink_rates(Tree& tree, double shrink) {
  const auto n_outputs = static_cast<std::size_t>(tree.n_outputs);
  const std::vector<double> overall(tree.value.begin(), tree.value.begin() + tree.n_outputs);
  for (std::size_t id = 0; id < tree.size(); ++id)
    for (std::size_t o = 0; o < n_outputs; ++o) {
      double& rate = tree.value[id * n_outputs + o];
      const double expected = tree.weighted_n_node_samples[id] * overall[o],
                   share = 1 / (1 + shrink * shrink * expected), own = rate;
      rate = share * overall[o] + (1 - share) * own;
      if (rate > 0)
        tree.impurity[id] += rate * poisson_deviance((own - rate) / rate) / tree.n_outputs;
    }
}

}  // namespace

Tree assemble(const std::vector<Fragment>& fragments, const Target& target, const Plan& plan) {
  std::size_t n_nodes = 0;
  for (const Fragment& fragment : fragments) n_nodes += fragment.nodes.size();
  if (fragments.size() > 1)  // the roots of the others are among them
    for (const Fragment& fragment : fragments)
      n_nodes -= static_cast<std::size_t>(std::ranges::count_if(
          fragment.nodes, [](const Fragment::Grown& node) { return node.continued_in >= 0; }));
  std::vector<std::unordered_map<int, const std::vector<Recorded>*>> recorded(fragments.size());
  for (std::size_t i = 0; i < fragments.size(); ++i)
    for (const auto& entry : fragments[i].ledger) recorded[i][entry.place] = &entry.candidates;
  struct Visit {
    int fragment, node;
    std::int64_t parent;
  };
  Writer writer(target, plan.impurity, n_nodes);
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
    const std::int64_t id = writer.add(fragment, visit.node, visit.parent);
    const auto& notes = recorded[visit.fragment];
    if (!notes.empty())
      if (const auto found = notes.find(visit.node); found != notes.end())
        writer.add_ledger(id, *found->second);
    for (int i = node.n_children; i-- > 0;)
      stack.push_back({visit.fragment, node.first_child + i, id});
  }
  Tree tree = writer.take();
  if (const double shrink = plan.criterion.shrink(); shrink > 0) shrink_rates(tree, shrink);
  return tree;
}

}  // namespace ramify

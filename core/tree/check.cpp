// SPDX-License-Identifier: BSD-3-Clause
#include "tree/check.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace ramify {
namespace {

/// Returns what is wrong with the list of categories or intervals of a node with `n_branches`
/// branches.
std::string wrong_list(const TreeView& tree, std::size_t node, std::int64_t n_branches) {
  const std::size_t begin = tree.split_begin[node], end = tree.split_begin[node + 1];
  const bool is_listed =
      tree.kind_of(node) == SplitKind::categories || tree.kind_of(node) == SplitKind::intervals;
  if (is_listed != (end > begin)) return is_listed ? "lists no values" : "lists values";
  std::vector<std::uint8_t> is_used(n_branches);
  for (std::size_t i = begin; i < end; ++i) {
    const double value = tree.split_value[i];
    const std::int64_t branch = tree.split_branch[i];
    if (branch < 0 || branch >= n_branches)
      return "lists branch " + std::to_string(branch) + " of " + std::to_string(n_branches);
    is_used[branch] = 1;
    if (std::isnan(value) || (i > begin && !(tree.split_value[i - 1] < value)))
      return "lists values that are not in ascending order";
    const bool is_code = value >= 0 && value == std::floor(value) &&
                         value <= std::numeric_limits<std::int32_t>::max();
    if (tree.kind_of(node) == SplitKind::categories && !is_code)
      return "lists " + std::to_string(value) + ", which is not a category";
  }
  if (tree.kind_of(node) == SplitKind::intervals &&
      tree.split_value[end - 1] != std::numeric_limits<double>::infinity())
    return "has values beyond its last interval";
  if (tree.missing_branch[node] >= 0) is_used[tree.missing_branch[node]] = 1;
  if (tree.kind_of(node) == SplitKind::categories)  // the categories that are not listed
    is_used[tree.default_branch[node]] = 1;
  for (std::size_t branch = 0; is_listed && branch < is_used.size(); ++branch)
    if (!is_used[branch]) return "has a branch that no row can reach";
  return "";
}

/// Returns what is wrong with the terms of a node.
std::string wrong_terms(const TreeView& tree, std::size_t node, std::int64_t n_features) {
  const std::size_t begin = tree.term_begin[node], end = tree.term_begin[node + 1];
  const bool is_hyperplane = tree.kind_of(node) == SplitKind::hyperplane;
  if (is_hyperplane != (end > begin)) return is_hyperplane ? "has no terms" : "has terms";
  if (is_hyperplane && !std::isfinite(tree.threshold[node]))
    return "has a threshold that is not finite";
  for (std::size_t i = begin; i < end; ++i) {
    const Term term = tree.term(i);
    if (term.column < 0 || term.column >= n_features)
      return "has a term of column " + std::to_string(term.column) + " of " +
             std::to_string(n_features);
    if (term.category < Term::number || term.category > std::numeric_limits<std::int32_t>::max())
      return "has a term of category " + std::to_string(term.category);
    if (!std::isfinite(term.weight) || !std::isfinite(term.fill) ||
        !(term.share >= 0 && term.share <= 1))
      return "has a term with an invalid weight, fill or share";
    if (i == begin) continue;
    const Term before = tree.term(i - 1);
    const bool ascends = before.column < term.column ||
                         (before.column == term.column && before.category != Term::number &&
                          before.category < term.category);
    if (!ascends) return "has terms that are not in ascending order";
  }
  return "";
}

/// Returns what is wrong if the ranges of the nodes do not follow each other in an array of `size`.
std::string wrong_begins(std::span<const std::int64_t> begin, std::size_t size,
                         const std::string& what) {
  if (begin.front() != 0 || begin.back() != static_cast<std::int64_t>(size))
    return "the " + what + " do not begin and end with the nodes";
  for (std::size_t i = 0; i + 1 < begin.size(); ++i)
    if (begin[i] > begin[i + 1])
      return "the " + what + " of node " + std::to_string(i) + " end before they begin";
  return "";
}

}  // namespace

std::string what_is_wrong(const TreeView& tree, std::int64_t n_features) {
  const auto n = static_cast<std::int64_t>(tree.size());
  if (n == 0) return "the tree has no node";
  for (const std::string& wrong :
       {wrong_begins(tree.split_begin, tree.split_value.size(), "lists of values"),
        wrong_begins(tree.term_begin, tree.term_column.size(), "terms")})
    if (!wrong.empty()) return wrong;
  std::vector<std::uint8_t> has_parent(tree.size());
  if (tree.next_sibling[0] >= 0) return "the root has a sibling";
  for (std::int64_t i = 0; i < n; ++i) {
    const std::string node = "node " + std::to_string(i);
    if (tree.kind[i] > static_cast<std::uint8_t>(SplitKind::hyperplane))
      return node + " has kind " + std::to_string(tree.kind[i]);
    const bool is_leaf = tree.children_left[i] < 0;
    if (is_leaf != (tree.children_right[i] < 0)) return node + " has a first child but no last";
    if (is_leaf) {
      if (tree.kind_of(i) != SplitKind::threshold ||
          tree.split_begin[i] < tree.split_begin[i + 1] ||
          tree.term_begin[i] < tree.term_begin[i + 1])
        return node + " is a leaf that splits";
      continue;
    }
    // A child comes after its parent and its earlier siblings, so there can be no cycle.
    std::int64_t n_children = 0, last = i;
    for (std::int64_t child = tree.children_left[i]; child >= 0; child = tree.next_sibling[child]) {
      if (child <= last || child >= n || (n_children == 0 && child != i + 1))
        return node + " has the child " + std::to_string(child);
      if (has_parent[child]) return node + " shares a child with another node";
      has_parent[child] = 1;
      last = child;
      ++n_children;
    }
    if (n_children < 2 || last != tree.children_right[i])
      return node + " has " + std::to_string(n_children) + " children up to " +
             std::to_string(last);
    const bool is_listed =
        tree.kind_of(i) == SplitKind::categories || tree.kind_of(i) == SplitKind::intervals;
    if (!is_listed && n_children != 2)
      return node + " has a threshold and " + std::to_string(n_children) + " children";
    if (tree.feature[i] < 0 || tree.feature[i] >= n_features)
      return node + " splits on column " + std::to_string(tree.feature[i]) + " of " +
             std::to_string(n_features);
    if (tree.missing_branch[i] < Tree::every_branch || tree.missing_branch[i] >= n_children ||
        tree.default_branch[i] < 0 || tree.default_branch[i] >= n_children)
      return node + " sends rows to a branch that does not exist";
    for (const std::string& wrong :
         {wrong_list(tree, i, n_children), wrong_terms(tree, i, n_features)})
      if (!wrong.empty()) return node + " " + wrong;
  }
  for (std::int64_t i = 1; i < n; ++i)
    if (!has_parent[i]) return "node " + std::to_string(i) + " has no parent";
  return "";
}

}  // namespace ramify

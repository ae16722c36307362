// SPDX-License-Identifier: BSD-3-Clause
#include "tree/weakest_link.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ramify {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// The collapses below each node, the last on top: leftist heaps over one array, one entry per
/// node. Merging follows right spines, which are short, so recursion is not needed.
class Collapses {
 public:
  explicit Collapses(std::size_t n) : entries_(n) {}
  static constexpr std::int32_t none = -1;

  double alpha(std::int32_t top) const { return entries_[at(top)].alpha; }
  double risk_added(std::int32_t top) const { return entries_[at(top)].risk_added; }
  std::int64_t leaves_lost(std::int32_t top) const { return entries_[at(top)].leaves_lost; }

  std::int32_t single(std::size_t node, double alpha, double risk_added, std::int64_t lost) {
    entries_[node] = {alpha, risk_added, lost, none, none, 1};
    return static_cast<std::int32_t>(node);
  }
  std::int32_t without_top(std::int32_t top) {
    return merged(entries_[at(top)].left, entries_[at(top)].right);
  }
  std::int32_t merged(std::int32_t a, std::int32_t b) {
    spine_.clear();
    while (a != none && b != none) {
      if (entries_[at(a)].alpha < entries_[at(b)].alpha) std::swap(a, b);
      spine_.push_back(a);
      a = entries_[at(a)].right;
    }
    std::int32_t heap = a == none ? b : a;
    for (std::size_t i = spine_.size(); i-- > 0;) {
      Entry& entry = entries_[at(spine_[i])];
      entry.right = heap;
      if (rank(entry.left) < rank(entry.right)) std::swap(entry.left, entry.right);
      entry.rank = rank(entry.right) + 1;
      heap = spine_[i];
    }
    return heap;
  }

 private:
  struct Entry {
    double alpha, risk_added;
    std::int64_t leaves_lost;
    std::int32_t left, right, rank;
  };
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  std::int32_t rank(std::int32_t i) const { return i == none ? 0 : entries_[at(i)].rank; }

  std::vector<Entry> entries_;
  std::vector<std::int32_t> spine_;
};

}  // namespace

std::vector<double> weakest_links(const TreeView& tree, std::span<const double> risk) {
  const std::size_t n = tree.size();
  std::vector<double> alpha(n, never), below(risk.begin(), risk.end());
  std::vector<std::int64_t> n_leaves(n);
  std::vector<std::int32_t> heap(n, Collapses::none);
  Collapses collapses(n);
  // First computes the subtree after all collapses below; then undoes, latest first, the collapses
  // that would come after the node's own. The cost of a subtree minus that of the leaf rises with
  // alpha, so the first that fits is right; and the undone collapses disappear with the node and
  // are never needed again.
  for (std::size_t t = n; t-- > 0;) {
    if (tree.children_left[t] < 0) {
      n_leaves[t] = tree.weight[t] > 0;
      continue;
    }
    double r = 0;
    std::int64_t leaves = 0;
    std::int32_t top = Collapses::none;
    tree.each_child(t, [&](std::size_t child, std::int64_t) {
      r += below[child];
      leaves += n_leaves[child];
      top = collapses.merged(top, heap[child]);
    });
    const auto link = [&] {
      return leaves > 1 ? (risk[t] - r) / static_cast<double>(leaves - 1) : 0;
    };
    double own = link();
    while (top != Collapses::none && own < collapses.alpha(top)) {
      r -= collapses.risk_added(top);
      leaves += collapses.leaves_lost(top);
      top = collapses.without_top(top);
      own = link();
    }
    alpha[t] = std::max(own, 0.0);
    if (top != Collapses::none) alpha[t] = std::max(alpha[t], collapses.alpha(top));
    const std::int64_t lost = std::max<std::int64_t>(leaves - 1, 0);
    heap[t] = collapses.merged(top, collapses.single(t, alpha[t], risk[t] - r, lost));
    below[t] = risk[t];
    n_leaves[t] = leaves - lost;
  }
  for (std::size_t t = 0; t < n; ++t)  // a node disappears when its parent collapses
    if (tree.children_left[t] >= 0)
      tree.each_child(t, [&](std::size_t child, std::int64_t) {
        if (tree.children_left[child] >= 0) alpha[child] = std::min(alpha[child], alpha[t]);
      });
  return alpha;
}

}  // namespace ramify

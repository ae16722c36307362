// SPDX-License-Identifier: BSD-3-Clause
#include "explain/shap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace ramify {

ShapTree::ShapTree(const TreeView& view, std::span<const double> values, std::size_t n)
    : tree(view),
      value(values),
      n_values(n),
      parent(view.size()),
      depth(view.size()),
      share(view.size(), 1.0),
      above(view.size()),
      column(view.size()),
      outside(view.size(), 1.0) {
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (is_leaf(node)) continue;
    has_planes = has_planes || tree.kind_of(node) == SplitKind::hyperplane;
    is_fractional = is_fractional || tree.missing_branch[node] == every_branch;
    if (tree.kind_of(node) == SplitKind::hyperplane)
      for (auto i = static_cast<std::size_t>(tree.term_begin[node]);
           i < static_cast<std::size_t>(tree.term_begin[node + 1]); ++i)
        used.push_back(static_cast<std::uint32_t>(tree.term_column[i]));
    else
      used.push_back(static_cast<std::uint32_t>(tree.feature[node]));
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<std::uint32_t> n_different(tree.size());
  // The edges above are found on the way down: `last` holds those of the path to a node.
  struct Undo {
    std::size_t column, edge;
  };
  std::vector<std::size_t> last(used.size(), 0);
  std::vector<Undo> undo(tree.size());
  std::vector<std::size_t> path;  // nodes above
  std::vector<std::size_t> waiting{0}, children;
  while (!waiting.empty()) {
    const std::size_t node = waiting.back();
    waiting.pop_back();
    order.push_back(static_cast<std::uint32_t>(node));
    if (node > 0) {
      while (path.size() > depth[node] - 1) {
        last[undo[path.back()].column] = undo[path.back()].edge;
        path.pop_back();
      }
      const std::size_t place = column[node];
      above[node] = static_cast<std::uint32_t>(last[place]);
      outside[node] = share[node] * outside[above[node]];
      n_different[node] = n_different[parent[node]] + (above[node] == 0);
      undo[node] = {place, last[place]};
      last[place] = node;
      path.push_back(node);
    }
    max_depth = std::max<std::size_t>(max_depth, depth[node]);
    n_on_path = std::max<std::size_t>(n_on_path, n_different[node]);
    if (is_leaf(node)) continue;
    double total = 0;
    children.clear();
    tree.each_child(node, [&](std::size_t child, std::int64_t) {
      total += tree.weight[child];
      children.push_back(child);
    });
    waiting.insert(waiting.end(), children.rbegin(), children.rend());
    const auto place = static_cast<std::uint32_t>(
        std::lower_bound(used.begin(), used.end(), tree.feature[node]) - used.begin());
    for (const std::size_t child : children) {
      parent[child] = static_cast<std::uint32_t>(node);
      depth[child] = depth[node] + 1;
      share[child] =
          total > 0 ? tree.weight[child] / total : 1 / static_cast<double>(children.size());
      column[child] = place;
    }
  }
}

Quadrature::Quadrature(std::size_t n) : point(n), weight(n) {
  for (std::size_t i = 0; i < n; ++i) {  // Newton's method on the Legendre polynomial, from cosines
    const auto size = static_cast<double>(n);
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (size + 0.5)),
           slope = 1;
    for (int round = 0; round < 100; ++round) {
      double before = 1, now = x;
      for (std::size_t k = 2; k <= n; ++k) {
        const auto degree = static_cast<double>(k);
        const double next = ((2 * degree - 1) * x * now - (degree - 1) * before) / degree;
        before = now;
        now = next;
      }
      slope = size * (x * now - before) / (x * x - 1);
      const double step = now / slope;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    point[i] = (1 - x) / 2;
    weight[i] = 1 / ((1 - x * x) * slope * slope);
  }
}

std::vector<double> shap_expectation(const ShapTree& tree) {
  std::vector<double> reach(tree.tree.size(), 1.0), sum(tree.n_values);
  for (const std::size_t node : tree.order) {
    if (node > 0) reach[node] = reach[tree.parent[node]] * tree.share[node];
    if (!tree.is_leaf(node)) continue;
    for (std::size_t k = 0; k < tree.n_values; ++k) sum[k] += reach[node] * tree.value_of(node)[k];
  }
  return sum;
}

void add_marginal(const ShapTree& tree, const double* x, std::span<const std::uint8_t> takes_part,
                  double* sum) {
  std::vector<std::pair<std::size_t, double>> waiting{{0, 1.0}};
  while (!waiting.empty()) {
    const auto [node, weight] = waiting.back();
    waiting.pop_back();
    if (tree.is_leaf(node)) {
      for (std::size_t k = 0; k < tree.n_values; ++k) sum[k] += weight * tree.value_of(node)[k];
      continue;
    }
    const auto column = static_cast<std::size_t>(tree.tree.feature[node]);
    const std::int64_t goes =
        takes_part[column] ? tree.branch(node, x[column]) : ShapTree::every_branch;
    tree.tree.each_child(node, [&](std::size_t child, std::int64_t number) {
      if (goes == ShapTree::every_branch && tree.share[child] > 0)
        waiting.emplace_back(child, weight * tree.share[child]);
      else if (goes == number)
        waiting.emplace_back(child, weight);
    });
  }
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "tree/route.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ramify {

std::int64_t branch_of_value(const TreeView& tree, std::size_t node, double x) {
  const SplitKind kind = tree.kind_of(node);
  if (std::isnan(x)) return tree.missing_branch[node];
  if (kind == SplitKind::threshold) return x > tree.threshold[node];
  const double* begin = tree.split_value.data() + tree.split_begin[node];
  const double* end = tree.split_value.data() + tree.split_begin[node + 1];
  const double* found = std::lower_bound(begin, end, x);
  if (kind == SplitKind::categories && (found == end || *found != x))
    return tree.default_branch[node];
  return tree.split_branch[found - tree.split_value.data()];
}

std::vector<std::vector<std::size_t>> children_of(const TreeView& tree) {
  std::vector<std::vector<std::size_t>> children(tree.size());
  for (std::size_t t = 0; t < tree.size(); ++t)
    tree.each_child(t, [&](std::size_t child, std::int64_t) { children[t].push_back(child); });
  return children;
}

namespace {

/// Calls visit(row, node, share) for every node that every row passes.
template <class Visit>
void each_arrival(const TreeView& tree, const RowMatrix& X, Visit visit) {
  const auto children = children_of(tree);
  std::vector<double> share(tree.size(), 1);
  for (const auto& branches : children) {
    double weight = 0;
    for (const std::size_t child : branches) weight += tree.weight[child];
    for (const std::size_t child : branches)
      share[child] = weight > 0 ? tree.weight[child] / weight : 1.0 / double(branches.size());
  }
  std::vector<std::pair<std::size_t, double>> on_the_way;
  for (std::size_t row = 0; row < X.n_rows; ++row) {
    on_the_way.assign(1, {0, 1.0});
    while (!on_the_way.empty()) {
      auto [t, part] = on_the_way.back();
      on_the_way.pop_back();
      visit(row, t, part);
      while (!children[t].empty()) {
        const std::int64_t branch = branch_of(tree, t, X.row(row));
        if (branch == Tree::every_branch) {
          for (const std::size_t child : children[t])
            on_the_way.emplace_back(child, part * share[child]);
          break;
        }
        t = children[t][branch];
        visit(row, t, part);
      }
    }
  }
}

}  // namespace

std::vector<double> sums_by_node(const TreeView& tree, const RowMatrix& X,
                                 std::span<const double> carried, std::size_t n_items) {
  std::vector<double> sums(tree.size() * n_items);
  each_arrival(tree, X, [&](std::size_t row, std::size_t t, double share) {
    for (std::size_t k = 0; k < n_items; ++k)
      sums[t * n_items + k] += share * carried[row * n_items + k];
  });
  return sums;
}

TestedValues tested_values(const TreeView& tree, const RowMatrix& X) {
  const std::size_t n = tree.size();
  TestedValues found{std::vector<std::int64_t>(n), std::vector<std::int64_t>(n)};
  const auto children = children_of(tree);
  using Rows = std::vector<std::uint32_t>;
  Rows all(X.n_rows);
  for (std::size_t i = 0; i < X.n_rows; ++i) all[i] = static_cast<std::uint32_t>(i);
  std::vector<std::pair<std::size_t, Rows>> on_the_way;
  on_the_way.emplace_back(0, std::move(all));
  std::vector<double> values;
  while (!on_the_way.empty()) {
    const auto [t, rows] = std::move(on_the_way.back());
    on_the_way.pop_back();
    if (children[t].empty()) continue;
    values.clear();
    std::vector<Rows> parts(children[t].size());
    for (const std::uint32_t row : rows) {
      const double x = X.row(row)[tree.feature[t]];
      if (!std::isnan(x)) values.push_back(x);
      const std::int64_t branch = branch_of(tree, t, X.row(row));
      if (branch != Tree::every_branch) {
        parts[branch].push_back(row);
      } else {
        for (Rows& part : parts) part.push_back(row);
      }
    }
    found.n_missing[t] = static_cast<std::int64_t>(rows.size() - values.size());
    std::sort(values.begin(), values.end());
    found.n_distinct[t] = std::unique(values.begin(), values.end()) - values.begin();
    for (std::size_t b = 0; b < parts.size(); ++b)
      on_the_way.emplace_back(children[t][b], std::move(parts[b]));
  }
  return found;
}

}  // namespace ramify

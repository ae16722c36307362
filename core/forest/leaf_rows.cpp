// SPDX-License-Identifier: BSD-3-Clause
#include "forest/leaf_rows.hpp"

#include <algorithm>
#include <utility>

namespace ramify {
namespace {

struct Placed {
  std::uint32_t node, row;
  double times;
};

/// The node of each row that counts; several where it goes down every branch.
std::vector<Placed> place_rows(const Predictor& predictor, std::size_t tree, const RawMatrix& X,
                               bool has_missing, std::span<const double> times,
                               std::span<const std::uint32_t> order) {
  const std::span<const std::uint32_t> node_of = predictor.leaf_nodes(tree);
  std::vector<Placed> placed;
  if (has_missing && predictor.is_fractional(tree)) {
    for (const std::uint32_t row : order)
      if (times[row] > 0)
        for (const auto [leaf, share] : predictor.reached(tree, X, row))
          placed.push_back({node_of[leaf], row, times[row] * share});
    return placed;
  }
  std::vector<std::uint32_t> leaves(X.n_rows);
  predictor.find_leaves(tree, X, has_missing, leaves.data());
  for (const std::uint32_t row : order)
    if (times[row] > 0) placed.push_back({node_of[leaves[row]], row, times[row]});
  return placed;
}

}  // namespace

MadeLeafRows list_leaf_rows(const Predictor& predictor, std::size_t tree, const RawMatrix& X,
                            bool has_missing, std::span<const double> times,
                            std::span<const std::uint32_t> order,
                            std::span<const std::int64_t> parent) {
  const std::size_t n_nodes = predictor.n_nodes(tree);
  std::vector<Placed> placed = place_rows(predictor, tree, X, has_missing, times, order);
  std::vector<std::uint8_t> is_reached(n_nodes);
  for (const Placed& one : placed) is_reached[one.node] = 1;
  // Leaves without rows: those of the nearest node above. Parents stand before their children, so
  // whether a node has rows below it is known from the end.
  std::vector<std::uint8_t> has_below = is_reached;
  for (std::size_t node = n_nodes; node-- > 1;)
    if (has_below[node]) has_below[parent[node]] = 1;
  const std::size_t n_placed = placed.size();
  for (const std::uint32_t leaf : predictor.leaf_nodes(tree)) {
    if (is_reached[leaf]) continue;
    std::size_t above = leaf;
    while (above != 0 && !has_below[above]) above = static_cast<std::size_t>(parent[above]);
    for (std::size_t i = 0; i < n_placed; ++i) {
      std::size_t node = placed[i].node;
      while (node > above) node = static_cast<std::size_t>(parent[node]);
      if (node == above) placed.push_back({leaf, placed[i].row, placed[i].times});
    }
  }
  MadeLeafRows made;
  made.begin.assign(n_nodes + 1, 0);
  for (const Placed& one : placed) ++made.begin[one.node + 1];
  for (std::size_t node = 0; node < n_nodes; ++node) made.begin[node + 1] += made.begin[node];
  std::vector<std::uint32_t> next(made.begin.begin(), made.begin.end() - 1);
  made.row.resize(placed.size());
  made.times.resize(placed.size());
  for (const Placed& one : placed) {
    const std::uint32_t at = next[one.node]++;
    made.row[at] = one.row;
    made.times[at] = one.times;
  }
  return made;
}

void ForestRows::take(std::size_t tree, std::size_t leaf, double share,
                      std::vector<Entry>& entries) const {
  const LeafRows& rows = rows_[tree];
  const std::uint32_t node = predictor_.leaf_nodes(tree)[leaf];
  double total = 0;
  for (std::uint32_t i = rows.begin[node]; i < rows.begin[node + 1]; ++i) total += rows.times_at(i);
  for (std::uint32_t i = rows.begin[node]; i < rows.begin[node + 1]; ++i)
    entries.push_back({rows.row[i], share * rows.times_at(i) / total});
}

void ForestRows::each_row(const RawMatrix& X, bool has_missing, std::span<const std::uint8_t> skip,
                          int n_threads, Stop& stop, const Tell& tell) const {
  constexpr std::int64_t together = 128;
  const int n_workers = std::max(1, n_threads);
  std::vector<RowBlock> blocks(n_workers);
  std::vector<std::vector<std::uint32_t>> found(n_workers);
  std::vector<std::vector<Entry>> listed(n_workers);
  each_block(X.n_rows, together, n_threads, stop,
             [&](std::int64_t first, std::int64_t last, int worker) {
               const RawMatrix rows = blocks[worker].rows(X, first, last);
               const auto n = static_cast<std::size_t>(rows.n_rows);
               std::vector<std::uint32_t>& leaves = found[worker];
               leaves.resize(n * n_trees());
               for (std::size_t t = 0; t < n_trees() && !stop.is_wanted(worker); ++t)
                 predictor_.find_leaves(t, rows, has_missing, leaves.data() + t * n);
               std::vector<Entry>& entries = listed[worker];
               for (std::size_t row = 0; row < n && !stop.is_wanted(worker); ++row) {
                 entries.clear();
                 const std::size_t own = static_cast<std::size_t>(first) + row;
                 std::size_t n_used = 0;
                 for (std::size_t t = 0; t < n_trees(); ++t) {
                   if (!skip.empty() && skip[t * static_cast<std::size_t>(X.n_rows) + own])
                     continue;
                   ++n_used;
                   if (has_missing && predictor_.is_fractional(t)) {
                     const auto at = static_cast<std::int64_t>(row);
                     for (const auto [leaf, share] : predictor_.reached(t, rows, at))
                       take(t, leaf, share, entries);
                   } else {
                     take(t, leaves[t * n + row], 1, entries);
                   }
                 }
                 tell(own, entries, static_cast<double>(n_used), worker);
               }
             });
}

}  // namespace ramify

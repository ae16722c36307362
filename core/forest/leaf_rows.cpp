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

void ForestRows::take(std::size_t tree, std::size_t leaf, double share, Entry*& next) const {
  const LeafRows& rows = rows_[tree];
  const std::uint32_t node = predictor_.leaf_nodes(tree)[leaf];
  const std::uint32_t begin = rows.begin[node], end = rows.begin[node + 1];
  const auto take_as = [&](const auto* times) {
    double total = 0;
    for (std::uint32_t i = begin; i < end; ++i) total += static_cast<double>(times[i]);
    const double each = share / total;
    for (std::uint32_t i = begin; i < end; ++i)
      *next++ = {rows.row[i], each * static_cast<double>(times[i])};
  };
  if (rows.kind == LeafRows::Times::bytes)
    take_as(static_cast<const std::uint8_t*>(rows.times));
  else if (rows.kind == LeafRows::Times::words)
    take_as(static_cast<const std::uint32_t*>(rows.times));
  else
    take_as(static_cast<const double*>(rows.times));
}

std::size_t ForestRows::n_rows_in(std::size_t tree, std::size_t leaf) const {
  const std::uint32_t node = predictor_.leaf_nodes(tree)[leaf];
  return rows_[tree].begin[node + 1] - rows_[tree].begin[node];
}

/// A block of rows on their way through all trees. Trees and lists are visited one after the other
/// for many rows, so that each is fetched into the cache once.
class ForestRows::Block {
 public:
  Block(const ForestRows& forest, const RawMatrix& X, std::size_t first, std::size_t n_all,
        bool has_missing, std::span<const std::uint8_t> skip, std::vector<std::uint32_t>& leaves)
      : forest_(forest),
        X_(X),
        first_(first),
        n_(static_cast<std::size_t>(X.n_rows)),
        n_all_(n_all),
        has_missing_(has_missing),
        skip_(skip),
        leaves_(leaves),
        n_entries_(n_),
        n_used_(n_) {}

  void walk(Stop& stop, int worker) {
    const Predictor& predictor = forest_.predictor_;
    leaves_.resize(n_ * forest_.n_trees());
    for (std::size_t t = 0; t < forest_.n_trees() && !stop.is_wanted(worker); ++t) {
      std::uint32_t* own = leaves_.data() + t * n_;
      predictor.find_leaves(t, X_, has_missing_, own);
      for (std::size_t row = 0; row < n_; ++row) {
        if (is_skipped(t, row)) continue;
        ++n_used_[row];
        if (is_parted(t))
          for (const auto [leaf, share] : reached(t, row))
            n_entries_[row] += forest_.n_rows_in(t, leaf);
        else
          n_entries_[row] += forest_.n_rows_in(t, own[row]);
      }
    }
  }

  /// Tells the entries of all rows, so many rows at a time that these fit into the cache.
  void tell(std::vector<Entry>& entries, const Tell& tell, Stop& stop, int worker) const {
    constexpr std::size_t most = std::size_t{1} << 16;
    std::vector<Entry*> next;
    for (std::size_t begin = 0; begin < n_ && !stop.is_wanted(worker);) {
      std::size_t end = begin, total = 0;
      while (end < n_ && (end == begin || total + n_entries_[end] <= most))
        total += n_entries_[end++];
      entries.resize(total);
      next.clear();
      for (std::size_t row = begin, at = 0; row < end; at += n_entries_[row++])
        next.push_back(entries.data() + at);
      for (std::size_t t = 0; t < forest_.n_trees(); ++t)
        for (std::size_t row = begin; row < end; ++row) {
          if (is_skipped(t, row)) continue;
          if (is_parted(t))
            for (const auto [leaf, share] : reached(t, row))
              forest_.take(t, leaf, share, next[row - begin]);
          else
            forest_.take(t, leaves_[t * n_ + row], 1, next[row - begin]);
        }
      for (std::size_t row = begin; row < end; ++row) {
        const std::span<const Entry> own{next[row - begin] - n_entries_[row], n_entries_[row]};
        tell(first_ + row, own, static_cast<double>(n_used_[row]), worker);
      }
      begin = end;
    }
  }

 private:
  bool is_skipped(std::size_t tree, std::size_t row) const {
    return !skip_.empty() && skip_[tree * n_all_ + first_ + row];
  }
  bool is_parted(std::size_t tree) const {
    return has_missing_ && forest_.predictor_.is_fractional(tree);
  }
  std::vector<Predictor::Reached> reached(std::size_t tree, std::size_t row) const {
    return forest_.predictor_.reached(tree, X_, static_cast<std::int64_t>(row));
  }

  const ForestRows& forest_;
  const RawMatrix& X_;
  std::size_t first_, n_, n_all_;
  bool has_missing_;
  std::span<const std::uint8_t> skip_;
  std::vector<std::uint32_t>& leaves_;  // [tree][row]
  std::vector<std::size_t> n_entries_, n_used_;
};

void ForestRows::each_row(const RawMatrix& X, bool has_missing, std::span<const std::uint8_t> skip,
                          int n_threads, Stop& stop, const Tell& tell) const {
  // Not more leaves at once than some megabytes.
  const auto most = static_cast<std::int64_t>((std::size_t{1} << 22) / n_trees() + 1);
  const std::int64_t together = std::min(predictor_.rows_together(), most);
  const int n_workers = std::max(1, n_threads);
  std::vector<RowBlock> blocks(n_workers);
  std::vector<std::vector<std::uint32_t>> leaves(n_workers);
  std::vector<std::vector<Entry>> entries(n_workers);
  each_block(X.n_rows, together, n_threads, stop,
             [&](std::int64_t first, std::int64_t last, int worker) {
               const RawMatrix rows = blocks[worker].rows(X, first, last);
               Block block(*this, rows, static_cast<std::size_t>(first),
                           static_cast<std::size_t>(X.n_rows), has_missing, skip, leaves[worker]);
               block.walk(stop, worker);
               if (!stop.is_wanted(worker)) block.tell(entries[worker], tell, stop, worker);
             });
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The game of pairs: a row x against a background row b, whose values replace those of columns
// outside the coalition.
#include <algorithm>
#include <cmath>

#include "explain/coalitions.hpp"
#include "explain/shap_row.hpp"
#include "util/parallel.hpp"

namespace ramify {
namespace {

constexpr std::uint32_t every_child = 0;  // no row goes to the root

/// Finds the child of each inner node that a row goes to; returns whether it goes to several
/// somewhere.
bool find_turns(const ShapTree& shap, const double* x, std::uint32_t* next) {
  bool is_split = false;
  for (const std::size_t node : shap.order) {
    if (shap.is_leaf(node)) continue;
    const std::int64_t branch = shap.branch(node, x[shap.tree.feature[node]]);
    const bool goes_everywhere = branch == ShapTree::every_branch;
    is_split = is_split || goes_everywhere;
    next[node] = goes_everywhere ? every_child
                                 : static_cast<std::uint32_t>(child_at(shap.tree, node, branch));
  }
  return is_split;
}

/// Walks a pair down together.
class PairWalk {
 public:
  explicit PairWalk(const ShapTree& shap)
      : shap_(shap), coalitions_(shap.used.size(), shap.n_on_path, shap.n_values) {}

  /// Adds to `values()`; interactions, if requested, directly to the sums.
  void explain(const std::uint32_t* x, const std::uint32_t* b, double factor, std::size_t row,
               const ShapSums& sums) {
    x_ = x, b_ = b;
    coalitions_.start(shap_.n_values, shap_.used, factor, row, sums);
    walk(0, coalitions_.result());
  }
  std::vector<double>& values() { return coalitions_.values(); }

 private:
  void walk(std::size_t node, double* result) {
    while (!shap_.is_leaf(node)) {
      const std::uint32_t to_x = x_[node], to_b = b_[node];
      const std::size_t column = shap_.column[to_x];
      const Coalitions::Side side = coalitions_.side(column);
      if (to_x != to_b && side == Coalitions::none)
        return coalitions_.part(
            column, result, [&](double* below) { walk(to_x, below); },
            [&](double* below) { walk(to_b, below); });
      node = side == Coalitions::of_b ? to_b : to_x;
    }
    coalitions_.reach(shap_.value_of(node), result);
  }

  const ShapTree& shap_;
  Coalitions coalitions_;
  const std::uint32_t *x_ = nullptr, *b_ = nullptr;
};

}  // namespace

void explain_pairs(const ShapTree& tree, const RowMatrix& X, const RowMatrix& others, double factor,
                   const ShapSums& sums, const ShapOptions& options) {
  if (tree.used.empty() || X.n_rows == 0) return;
  constexpr std::size_t max_turns = std::size_t{1} << 22, block = 16;
  const Quadrature rule = quadrature_for(tree);
  const std::size_t n_nodes = tree.tree.size();
  const std::size_t n_together = std::clamp<std::size_t>(max_turns / n_nodes, 1, others.n_rows);
  const auto n_blocks = static_cast<int>((X.n_rows + block - 1) / block);
  struct Worker {
    PairWalk walk;
    ShapRow any;
    std::vector<std::uint32_t> turns;
    std::vector<double> inside, outside;
  };
  Pool pool(std::max(1, std::min(options.n_threads, n_blocks)));
  std::vector<Worker> workers;
  for (int i = 0; i < pool.size(); ++i)
    workers.push_back(
        {PairWalk(tree), ShapRow(tree, rule), std::vector<std::uint32_t>(n_nodes), {}, {}});
  std::vector<std::uint32_t> theirs(n_together * n_nodes);  // [row][node]
  std::vector<std::uint8_t> are_split(n_together);
  for (std::size_t begin = 0; begin < others.n_rows; begin += n_together) {
    const std::size_t n = std::min(n_together, others.n_rows - begin);
    for (std::size_t i = 0; i < n; ++i)
      are_split[i] = find_turns(tree, others.row(begin + i), theirs.data() + i * n_nodes);
    pool.run(n_blocks, [&](int number, int worker) {
      Worker& mine = workers[worker];
      const std::size_t first = static_cast<std::size_t>(number) * block;
      for (std::size_t row = first; row < std::min(X.n_rows, first + block); ++row) {
        if (worker == 0) options.poll();
        const bool is_split = find_turns(tree, X.row(row), mine.turns.data());
        if (is_split) find_shares(tree, X.row(row), mine.inside);
        std::fill(mine.walk.values().begin(), mine.walk.values().end(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
          if (!is_split && !are_split[i]) {
            mine.walk.explain(mine.turns.data(), theirs.data() + i * n_nodes, factor, row, sums);
            continue;
          }
          if (!is_split) find_shares(tree, X.row(row), mine.inside);
          find_shares(tree, others.row(begin + i), mine.outside);
          mine.any.explain(mine.inside.data(), mine.outside.data(), factor, row, sums);
        }
        const double* found = mine.walk.values().data();
        for (const std::uint32_t column : tree.used) {
          double* sum = sums.of(row, column);
          for (std::size_t k = 0; k < tree.n_values; ++k) sum[k] += factor * *found++;
        }
      }
    });
  }
}

}  // namespace ramify

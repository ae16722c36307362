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

/// The children that rows go to, [row][inner node], and whether a row goes to several somewhere.
struct Turns {
  std::vector<std::uint32_t> next;
  std::vector<std::uint8_t> is_split;
};

class PairTree {
 public:
  explicit PairTree(const ShapTree& shap) : shap_(shap), number_(shap.tree.size()) {
    for (const std::size_t node : shap.order)
      if (!shap.is_leaf(node)) {
        number_[node] = static_cast<std::uint32_t>(n_inner_++);
        inner_.push_back(static_cast<std::uint32_t>(node));
      }
  }

  std::size_t n_inner() const { return n_inner_; }
  const ShapTree& shap() const { return shap_; }
  std::uint32_t next(const std::uint32_t* turns, std::size_t node) const {
    return turns[number_[node]];
  }

  bool find_turns(const double* x, std::uint32_t* next) const {
    bool is_split = false;
    for (std::size_t i = 0; i < n_inner_; ++i) {
      const std::size_t node = inner_[i];
      const std::int64_t branch = shap_.branch(node, x[shap_.tree.feature[node]]);
      const bool goes_everywhere = branch == ShapTree::every_branch;
      is_split = is_split || goes_everywhere;
      next[i] = goes_everywhere ? every_child
                                : static_cast<std::uint32_t>(child_at(shap_.tree, node, branch));
    }
    return is_split;
  }

 private:
  const ShapTree& shap_;
  std::vector<std::uint32_t> number_, inner_;  // index of a node among the inner ones, and back
  std::size_t n_inner_ = 0;
};

/// Walks a pair down together.
class PairWalk {
 public:
  explicit PairWalk(const PairTree& tree)
      : tree_(tree),
        coalitions_(tree.shap().used.size(), tree.shap().n_on_path, tree.shap().n_values) {}

  /// Adds to `values()`; interactions, if requested, directly to the sums.
  void explain(const std::uint32_t* x, const std::uint32_t* b, double factor, std::size_t row,
               const ShapSums& sums) {
    x_ = x, b_ = b;
    coalitions_.start(tree_.shap().n_values, tree_.shap().used, factor, row, sums);
    walk(0, coalitions_.result());
  }
  std::vector<double>& values() { return coalitions_.values(); }

 private:
  void walk(std::size_t node, double* result) {
    const ShapTree& shap = tree_.shap();
    while (!shap.is_leaf(node)) {
      const std::uint32_t to_x = tree_.next(x_, node), to_b = tree_.next(b_, node);
      const std::size_t column = shap.column[to_x];
      const Coalitions::Side side = coalitions_.side(column);
      if (to_x != to_b && side == Coalitions::none)
        return coalitions_.part(
            column, result, [&](double* below) { walk(to_x, below); },
            [&](double* below) { walk(to_b, below); });
      node = side == Coalitions::of_b ? to_b : to_x;
    }
    coalitions_.reach(shap.value_of(node), result);
  }

  const PairTree& tree_;
  Coalitions coalitions_;
  const std::uint32_t *x_ = nullptr, *b_ = nullptr;
};

}  // namespace

void explain_pairs(const ShapTree& tree, const RowMatrix& X, const RowMatrix& others, double factor,
                   const ShapSums& sums, const ShapOptions& options) {
  if (tree.used.empty() || X.n_rows == 0) return;
  constexpr std::size_t max_turns = std::size_t{1} << 22, block = 16;
  const PairTree pairs(tree);
  const Quadrature rule = quadrature_for(tree);
  const std::size_t n_inner = pairs.n_inner();
  const std::size_t n_together = std::clamp<std::size_t>(max_turns / n_inner, 1, others.n_rows);
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
        {PairWalk(pairs), ShapRow(tree, rule), std::vector<std::uint32_t>(n_inner), {}, {}});
  Turns theirs;
  theirs.next.resize(n_together * n_inner);
  theirs.is_split.resize(n_together);
  for (std::size_t begin = 0; begin < others.n_rows; begin += n_together) {
    const std::size_t n = std::min(n_together, others.n_rows - begin);
    for (std::size_t i = 0; i < n; ++i)
      theirs.is_split[i] =
          pairs.find_turns(others.row(begin + i), theirs.next.data() + i * n_inner);
    pool.run(n_blocks, [&](int number, int worker) {
      Worker& mine = workers[static_cast<std::size_t>(worker)];
      const std::size_t first = static_cast<std::size_t>(number) * block;
      for (std::size_t row = first; row < std::min(X.n_rows, first + block); ++row) {
        if (worker == 0) options.poll();
        const bool is_split = pairs.find_turns(X.row(row), mine.turns.data());
        if (is_split) find_shares(tree, X.row(row), mine.inside);
        std::fill(mine.walk.values().begin(), mine.walk.values().end(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
          if (!is_split && !theirs.is_split[i]) {
            mine.walk.explain(mine.turns.data(), theirs.next.data() + i * n_inner, factor, row,
                              sums);
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

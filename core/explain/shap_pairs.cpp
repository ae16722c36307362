// SPDX-License-Identifier: BSD-3-Clause
// The game of pairs: a row x against a background row b, whose values replace those of columns
// outside the coalition. Where no shares are involved, a leaf is reached by those coalitions that
// hold the u columns in which only x passes its path and none of the l columns in which only b
// does, so that it adds (u - 1)! l! / (u + l)! of its value to each of the former, and takes u! (l
// - 1)! / (u + l)! of it from each of the latter.
#include <algorithm>
#include <cmath>

#include "explain/shap.hpp"
#include "explain/shap_row.hpp"
#include "explain/shap_weights.hpp"
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
  explicit PairTree(const ShapTree& shap)
      : shap_(shap), number_(shap.tree.size()), weights_(shap.n_on_path) {
    for (const std::size_t node : shap.order)
      if (!shap.is_leaf(node)) {
        number_[node] = static_cast<std::uint32_t>(n_inner_++);
        inner_.push_back(static_cast<std::uint32_t>(node));
      }
  }

  std::size_t n_inner() const { return n_inner_; }
  const ShapWeights& weights() const { return weights_; }
  const ShapTree& shap() const { return shap_; }
  std::uint32_t next(const std::uint32_t* turns, std::size_t node) const {
    return turns[number_[node]];
  }

  bool find_turns(const double* x, std::uint32_t* next) const {
    bool is_split = false;
    for (std::size_t i = 0; i < n_inner_; ++i) {
      const std::size_t node = inner_[i];
      std::int64_t branch = shap_.branch(node, x[shap_.tree.feature[node]]);
      is_split = is_split || branch == ShapTree::every_branch;
      auto child = static_cast<std::uint32_t>(shap_.tree.children_left[node]);
      if (branch == ShapTree::every_branch) child = every_child;
      for (; branch > 0; --branch)
        child = static_cast<std::uint32_t>(shap_.tree.next_sibling[child]);
      next[i] = child;
    }
    return is_split;
  }

 private:
  const ShapTree& shap_;
  std::vector<std::uint32_t> number_, inner_;  // index of a node among the inner ones, and back
  std::size_t n_inner_ = 0;
  ShapWeights weights_;
};

/// Walks a pair down together. A column at which they diverged belongs to x or to b from then on.
class PairWalk {
 public:
  explicit PairWalk(const PairTree& tree)
      : tree_(tree),
        n_values_(tree.shap().n_values),
        side_(tree.shap().used.size(), none),
        sums_((tree.shap().n_on_path + 1) * 4 * n_values_),
        values_(tree.shap().used.size() * n_values_) {}

  /// Adds to `values()`; interactions, if requested, directly to the sums.
  void explain(const std::uint32_t* x, const std::uint32_t* b, double factor, std::size_t row,
               const ShapSums& sums) {
    x_ = x, b_ = b, factor_ = factor, row_ = row, out_ = &sums;
    if (n_values_ == 1)
      walk_one(0, 0, 0);
    else
      walk_many(0, 0, 0, sums_.data());
  }
  std::vector<double>& values() { return values_; }

 private:
  enum Side : std::uint8_t { none, of_x, of_b };
  struct Sums {
    double with_x, with_b;  // what each column of x gains, and each of b loses
  };

  /// Goes on to the leaf, or to the node where x and b diverge by a column that belongs to neither
  /// yet.
  std::size_t parting(std::size_t node) const {
    const ShapTree& shap = tree_.shap();
    while (!shap.is_leaf(node)) {
      const std::uint32_t to_x = tree_.next(x_, node), to_b = tree_.next(b_, node);
      const Side side = side_[shap.column[to_x]];
      if (to_x != to_b && side == none) break;
      node = side == of_b ? to_b : to_x;
    }
    return node;
  }

  Sums walk_one(std::size_t node, std::size_t u, std::size_t l) {
    const ShapTree& shap = tree_.shap();
    node = parting(node);
    if (shap.is_leaf(node)) {
      if (out_->interactions) add_interactions(node, u, l);
      const double value = *shap.value_of(node);
      return {value * tree_.weights().gained(u, l), value * tree_.weights().lost(u, l)};
    }
    const std::uint32_t to_x = tree_.next(x_, node), to_b = tree_.next(b_, node);
    const std::size_t column = shap.column[to_x];
    part(column, of_x);
    const Sums mine = walk_one(to_x, u + 1, l);
    part(column, of_b);
    const Sums other = walk_one(to_b, u, l + 1);
    join(column);
    values_[column] += mine.with_x - other.with_b;
    return {mine.with_x + other.with_x, mine.with_b + other.with_b};
  }

  /// The same for several values; `sums` has space for twice as many.
  void walk_many(std::size_t node, std::size_t u, std::size_t l, double* sums) {
    const ShapTree& shap = tree_.shap();
    node = parting(node);
    if (shap.is_leaf(node)) {
      if (out_->interactions) add_interactions(node, u, l);
      const double* value = shap.value_of(node);
      const double gained = tree_.weights().gained(u, l), lost = tree_.weights().lost(u, l);
      for (std::size_t k = 0; k < n_values_; ++k) {
        sums[k] = gained * value[k];
        sums[n_values_ + k] = lost * value[k];
      }
      return;
    }
    const std::uint32_t to_x = tree_.next(x_, node), to_b = tree_.next(b_, node);
    const std::size_t column = shap.column[to_x];
    double *mine = sums_.data() + (u + l) * 4 * n_values_, *other = mine + 2 * n_values_;
    part(column, of_x);
    walk_many(to_x, u + 1, l, mine);
    part(column, of_b);
    walk_many(to_b, u, l + 1, other);
    join(column);
    double* value = values_.data() + column * n_values_;
    for (std::size_t k = 0; k < n_values_; ++k) value[k] += mine[k] - other[n_values_ + k];
    for (std::size_t k = 0; k < 2 * n_values_; ++k) sums[k] = mine[k] + other[k];
  }

  void part(std::size_t column, Side side) {
    if (side_[column] == none) partitioned_.push_back(static_cast<std::uint32_t>(column));
    side_[column] = side;
  }
  void join(std::size_t column) {
    side_[column] = none;
    partitioned_.pop_back();
  }

  void add_interactions(std::size_t leaf, std::size_t u, std::size_t l) {
    const ShapTree& shap = tree_.shap();
    for (std::size_t i = 0; i < partitioned_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const std::size_t one = partitioned_[i], other = partitioned_[j];
        const double weight = tree_.weights().both(u, l, side_[one] == of_x, side_[other] == of_x);
        out_->add(row_, shap.used[one], shap.used[other], factor_ * weight / 2, shap.value_of(leaf),
                  n_values_);
      }
  }

  const PairTree& tree_;
  std::size_t n_values_;
  std::vector<Side> side_;
  std::vector<std::uint32_t> partitioned_;
  std::vector<double> sums_;    // [columns that have diverged][of x and b][two sums][k]
  std::vector<double> values_;  // [column][k]
  const std::uint32_t *x_ = nullptr, *b_ = nullptr;
  double factor_ = 1;
  std::size_t row_ = 0;
  const ShapSums* out_ = nullptr;
};

}  // namespace

void explain_pairs(const ShapTree& tree, const DenseRows& X, const DenseRows& others, double factor,
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

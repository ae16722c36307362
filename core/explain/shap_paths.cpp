// SPDX-License-Identifier: BSD-3-Clause
// The game along paths. By the multilinear extension (Owen 1972),
//
//   phi_i = sum_L v_L (o_i - z_i)             int_0^1 prod_{j != i}    (t o_j + (1 - t) z_j) dt
//   I_ik  = sum_L v_L (o_i - z_i) (o_k - z_k) int_0^1 prod_{j != i, k} (t o_j + (1 - t) z_j) dt
//
// and the integrand is a polynomial of a degree below the number m of different columns on the
// path, so that m / 2 points of a Gauss-Legendre quadrature give the integral exactly.
#include <algorithm>
#include <cmath>

#include "explain/shap.hpp"
#include "explain/shap_kernels.hpp"
#include "explain/shap_row.hpp"
#include "util/parallel.hpp"

namespace ramify {
namespace {

constexpr std::size_t n_cases = 3;  // passes; its column's first edge that fails; neither

double inverse(double x) { return x == 0 ? 0 : 1 / x; }

/// A tree with the tables that hold for every row that takes one branch at each node.
class PathTree {
 public:
  explicit PathTree(const ShapTree& shap)
      : shap_(shap), rule_(quadrature_for(shap)), n_points_(rule_.point.size()) {
    make_steps();
    make_table();
  }

  const Quadrature& rule() const { return rule_; }
  ShapWalk walk() const {
    return {.steps = steps_.data(),
            .n_steps = steps_.size(),
            .n_packs = n_points_ / 4,
            .depth = shap_.max_depth,
            .n_columns = shap_.used.size(),
            .n_values = shap_.n_values,
            .start = rule_.weight.data(),
            .table = table_.data(),
            .value = value_.data()};
  }

 private:
  void make_steps() {
    std::vector<std::uint32_t> open;  // nodes on the way
    const auto close = [&](std::size_t depth) {
      for (; open.size() > depth; open.pop_back()) add(open.back(), ShapStep::up);
    };
    for (const std::uint32_t node : shap_.order) {
      if (node == 0) continue;
      close(shap_.depth[node] - 1);
      if (shap_.is_leaf(node)) {
        add(node, ShapStep::leaf);
        const double* own = shap_.value_of(node);
        value_.insert(value_.end(), own, own + shap_.n_values);
        continue;
      }
      add(node, ShapStep::down);
      open.push_back(node);
    }
    close(0);
  }
  void add(std::uint32_t node, ShapStep::Kind kind) {
    const auto number = static_cast<std::uint32_t>(value_.size() / shap_.n_values);
    steps_.push_back({node, shap_.column[node], number, shap_.depth[node], kind});
  }

  /// A column passes in the share t o + (1 - t) z. `ratio` is the factor by which an edge changes
  /// it, `change` that by which it changes (o - z) / (t o + (1 - t) z).
  void make_table() {
    table_.resize(shap_.tree.size() * n_cases * 2 * n_points_);
    for (std::size_t edge = 1; edge < shap_.tree.size(); ++edge) {
      const double z = shap_.outside[edge], z_above = shap_.outside[shap_.above[edge]];
      double* line = table_.data() + edge * n_cases * 2 * n_points_;
      for (std::size_t p = 0; p < n_points_; ++p) {
        const double t = rule_.point[p];
        const double passes = t + (1 - t) * z, stands = (1 - t) * z;
        const double passed = inverse(t + (1 - t) * z_above);
        const double claimed = (1 - z_above) * passed, lost = z == 0 ? 0 : -1 / (1 - t);
        line[p] = passes * passed;
        line[n_points_ + p] = (1 - z) * inverse(passes) - claimed;
        line[2 * n_points_ + p] = stands * passed;
        line[3 * n_points_ + p] = lost - claimed;
        line[4 * n_points_ + p] = shap_.share[edge];
        line[5 * n_points_ + p] = 0;  // an edge above has decided
      }
    }
  }

  const ShapTree& shap_;
  Quadrature rule_;
  std::size_t n_points_;
  std::vector<ShapStep> steps_;
  std::vector<double> table_, value_;
};

/// Which of the three cases each edge is, for a block of rows.
class Cases {
 public:
  explicit Cases(const ShapTree& shap)
      : shap_(shap),
        cases_(shap.tree.size() * shap_block),
        passes_(shap.tree.size() * shap_block, 1),
        x_(shap_block * std::max<std::size_t>(1, shap.used.size())) {}

  const std::uint8_t* data() const { return cases_.data(); }
  /// Rows that go down every branch somewhere have no cases.
  bool is_split(std::size_t row) const { return is_split_[row]; }

  void find(const RowMatrix& X, std::size_t first, std::size_t n) {
    std::fill_n(is_split_, shap_block, false);
    for (std::size_t j = 0; j < shap_.used.size(); ++j)
      for (std::size_t i = 0; i < shap_block; ++i)  // the last row is repeated for missing ones
        x_[j * shap_block + i] = X.row(first + std::min(i, n - 1))[shap_.used[j]];
    const TreeView& tree = shap_.tree;
    for (const std::size_t node : shap_.order) {
      if (shap_.is_leaf(node)) continue;
      const auto left = static_cast<std::size_t>(tree.children_left[node]);
      const double* x = x_.data() + shap_.column[left] * shap_block;
      const std::uint8_t* above = passes_.data() + shap_.above[left] * shap_block;
      if (tree.kind_of(node) == SplitKind::threshold && tree.missing_branch[node] >= 0) {
        std::uint8_t right[shap_block];
        shap_kernels().compare(x, tree.threshold[node], tree.missing_branch[node] == 1, right);
        set(static_cast<std::size_t>(tree.children_right[node]), above, right);
        for (std::uint8_t& goes : right) goes ^= 1;
        set(left, above, right);
        continue;
      }
      std::int64_t branch[shap_block];
      for (std::size_t i = 0; i < shap_block; ++i) {
        branch[i] = shap_.branch(node, x[i]);
        is_split_[i] = is_split_[i] || branch[i] == ShapTree::every_branch;
      }
      tree.each_child(node, [&](std::size_t child, std::int64_t number) {
        std::uint8_t goes[shap_block];
        for (std::size_t i = 0; i < shap_block; ++i) goes[i] = branch[i] == number;
        set(child, above, goes);
      });
    }
  }

 private:
  void set(std::size_t edge, const std::uint8_t* above, const std::uint8_t* goes) {
    std::uint8_t* passes = passes_.data() + edge * shap_block;
    std::uint8_t* which = cases_.data() + edge * shap_block;
    for (std::size_t i = 0; i < shap_block; ++i) {
      const auto own = static_cast<std::uint8_t>(above[i] & goes[i]);
      which[i] = static_cast<std::uint8_t>(2 - above[i] - own);
      passes[i] = own;
    }
  }

  const ShapTree& shap_;
  std::vector<std::uint8_t> cases_, passes_;  // [edge][row]
  std::vector<double> x_;                     // [column][row]
  bool is_split_[shap_block] = {};
};

}  // namespace

void explain_paths(const ShapTree& tree, const RowMatrix& X, const ShapSums& sums,
                   const ShapOptions& options) {
  if (tree.used.empty() || X.n_rows == 0) return;
  const PathTree paths(tree);
  const ShapWalk walk = paths.walk();
  const auto n_blocks = static_cast<int>((X.n_rows + shap_block - 1) / shap_block);
  struct Worker {
    Cases cases;
    ShapRow any;
    std::vector<double> work, values, shares;
  };
  Pool pool(std::max(1, std::min(options.n_threads, n_blocks)));
  std::vector<Worker> workers;
  for (int i = 0; i < pool.size(); ++i)
    workers.push_back({Cases(tree),
                       ShapRow(tree, paths.rule()),
                       std::vector<double>(walk.work_size(4)),
                       std::vector<double>(shap_block * tree.used.size() * tree.n_values),
                       {}});
  pool.run(n_blocks, [&](int block, int worker) {
    if (worker == 0) options.poll();
    Worker& mine = workers[worker];
    const std::size_t first = static_cast<std::size_t>(block) * shap_block;
    const std::size_t n = std::min(shap_block, X.n_rows - first);
    if (!sums.interactions) {
      mine.cases.find(X, first, n);
      shap_kernels().walk(walk, mine.cases.data(), mine.work.data(), mine.values.data());
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (sums.interactions || mine.cases.is_split(i)) {
        find_shares(tree, X.row(first + i), mine.shares);
        mine.any.explain(mine.shares.data(), tree.outside.data(), 1, first + i, sums);
        continue;
      }
      const double* found = mine.values.data() + i * tree.used.size() * tree.n_values;
      for (const std::uint32_t column : tree.used) {
        double* sum = sums.of(first + i, column);
        for (std::size_t k = 0; k < tree.n_values; ++k) sum[k] += *found++;
      }
    }
  });
}

}  // namespace ramify

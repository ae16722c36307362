// SPDX-License-Identifier: BSD-3-Clause
#include "boost/tree_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "util/parallel.hpp"

namespace ramify {
namespace {

constexpr std::uint32_t missing_left_bit = 0x80000000u;
constexpr std::size_t together = 8;  // rows that walk side by side: their steps overlap

template <class T>
bool copy_rows(const RawMatrix& X, std::size_t first, std::size_t n, double* values) {
  const auto n_columns = static_cast<std::size_t>(X.n_columns);
  bool has_missing = false;
  for (std::size_t i = 0; i < n; ++i) {
    const char* line =
        static_cast<const char*>(X.data) + static_cast<std::int64_t>(first + i) * X.row_stride;
    for (std::size_t j = 0; j < n_columns; ++j) {
      T x;
      std::memcpy(&x, line + static_cast<std::int64_t>(j) * X.column_stride, sizeof(T));
      has_missing |= x != x;
      values[i * n_columns + j] = static_cast<double>(x);
    }
  }
  return has_missing;
}

}  // namespace

void TreeSum::append(const TreeView& tree, std::span<const double> value) {
  Rooted rooted{nodes_.size(), 0, false};
  std::vector<std::size_t> original{0};
  std::vector<int> depth{0};
  for (std::size_t i = 0; i < original.size(); ++i) {  // grows as it goes: level by level
    const std::size_t node = original[i];
    value_.push_back(value[node]);
    subset_.push_back(-1);
    rooted.depth = std::max(rooted.depth, depth[i]);
    if (tree.children_left[node] < 0) {
      nodes_.push_back({std::numeric_limits<double>::infinity(), missing_left_bit,
                        static_cast<std::uint32_t>(i)});
      continue;
    }
    const SplitKind kind = tree.kind_of(node);
    if (kind != SplitKind::threshold && kind != SplitKind::categories)
      throw std::invalid_argument("a boosted tree splits one column at a time, in two");
    n_columns_ = std::max(n_columns_, tree.feature[node] + 1);
    nodes_.push_back({tree.threshold[node],
                      static_cast<std::uint32_t>(tree.feature[node]) |
                          (tree.missing_branch[node] == 0 ? missing_left_bit : 0),
                      static_cast<std::uint32_t>(original.size())});
    tree.each_child(node, [&](std::size_t child, std::int64_t) {
      original.push_back(child);
      depth.push_back(depth[i] + 1);
    });
    if (kind == SplitKind::threshold) continue;
    rooted.has_categories = true;
    Subset subset{{}, tree.default_branch[node] == 0};
    if (subset.others_left) subset.goes_left.set();
    for (auto k = tree.split_begin[node]; k < tree.split_begin[node + 1]; ++k) {
      const double code = tree.split_value[static_cast<std::size_t>(k)];
      if (!(code >= 0 && code < 256))
        throw std::invalid_argument("a category has no code below 256");
      subset.goes_left.set(static_cast<std::size_t>(code),
                           tree.split_branch[static_cast<std::size_t>(k)] == 0);
    }
    subset_.back() = static_cast<std::int32_t>(subsets_.size());
    subsets_.push_back(subset);
  }
  trees_.push_back(rooted);
}

template <bool has_missing>
void TreeSum::walk(const Rooted& tree, const double* values, std::size_t n_columns,
                   std::size_t n_rows, double* score) const {
  const Node* nodes = nodes_.data() + tree.begin;
  for (std::size_t first = 0; first < n_rows; first += together) {
    const std::size_t n = std::min(together, n_rows - first);
    const double* lines[together];
    std::uint32_t at[together] = {};
    for (std::size_t i = 0; i < together; ++i)  // the last row again where there are no more
      lines[i] = values + (first + std::min(i, n - 1)) * n_columns;
    for (int level = 0; level < tree.depth; ++level)
      for (std::size_t i = 0; i < together; ++i) {
        const Node& node = nodes[at[i]];
        const double x = lines[i][node.feature & ~missing_left_bit];
        bool is_left = x <= node.threshold;
        if constexpr (has_missing) is_left |= x != x && (node.feature & missing_left_bit) != 0;
        at[i] = node.left + !is_left;
      }
    for (std::size_t i = 0; i < n; ++i)
      score[(first + i) * n_scores_] += value_[tree.begin + at[i]];
  }
}

bool TreeSum::goes_left(std::size_t number, double x) const {
  const Node& node = nodes_[number];
  if (x != x) return (node.feature & missing_left_bit) != 0;
  if (subset_[number] < 0) return x <= node.threshold;
  const Subset& subset = subsets_[subset_[number]];
  return x >= 0 && x < 256 ? subset.goes_left[static_cast<std::size_t>(x)] : subset.others_left;
}

void TreeSum::walk_categories(const Rooted& tree, const double* values, std::size_t n_columns,
                              std::size_t n_rows, double* score) const {
  for (std::size_t row = 0; row < n_rows; ++row) {
    std::size_t at = 0;
    for (int level = 0; level < tree.depth; ++level) {
      const Node& node = nodes_[tree.begin + at];
      if (node.left == at) break;
      const double x = values[row * n_columns + (node.feature & ~missing_left_bit)];
      at = node.left + !goes_left(tree.begin + at, x);
    }
    score[row * n_scores_] += value_[tree.begin + at];
  }
}

void TreeSum::add(const RawMatrix& X, std::size_t first, std::size_t last, double* scores,
                  int n_threads) const {
  const auto n_columns = static_cast<std::size_t>(X.n_columns);
  const auto n_rows = static_cast<std::size_t>(X.n_rows);
  // The values of a block stay in the cache while all trees look at them.
  const std::size_t block = std::clamp<std::size_t>(4096 / n_columns, 1, 32) * together;
  const auto n_blocks = static_cast<int>((n_rows + block - 1) / block);
  constexpr int blocks_per_task = 16;
  const int n_tasks = (n_blocks + blocks_per_task - 1) / blocks_per_task;
  Pool pool(std::min(n_threads, std::max(1, n_tasks)));
  pool.run(n_tasks, [&](int task, int) {
    std::vector<double> values(block * n_columns);
    for (int b = task * blocks_per_task; b < std::min(n_blocks, (task + 1) * blocks_per_task);
         ++b) {
      const std::size_t begin = static_cast<std::size_t>(b) * block;
      const std::size_t n = std::min(block, n_rows - begin);
      const bool has_missing = X.type == RawColumn::Type::f32
                                   ? copy_rows<float>(X, begin, n, values.data())
                                   : copy_rows<double>(X, begin, n, values.data());
      for (std::size_t t = first; t < last; ++t) {
        const Rooted& tree = trees_[t];
        double* score = scores + begin * n_scores_ + t % n_scores_;
        if (tree.has_categories)
          walk_categories(tree, values.data(), n_columns, n, score);
        else if (has_missing)
          walk<true>(tree, values.data(), n_columns, n, score);
        else
          walk<false>(tree, values.data(), n_columns, n, score);
      }
    }
  });
}

}  // namespace ramify

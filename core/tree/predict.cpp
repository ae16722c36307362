// SPDX-License-Identifier: BSD-3-Clause
#include "tree/predict.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "util/parallel.hpp"

namespace ramify {
namespace {

constexpr std::uint32_t missing_left_bit = 0x80000000u;

/// A number in a NaN, and out of it; up to 2^22 in a float.
double hidden(std::uint32_t number) {
  return std::bit_cast<double>(std::uint64_t{0x7ff8} << 48 | number);
}
std::uint32_t found_in(double nan) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(nan));
}
float hidden_in_float(std::uint32_t number) { return std::bit_cast<float>(0x7fc00000u | number); }
std::uint32_t found_in(float nan) { return std::bit_cast<std::uint32_t>(nan) & 0x3fffffu; }

template <class T>
T value_at(const char* line, std::int64_t offset) {
  T x;
  std::memcpy(&x, line + offset, sizeof(T));
  return x;
}

template <class T>
Unusual inspect_as(const RawMatrix& X) {
  const bool by_row = X.column_stride <= X.row_stride;
  const std::int64_t n_outer = by_row ? X.n_rows : X.n_columns,
                     n_inner = by_row ? X.n_columns : X.n_rows;
  const std::int64_t outer_stride = by_row ? X.row_stride : X.column_stride;
  const std::int64_t inner_stride = by_row ? X.column_stride : X.row_stride;
  Unusual found;
  for (std::int64_t i = 0; i < n_outer; ++i) {
    const char* line = static_cast<const char*>(X.data) + i * outer_stride;
    constexpr T largest = std::numeric_limits<T>::max();
    int n_unusual = 0;  // no early exit: the loop becomes vector code
    if (inner_stride == sizeof(T))
      for (std::int64_t j = 0; j < n_inner; ++j)
        n_unusual +=
            !(std::abs(value_at<T>(line, j * static_cast<std::int64_t>(sizeof(T)))) <= largest);
    else
      for (std::int64_t j = 0; j < n_inner; ++j)
        n_unusual += !(std::abs(value_at<T>(line, j * inner_stride)) <= largest);
    for (std::int64_t j = 0; n_unusual > 0 && j < n_inner; ++j) {
      const T x = value_at<T>(line, j * inner_stride);
      found.has_missing |= std::isnan(x);
      if (!std::isinf(x)) continue;
      found.infinite_row = by_row ? i : j;
      found.infinite_column = by_row ? j : i;
      return found;
    }
  }
  return found;
}

}  // namespace

Unusual inspect(const RawMatrix& X) {
  return X.type == RawColumn::Type::f32 ? inspect_as<float>(X) : inspect_as<double>(X);
}

Predictor::Predictor(const TreeView& tree)
    : split_value_(tree.split_value.begin(), tree.split_value.end()),
      split_branch_(tree.split_branch.begin(), tree.split_branch.end()) {
  for (std::size_t i = 0; i < tree.term_column.size(); ++i) {
    terms_.push_back(tree.term(i));
    n_columns_ = std::max(n_columns_, tree.term_column[i] + 1);
  }
  nodes_.reserve(tree.size());
  std::vector<std::size_t> original;  // number in the tree of each node here
  original.reserve(tree.size());
  const auto add = [&](std::size_t node) {
    original.push_back(node);
    nodes_.push_back({tree.threshold[node], 0, 0});
    share_.push_back(1);
    n_children_.push_back(0);
    listed_at_.push_back(-1);
  };
  add(0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {  // grows as it goes: level by level
    const std::size_t node = original[i];
    if (tree.children_left[node] < 0) {
      nodes_[i] = {hidden(static_cast<std::uint32_t>(leaf_nodes_.size())), missing_left_bit,
                   static_cast<std::uint32_t>(i)};
      leaf_nodes_.push_back(static_cast<std::uint32_t>(node));
      continue;
    }
    n_columns_ = std::max(n_columns_, tree.feature[node] + 1);
    is_fractional_ = is_fractional_ || tree.missing_branch[node] == Tree::every_branch;
    const auto other = static_cast<std::uint32_t>(tree.default_branch[node]);
    const std::uint32_t missing = tree.missing_branch[node] == Tree::every_branch
                                      ? other
                                      : static_cast<std::uint32_t>(tree.missing_branch[node]);
    nodes_[i].feature =
        static_cast<std::uint32_t>(tree.feature[node]) | (missing == 0 ? missing_left_bit : 0);
    nodes_[i].left = static_cast<std::uint32_t>(nodes_.size());
    double weight = 0;
    tree.each_child(node, [&](std::size_t child, std::int64_t) { weight += tree.weight[child]; });
    tree.each_child(node, [&](std::size_t child, std::int64_t) {
      add(child);
      share_.back() = tree.weight[child] / weight;
      ++n_children_[i];
    });
    if (tree.kind_of(node) == SplitKind::threshold) continue;
    listed_at_[i] = static_cast<std::int32_t>(listed_.size());
    const bool has_terms = tree.kind_of(node) == SplitKind::hyperplane;
    const auto& begin = has_terms ? tree.term_begin : tree.split_begin;
    listed_.push_back({tree.kind_of(node), static_cast<std::size_t>(begin[node]),
                       static_cast<std::size_t>(begin[node + 1]), missing, other});
  }
  if (!is_fractional_) {
    n_children_ = {};
    share_ = {};
  }
  if (listed_.empty()) {
    listed_at_ = {};
    make_small();
  }
}

void Predictor::make_small() {
  std::uint32_t highest_feature = 0;
  for (const Node& node : nodes_)
    highest_feature = std::max(highest_feature, node.feature & ~missing_left_bit);
  if (nodes_.size() >> (32 - feature_bits) || highest_feature >> feature_bits) return;
  small_nodes_.reserve(nodes_.size());
  for (const Node& node : nodes_) {
    if (std::isnan(node.threshold)) {
      small_nodes_.push_back(
          {hidden_in_float(found_in(node.threshold)), node.left << feature_bits});
      continue;
    }
    auto threshold = static_cast<float>(node.threshold);
    if (threshold > node.threshold)
      threshold = std::nextafter(threshold, -std::numeric_limits<float>::infinity());
    small_nodes_.push_back(
        {threshold, node.left << feature_bits | (node.feature & ~missing_left_bit)});
  }
}

std::uint32_t Predictor::branch_of(const Listed& split, double x) const {
  if (std::isnan(x)) return split.missing;
  const double *begin = split_value_.data() + split.begin, *end = split_value_.data() + split.end;
  const double* found = std::lower_bound(begin, end, x);
  if (split.kind == SplitKind::categories && (found == end || *found != x)) return split.other;
  return split_branch_[static_cast<std::size_t>(found - split_value_.data())];
}

template <class T>
double Predictor::sum_of_terms(const RawMatrix& X, const char* values, const Listed& split) const {
  double sum = 0;
  for (std::size_t i = split.begin; i < split.end; ++i)
    sum += terms_[i].value(value_at<T>(values, terms_[i].column * X.column_stride));
  return sum;
}

/// The child that a row goes to, whatever the kind of the split; the node itself if it is a leaf.
template <class T>
std::uint32_t Predictor::next(const RawMatrix& X, const char* values, std::uint32_t at) const {
  const Node node = nodes_[at];
  if (node.left == at) return at;
  const auto column = static_cast<std::int64_t>(node.feature & ~missing_left_bit);
  const T x = value_at<T>(values, column * X.column_stride);
  if (!listed_at_.empty() && listed_at_[at] >= 0) {
    const Listed& split = listed_[static_cast<std::size_t>(listed_at_[at])];
    if (split.kind == SplitKind::hyperplane)
      return node.left + (sum_of_terms<T>(X, values, split) > node.threshold);
    return node.left + branch_of(split, x);
  }
  const bool goes_right = std::isnan(x) ? !(node.feature >> 31) : x > node.threshold;
  return node.left + goes_right;
}

namespace {

/// Walks rows down a tree, several side by side since each step waits for memory. `step(values,
/// at)` gives the next node, and `at` itself in a leaf: so all take a few steps before anybody
/// looks whether the last has arrived, and nothing is done by branches, which could not be
/// foreseen.
template <class Step, class Arrive>
void walk_rows(const RawMatrix& X, Step step, Arrive arrive) {
  constexpr int n_walkers = 12, n_steps = 4;
  std::int64_t first = 0;
  for (; first + n_walkers <= X.n_rows; first += n_walkers) {
    const char* const values = static_cast<const char*>(X.data) + first * X.row_stride;
    std::uint32_t at[n_walkers] = {}, moved = 1;
    while (moved) {
      for (int s = 0; s < n_steps; ++s) {
#if defined(__GNUC__)
#pragma GCC unroll 12
#endif
        for (int i = 0; i < n_walkers; ++i) at[i] = step(values + i * X.row_stride, at[i]);
      }
      moved = 0;
#if defined(__GNUC__)
#pragma GCC unroll 12
#endif
      for (int i = 0; i < n_walkers; ++i) {
        const std::uint32_t to = step(values + i * X.row_stride, at[i]);
        moved |= to ^ at[i];
        at[i] = to;
      }
    }
    for (int i = 0; i < n_walkers; ++i) arrive(first + i, at[i]);
  }
  for (; first < X.n_rows; ++first) {
    const char* const values = static_cast<const char*>(X.data) + first * X.row_stride;
    std::uint32_t at = 0;
    for (std::uint32_t to = step(values, at); to != at; to = step(values, at)) at = to;
    arrive(first, at);
  }
}

}  // namespace

template <class T, bool has_missing>
void Predictor::find_rows(const RawMatrix& X, std::uint32_t* leaves) const {
  const Node* nodes = nodes_.data();
  const auto step = [nodes, &X](const char* values, std::uint32_t at) {
    const Node node = nodes[at];
    const auto column = static_cast<std::int64_t>(node.feature & ~missing_left_bit);
    const T x = value_at<T>(values, column * X.column_stride);
    std::uint32_t goes_right = x > node.threshold;
    if constexpr (has_missing)
      goes_right |= static_cast<std::uint32_t>(x != x) & (~node.feature >> 31);
    return node.left + goes_right;
  };
  walk_rows(X, step, [=](std::int64_t row, std::uint32_t at) {
    leaves[row] = found_in(nodes[at].threshold);
  });
}

void Predictor::find_small(const RawMatrix& X, std::uint32_t* leaves) const {
  const SmallNode* nodes = small_nodes_.data();
  const auto step = [nodes](const char* values, std::uint32_t at) {
    const SmallNode node = nodes[at];
    const std::uint32_t left = node.where >> feature_bits,
                        feature = node.where & ((1u << feature_bits) - 1);
    return left + (value_at<float>(values, feature * std::int64_t{sizeof(float)}) > node.threshold);
  };
  walk_rows(X, step, [=](std::int64_t row, std::uint32_t at) {
    leaves[row] = found_in(nodes[at].threshold);
  });
}

template <class T>
void Predictor::find_listed(const RawMatrix& X, std::uint32_t* leaves) const {
  walk_rows(
      X, [&](const char* values, std::uint32_t at) { return next<T>(X, values, at); },
      [&](std::int64_t row, std::uint32_t at) { leaves[row] = found_in(nodes_[at].threshold); });
}

template <class T>
void Predictor::average_row(const RawMatrix& X, std::int64_t row, std::span<const double> value,
                            std::size_t n_values, double* average) const {
  const char* values = static_cast<const char*>(X.data) + row * X.row_stride;
  std::fill_n(average, n_values, 0.0);
  std::vector<std::pair<std::uint32_t, double>> on_the_way{{0, 1.0}};
  while (!on_the_way.empty()) {
    const auto [at, share] = on_the_way.back();
    on_the_way.pop_back();
    const Node& node = nodes_[at];
    if (is_leaf(at)) {
      const double* leaf =
          value.data() + std::size_t{leaf_nodes_[found_in(node.threshold)]} * n_values;
      for (std::size_t k = 0; k < n_values; ++k) average[k] += share * leaf[k];
      continue;
    }
    const auto column = static_cast<std::int64_t>(node.feature & ~missing_left_bit);
    if (!is_fractional_ || fills_in(at) ||
        !std::isnan(value_at<T>(values, column * X.column_stride))) {
      on_the_way.emplace_back(next<T>(X, values, at), share);
      continue;
    }
    for (std::uint32_t i = n_children_[at]; i-- > 0;)
      on_the_way.emplace_back(node.left + i, share * share_[node.left + i]);
  }
}

void Predictor::average(const RawMatrix& X, std::span<const double> value, std::size_t n_values,
                        double* averages, int n_threads) const {
  constexpr std::int64_t block = 1024;
  const auto n_blocks = static_cast<int>((X.n_rows + block - 1) / block);
  Pool pool(std::min(n_threads, n_blocks));
  pool.run(n_blocks, [&](int i, int) {
    for (std::int64_t row = i * block; row < std::min(X.n_rows, (i + 1) * block); ++row) {
      double* average = averages + static_cast<std::size_t>(row) * n_values;
      if (X.type == RawColumn::Type::f32)
        average_row<float>(X, row, value, n_values, average);
      else
        average_row<double>(X, row, value, n_values, average);
    }
  });
}

void Predictor::find_leaves(const RawMatrix& X, bool has_missing, std::uint32_t* leaves) const {
  const bool is_float = X.type == RawColumn::Type::f32;
  if (!listed_.empty())
    is_float ? find_listed<float>(X, leaves) : find_listed<double>(X, leaves);
  else if (is_float && !has_missing && X.column_stride == sizeof(float) && is_small())
    find_small(X, leaves);
  else if (is_float)
    has_missing ? find_rows<float, true>(X, leaves) : find_rows<float, false>(X, leaves);
  else
    has_missing ? find_rows<double, true>(X, leaves) : find_rows<double, false>(X, leaves);
}

void Predictor::apply(const RawMatrix& X, bool has_missing, std::int64_t* leaves,
                      int n_threads) const {
  constexpr std::int64_t block = 4096;
  const auto n_blocks = static_cast<int>((X.n_rows + block - 1) / block);
  Pool pool(std::min(n_threads, n_blocks));
  pool.run(n_blocks, [&](int i, int) {
    const std::int64_t first = i * block;
    const RawMatrix rows = X.some_rows(first, std::min(X.n_rows, first + block));
    std::uint32_t found[block];
    find_leaves(rows, has_missing, found);
    for (std::int64_t row = 0; row < rows.n_rows; ++row)
      leaves[first + row] = leaf_nodes_[found[row]];
  });
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "tree/predict.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "util/parallel.hpp"

namespace ramify {
namespace {

constexpr std::uint32_t missing_left_bit = 0x80000000u;

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
  original_.reserve(tree.size());
  const auto add = [&](std::size_t node) {
    original_.push_back(static_cast<std::int64_t>(node));
    nodes_.push_back({tree.threshold[node], 0, 0});
    share_.push_back(1);
    n_children_.push_back(0);
    listed_at_.push_back(-1);
  };
  add(0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {  // grows as it goes: level by level
    const auto node = static_cast<std::size_t>(original_[i]);
    if (tree.children_left[node] < 0) continue;
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
  if (listed_.empty()) {
    listed_at_.clear();
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
  if (node.left == 0) return at;
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

/// Walks rows down a tree, several side by side since each step waits for memory; one that arrives
/// makes place for the next. `step(values, at)` gives the next node, or `at` itself in a leaf.
template <class Step, class Arrive>
void walk_rows(const RawMatrix& X, std::int64_t first, std::int64_t last, Step step,
               Arrive arrive) {
  constexpr int most_walkers = 12;
  const char* values[most_walkers];
  std::int64_t row[most_walkers];
  std::uint32_t at[most_walkers];
  const auto start = [&](int i, std::int64_t next) {
    values[i] = static_cast<const char*>(X.data) + next * X.row_stride;
    row[i] = next;
    at[i] = 0;
  };
  int n = 0;
  std::int64_t next = first;
  while (n < most_walkers && next < last) start(n++, next++);
  const auto move = [&](int i) {
    const std::uint32_t to = step(values[i], at[i]);
    if (to != at[i]) {
      at[i] = to;
      return;
    }
    arrive(row[i], at[i]);
    if (next < last) {
      start(i, next++);
    } else {
      --n;
      values[i] = values[n];
      row[i] = row[n];
      at[i] = at[n];
    }
  };
  while (last - next >= most_walkers) {  // a row is waiting for each that may arrive
#if defined(__GNUC__)
#pragma GCC unroll 12
#endif
    for (int i = 0; i < most_walkers; ++i) move(i);
  }
  while (n > 0)
    for (int i = 0; i < n; ++i) move(i);
}

}  // namespace

template <class T, bool has_missing>
void Predictor::apply_rows(const RawMatrix& X, std::int64_t first, std::int64_t last,
                           std::int64_t* leaves) const {
  const auto step = [nodes = nodes_.data(), &X](const char* values, std::uint32_t at) {
    const Node node = nodes[at];
    if (node.left == 0) return at;
    const auto column = static_cast<std::int64_t>(node.feature & ~missing_left_bit);
    const T x = value_at<T>(values, column * X.column_stride);
    // Without branches: which way a row goes cannot be foreseen.
    std::uint32_t goes_right = x > node.threshold;
    if constexpr (has_missing)
      goes_right |= static_cast<std::uint32_t>(x != x) & (~node.feature >> 31);
    return node.left + goes_right;
  };
  walk_rows(X, first, last, step,
            [&](std::int64_t row, std::uint32_t at) { leaves[row] = original_[at]; });
}

void Predictor::apply_small(const RawMatrix& X, std::int64_t first, std::int64_t last,
                            std::int64_t* leaves) const {
  const auto step = [nodes = small_nodes_.data()](const char* values, std::uint32_t at) {
    const SmallNode node = nodes[at];
    const std::uint32_t left = node.where >> feature_bits,
                        feature = node.where & ((1u << feature_bits) - 1);
    if (left == 0) return at;
    return left + (value_at<float>(values, feature * std::int64_t{sizeof(float)}) > node.threshold);
  };
  walk_rows(X, first, last, step,
            [&](std::int64_t row, std::uint32_t at) { leaves[row] = original_[at]; });
}

template <class T>
void Predictor::apply_listed(const RawMatrix& X, std::int64_t first, std::int64_t last,
                             std::int64_t* leaves) const {
  walk_rows(
      X, first, last, [&](const char* values, std::uint32_t at) { return next<T>(X, values, at); },
      [&](std::int64_t row, std::uint32_t at) { leaves[row] = original_[at]; });
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
    if (node.left == 0) {
      const double* leaf = value.data() + static_cast<std::size_t>(original_[at]) * n_values;
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

void Predictor::apply(const RawMatrix& X, bool has_missing, std::int64_t* leaves,
                      int n_threads) const {
  constexpr std::int64_t block = 4096;
  const auto n_blocks = static_cast<int>((X.n_rows + block - 1) / block);
  Pool pool(std::min(n_threads, n_blocks));
  pool.run(n_blocks, [&](int i, int) {
    const std::int64_t first = i * block, last = std::min(X.n_rows, first + block);
    if (!listed_.empty())
      X.type == RawColumn::Type::f32 ? apply_listed<float>(X, first, last, leaves)
                                     : apply_listed<double>(X, first, last, leaves);
    else if (X.type == RawColumn::Type::f32 && !has_missing && X.column_stride == sizeof(float) &&
             is_small())
      apply_small(X, first, last, leaves);
    else if (X.type == RawColumn::Type::f32)
      has_missing ? apply_rows<float, true>(X, first, last, leaves)
                  : apply_rows<float, false>(X, first, last, leaves);
    else
      has_missing ? apply_rows<double, true>(X, first, last, leaves)
                  : apply_rows<double, false>(X, first, last, leaves);
  });
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
#include "tree/predict.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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
  const std::int64_t n_outer = by_row ? X.n_rows : X.n_columns, n_inner = by_row ? X.n_columns : X.n_rows;
  const std::int64_t outer_stride = by_row ? X.row_stride : X.column_stride;
  const std::int64_t inner_stride = by_row ? X.column_stride : X.row_stride;
  Unusual found;
  for (std::int64_t i = 0; i < n_outer; ++i) {
    const char* line = static_cast<const char*>(X.data) + i * outer_stride;
    constexpr T largest = std::numeric_limits<T>::max();
    int n_unusual = 0;  // no early exit: the loop becomes vector code
    if (inner_stride == sizeof(T))
      for (std::int64_t j = 0; j < n_inner; ++j)
        n_unusual += !(std::abs(value_at<T>(line, j * static_cast<std::int64_t>(sizeof(T)))) <= largest);
    else
      for (std::int64_t j = 0; j < n_inner; ++j) n_unusual += !(std::abs(value_at<T>(line, j * inner_stride)) <= largest);
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

Predictor::Predictor(std::span<const std::int64_t> children_left, std::span<const std::int64_t> children_right,
                     std::span<const std::int64_t> feature, std::span<const double> threshold,
                     std::span<const std::uint8_t> missing_go_to_left) {
  nodes_.reserve(feature.size());
  original_.reserve(feature.size());
  const auto add = [&](std::int64_t node) {
    original_.push_back(node);
    nodes_.push_back({threshold[node], 0, 0});
  };
  add(0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {  // grows as it goes: level by level
    const auto node = static_cast<std::size_t>(original_[i]);
    if (children_left[node] < 0) continue;
    nodes_[i].feature = static_cast<std::uint32_t>(feature[node]) | (missing_go_to_left[node] ? missing_left_bit : 0);
    nodes_[i].left = static_cast<std::uint32_t>(nodes_.size());
    add(children_left[node]);
    add(children_right[node]);
  }
}

template <class T, bool has_missing>
void Predictor::apply_rows(const RawMatrix& X, std::int64_t first, std::int64_t last, std::int64_t* leaves) const {
  // Each step of a walk waits for memory. Several rows walk side by side; one that arrives makes place for the next.
  constexpr int most_walkers = 16;
  struct Walker {
    const char* values;
    std::int64_t row;
    std::uint32_t at;
  };
  const Node* nodes = nodes_.data();
  const auto start = [&](std::int64_t row) {
    return Walker{static_cast<const char*>(X.data) + row * X.row_stride, row, 0};
  };
  Walker walkers[most_walkers];
  int n = 0;
  std::int64_t next = first;
  while (n < most_walkers && next < last) walkers[n++] = start(next++);
  while (n > 0) {
    for (int i = 0; i < n; ++i) {
      Walker& walker = walkers[i];
      const Node node = nodes[walker.at];
      if (node.left == 0) {
        leaves[walker.row] = original_[walker.at];
        walker = next < last ? start(next++) : walkers[--n];
        continue;
      }
      const auto column = static_cast<std::int64_t>(node.feature & ~missing_left_bit);
      const T x = value_at<T>(walker.values, column * X.column_stride);
      // Without branches: which way a row goes cannot be foreseen.
      std::uint32_t goes_right = x > node.threshold;
      if constexpr (has_missing) goes_right |= static_cast<std::uint32_t>(x != x) & (~node.feature >> 31);
      walker.at = node.left + goes_right;
    }
  }
}

void Predictor::apply(const RawMatrix& X, bool has_missing, std::int64_t* leaves, int n_threads) const {
  constexpr std::int64_t block = 4096;
  const auto n_blocks = static_cast<int>((X.n_rows + block - 1) / block);
  Pool pool(std::min(n_threads, n_blocks));
  pool.run(n_blocks, [&](int i, int) {
    const std::int64_t first = i * block, last = std::min(X.n_rows, first + block);
    if (X.type == RawColumn::Type::f32)
      has_missing ? apply_rows<float, true>(X, first, last, leaves) : apply_rows<float, false>(X, first, last, leaves);
    else
      has_missing ? apply_rows<double, true>(X, first, last, leaves) : apply_rows<double, false>(X, first, last, leaves);
  });
}

}  // namespace ramify

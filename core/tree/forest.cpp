// SPDX-License-Identifier: BSD-3-Clause
#include "tree/forest.hpp"

#include <algorithm>
#include <cstring>

#include "util/parallel.hpp"

namespace ramify {
namespace {

/// Rows that are walked together. They stream by, while a tree of a forest on 100k rows fills the
/// second-level cache: the more rows meet it there, the better. 64 k took two thirds of the time of
/// 4 k.
constexpr std::int64_t block_rows = 65'536;

template <class T>
T value_at(const RawMatrix& X, std::int64_t row, std::int64_t column) {
  T x;
  std::memcpy(&x, static_cast<const char*>(X.data) + row * X.row_stride + column * X.column_stride,
              sizeof(T));
  return x;
}

/// Some rows of a matrix, laid out for walking: each row in one piece, and in float32 if that holds
/// every number, since nodes are half as large then.
class Block {
 public:
  RawMatrix rows(const RawMatrix& X, std::int64_t first, std::int64_t n_rows) {
    const RawMatrix part = X.some_rows(first, first + n_rows);
    if (X.type == RawColumn::Type::f32)
      return X.column_stride == sizeof(float) ? part : copied<float, float>(part, floats_);
    if (fits_float(part)) return copied<double, float>(part, floats_);
    return X.column_stride == sizeof(double) ? part : copied<double, double>(part, doubles_);
  }

 private:
  static bool fits_float(const RawMatrix& X) {
    for (std::int64_t row = 0; row < X.n_rows; ++row)
      for (std::int64_t column = 0; column < X.n_columns; ++column) {
        const double x = value_at<double>(X, row, column);
        if (x == x && static_cast<double>(static_cast<float>(x)) != x) return false;
      }
    return true;
  }

  template <class From, class To>
  static RawMatrix copied(const RawMatrix& X, std::vector<To>& cells) {
    cells.resize(static_cast<std::size_t>(X.n_rows * X.n_columns));
    for (std::int64_t row = 0; row < X.n_rows; ++row)
      for (std::int64_t column = 0; column < X.n_columns; ++column)
        cells[static_cast<std::size_t>(row * X.n_columns + column)] =
            static_cast<To>(value_at<From>(X, row, column));
    const auto item = static_cast<std::int64_t>(sizeof(To));
    return {
        cells.data(), X.n_rows,
        X.n_columns,  X.n_columns * item,
        item,         sizeof(To) == sizeof(float) ? RawColumn::Type::f32 : RawColumn::Type::f64};
  }

  std::vector<float> floats_;
  std::vector<double> doubles_;
};

/// Calls use(first row, rows as a matrix, worker) for all blocks of a matrix.
template <class Use>
void each_block(const RawMatrix& X, int n_threads, Use use) {
  const std::int64_t wanted = X.n_rows / std::max(1, n_threads) + 1;  // work for every thread
  const std::int64_t size = std::clamp<std::int64_t>(wanted, 1, block_rows);
  const auto n_blocks = static_cast<int>((X.n_rows + size - 1) / size);
  Pool pool(std::max(1, std::min(n_threads, n_blocks)));
  std::vector<Block> blocks(static_cast<std::size_t>(pool.size()));
  pool.run(n_blocks, [&](int i, int worker) {
    const std::int64_t first = i * size;
    const auto place = static_cast<std::size_t>(worker);
    use(first, blocks[place].rows(X, first, std::min(size, X.n_rows - first)), place);
  });
}

}  // namespace

std::int64_t Forest::n_columns() const {
  std::int64_t most = 1;
  for (const Predictor* tree : trees_) most = std::max(most, tree->n_columns());
  return most;
}

void Forest::apply(const RawMatrix& X, bool has_missing, std::int64_t* leaves,
                   int n_threads) const {
  const std::size_t n_trees = trees_.size();
  std::vector<std::vector<std::uint32_t>> found(static_cast<std::size_t>(std::max(1, n_threads)));
  each_block(X, n_threads, [&](std::int64_t first, const RawMatrix& rows, std::size_t worker) {
    std::vector<std::uint32_t>& mine = found[worker];
    mine.resize(static_cast<std::size_t>(rows.n_rows));
    std::int64_t* out = leaves + static_cast<std::size_t>(first) * n_trees;
    for (std::size_t t = 0; t < n_trees; ++t) {
      trees_[t]->find_leaves(rows, has_missing, mine.data());
      const std::uint32_t* node = trees_[t]->leaf_nodes().data();
      for (std::size_t row = 0; row < mine.size(); ++row) out[row * n_trees + t] = node[mine[row]];
    }
  });
}

/// Calls use(row, values) with what each tree says of each row, tree after tree. A row that goes
/// down every branch gets the average of its leaves.
template <class Use>
void Forest::each_answer(const RawMatrix& X, bool has_missing, const Values& values, Skip skip,
                         int n_threads, Use use) const {
  struct Buffers {
    std::vector<std::uint32_t> leaves;
    std::vector<double> averages;
  };
  const std::size_t n_values = values.n_values;
  std::vector<Buffers> buffers(static_cast<std::size_t>(std::max(1, n_threads)));
  const std::vector<std::vector<double>> of_leaves = leaf_values(values, X.n_rows);
  each_block(X, n_threads, [&](std::int64_t begin, const RawMatrix& rows, std::size_t worker) {
    const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(rows.n_rows);
    Buffers& mine = buffers[worker];
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      const std::uint8_t* skipped =
          skip.empty() ? nullptr : skip.data() + t * static_cast<std::size_t>(X.n_rows) + first;
      if (has_missing && trees_[t]->is_fractional()) {
        mine.averages.resize(n * n_values);
        trees_[t]->average(rows, values.of_tree[t], n_values, mine.averages.data(), 1);
        for (std::size_t row = 0; row < n; ++row)
          if (!skipped || !skipped[row]) use(first + row, mine.averages.data() + row * n_values);
        continue;
      }
      mine.leaves.resize(n);
      trees_[t]->find_leaves(rows, has_missing, mine.leaves.data());
      const double* table = of_leaves.empty() ? values.of_tree[t].data() : of_leaves[t].data();
      const std::uint32_t* node = trees_[t]->leaf_nodes().data();
      for (std::size_t row = 0; row < n; ++row) {
        if (skipped && skipped[row]) continue;
        const std::size_t leaf = mine.leaves[row];
        use(first + row, table + (of_leaves.empty() ? node[leaf] : leaf) * n_values);
      }
    }
  });
}

/// The values of the leaves alone, side by side; none if there are too few rows to make it pay.
std::vector<std::vector<double>> Forest::leaf_values(const Values& values,
                                                     std::int64_t n_rows) const {
  std::vector<std::vector<double>> of_leaves;
  if (n_rows < 1024) return of_leaves;
  const std::size_t n = values.n_values;
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    std::vector<double>& table = of_leaves.emplace_back();
    const std::span<const std::uint32_t> nodes = trees_[t]->leaf_nodes();
    table.reserve(nodes.size() * n);
    for (const std::size_t node : nodes) {
      const auto first = values.of_tree[t].begin() + static_cast<std::ptrdiff_t>(node * n);
      table.insert(table.end(), first, first + static_cast<std::ptrdiff_t>(n));
    }
  }
  return of_leaves;
}

void Forest::sum(const RawMatrix& X, bool has_missing, const Values& values, Skip skip,
                 double* sums, int n_threads) const {
  const std::size_t n_values = values.n_values;
  each_answer(X, has_missing, values, skip, n_threads, [=](std::size_t row, const double* value) {
    double* sum = sums + row * n_values;
    for (std::size_t k = 0; k < n_values; ++k) sum[k] += value[k];
  });
}

void Forest::vote(const RawMatrix& X, bool has_missing, const Values& values, std::size_t n_outputs,
                  Skip skip, double* votes, int n_threads) const {
  const std::size_t n_values = values.n_values, n_classes = n_values / n_outputs;
  each_answer(X, has_missing, values, skip, n_threads, [=](std::size_t row, const double* value) {
    for (std::size_t first = 0; first < n_values; first += n_classes) {
      const double* best = std::max_element(value + first, value + first + n_classes);
      votes[row * n_values + static_cast<std::size_t>(best - value)] += 1;
    }
  });
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The rows to predict, in the caller's memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "data/column.hpp"
#include "util/parallel.hpp"
#include "util/stop.hpp"

namespace ramify {

/// A matrix of values in the caller's memory.
struct RawMatrix {
  const void* data;
  std::int64_t n_rows, n_columns;
  std::int64_t row_stride, column_stride;  // in bytes
  RawColumn::Type type;                    // f32 or f64

  const char* row(std::int64_t i) const { return static_cast<const char*>(data) + i * row_stride; }
  RawMatrix some_rows(std::int64_t first, std::int64_t last) const {
    RawMatrix part = *this;
    part.data = row(first);
    part.n_rows = last - first;
    return part;
  }
  bool is_float() const { return type == RawColumn::Type::f32; }
};

/// A value of a row, `offset` bytes from its beginning.
template <class T>
T value_at(const char* row, std::int64_t offset) {
  T x;
  std::memcpy(&x, row + offset, sizeof(T));
  return x;
}

/// What a matrix holds besides finite values.
struct Unusual {
  bool has_missing = false;
  std::int64_t infinite_row = -1, infinite_column = -1;  // of one infinite value, if there is any
};
Unusual inspect(const RawMatrix& X);

/// Some rows of a matrix, laid out for prediction by many trees: each row contiguous, and in
/// float32 if that holds every value exactly, since nodes are half as large then.
class RowBlock {
 public:
  RawMatrix rows(const RawMatrix& X, std::int64_t first, std::int64_t last);

 private:
  std::vector<float> floats_;
  std::vector<double> doubles_;
};

/// Calls use(first row, last row, worker) for all rows of a matrix, at most `max` at a time. Checks
/// `stop` in between.
template <class Use>
void each_block(std::int64_t n_rows, std::int64_t max, int n_threads, Stop& stop, Use use) {
  constexpr std::int64_t min = 128;  // for fewer rows a thread is not worth waking
  const std::int64_t wanted = n_rows / std::max(1, n_threads) + 1;  // work for every thread
  const std::int64_t size = std::clamp(wanted, std::min(min, max), max);
  const auto n_blocks = static_cast<int>((n_rows + size - 1) / size);
  Pool pool(std::max(1, std::min(n_threads, n_blocks)));
  pool.run(n_blocks, [&](int i, int worker) {
    if (stop.is_wanted(worker)) return;
    const std::int64_t first = i * size;
    use(first, std::min(n_rows, first + size), worker);
  });
}

}  // namespace ramify

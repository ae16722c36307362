// SPDX-License-Identifier: BSD-3-Clause
// Row-major values of the training rows, so that one pass over a row serves all columns.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "data/table.hpp"
#include "simd/write_through.hpp"
#include "util/big_array.hpp"
#include "util/parallel.hpp"

namespace ramify {

/// Row-major values of the numeric columns, NaN where missing; a bin has its lowest value. They are
/// stored as differences from a value of the column, so that columns far from zero keep their
/// digits.
class ValueBlock {
 public:
  ValueBlock(const Table& table, std::span<const std::uint32_t> rows, Pool& pool)
      : slot_(table.columns.size(), no_slot) {
    for (std::uint32_t j = 0; j < slot_.size(); ++j) {
      const Column& column = table.columns[j];
      if (column.is_categorical) continue;
      slot_[j] = columns_.size();
      columns_.push_back(j);
      origin_.push_back(column.n_codes() > 0 ? column.lower(column.n_codes() / 2) : 0);
      has_missing_ = has_missing_ || column.n_missing > 0;
    }
    stride_ = columns_.size();
    // Rows of many columns are padded to full cache lines.
    if (stride_ > at_once) stride_ = (stride_ + at_once - 1) / at_once * at_once;
    values_ = big_array(rows.size() * stride_);
    pool.run(static_cast<int>((stride_ + at_once - 1) / at_once),
             [&](int group, int) { fill(table, rows, static_cast<std::size_t>(group) * at_once); });
  }

  static constexpr std::size_t no_slot = std::numeric_limits<std::size_t>::max();
  /// Number of values per row; those behind the last column are zero.
  std::size_t stride() const { return stride_; }
  bool has_missing() const { return has_missing_; }
  const double* values() const { return values_.get(); }
  /// The position of a column in a row of the block.
  std::size_t slot(std::uint32_t column) const { return slot_[column]; }
  /// The value that zero stands for at a position of the rows.
  double origin(std::size_t slot) const { return origin_[slot]; }

 private:
  /// Writes a stretch of rows at a time: column by column into a buffer, then row by row into the
  /// block. Stretches are long, so that the values of a column are read many times while they are
  /// in the cache.
  void fill(const Table& table, std::span<const std::uint32_t> rows, std::size_t first) {
    const std::size_t stretch = std::min(rows.size(), std::size_t{1} << 14);
    const std::size_t n = std::min(at_once, stride_ - first);
    const std::unique_ptr<double[]> buffer(new double[n * stretch]);
    for (std::size_t j = columns_.size(); j < first + n; ++j)
      std::fill_n(buffer.get() + (j - first) * stretch, stretch, 0.0);
    for (std::size_t begin = 0; begin < rows.size(); begin += stretch) {
      const std::span<const std::uint32_t> here =
          rows.subspan(begin, std::min(stretch, rows.size() - begin));
      for (std::size_t j = first; j < std::min(first + n, columns_.size()); ++j)
        read(table.columns[columns_[j]], origin_[j], here, buffer.get() + (j - first) * stretch);
      double* to = values_.get() + begin * stride_ + first;
      const double* from = buffer.get();
      for (std::size_t i = 0; i < here.size(); ++i, ++from, to += stride_)
        if (n == at_once)
          for (std::size_t j = 0; j < at_once; j += 2)
            write_through(to + j, from[j * stretch], from[(j + 1) * stretch]);
        else
          for (std::size_t j = 0; j < n; ++j) to[j] = from[j * stretch];
    }
    finish_writing();
  }

  static void read(const Column& column, double origin, std::span<const std::uint32_t> rows,
                   double* to) {
    // Rows read the values in any order, and each read would wait for memory.
    if (rows.size() > column.lowest.size() / 8) to[0] = column.lowest.touch();
    std::visit(
        [&](const auto& codes) {
          for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t code = codes[rows[i]];
            to[i] = code < column.lowest.size() ? column.lowest[code] - origin
                                                : std::numeric_limits<double>::quiet_NaN();
          }
        },
        column.codes);
  }

  static constexpr std::size_t at_once = 8;  // columns, as many as fill a cache line
  std::vector<std::size_t> slot_;
  std::size_t stride_ = 0;
  std::vector<std::uint32_t> columns_;
  std::vector<double> origin_;
  bool has_missing_ = false;
  BigArray values_;
};

}  // namespace ramify

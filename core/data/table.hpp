// SPDX-License-Identifier: BSD-3-Clause
// Columns of ordered codes and the target. Values are encoded once; a table is its columns, a
// target the classes or the regression values of the training rows with exact weights. Nothing here
// knows about trees.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "data/column.hpp"
#include "data/row_records.hpp"
#include "data/sorted_rows.hpp"

namespace ramify {

struct Table {
  std::uint32_t n_rows = 0;
  std::vector<Column> columns;  // constant once trees grow on them

  CodeRecords row_codes() const { return records_->codes(columns, n_rows); }
  ValueRecords row_values() const { return records_->values(columns, n_rows); }
  /// The order of all rows that encoding found, if it was requested; available once.
  SortedRows take_order() const { return order_ ? order_->take() : SortedRows(); }
  void keep_order(SortedRows rows) {
    order_ = std::make_shared<KeptOrder>();
    order_->keep(std::move(rows));
  }
  void forget_order() { order_.reset(); }

 private:
  std::shared_ptr<RowRecords> records_ = std::make_shared<RowRecords>();
  std::shared_ptr<KeptOrder> order_;
};

/// The classes of the training rows, one or several per row, and the weights of the rows.
///
/// Weights are kept as integer multiples of `unit`, a power of two chosen so that even the sum over
/// all rows is exact in a double. So sums do not depend on the order of rows, on threads or on
/// partitions, a difference of sums is exact too, and no rounding error drives a sum below zero.
struct Target {
  std::uint32_t n_rows = 0;
  std::vector<int> n_classes;          // of each output
  std::vector<std::uint32_t> classes;  // row-major: classes[row * n_outputs + output]
  std::vector<double> weight;          // in units; empty if every row weighs one unit
  double unit = 1;
  std::vector<std::uint8_t> times;  // the weights as bytes, where these hold them; see note_times
  std::vector<double> extra;        // row-major sums of user-defined statistics, n_extra per row
  int n_extra = 0;
  // Row-major regression target; empty in classification. Each output then has one "class".
  std::vector<double> values;

  bool is_numeric() const { return !values.empty(); }
  int n_outputs() const { return static_cast<int>(n_classes.size()); }
  bool is_plain() const { return n_outputs() == 1 && n_extra == 0 && !is_numeric(); }
  /// One output, unit weights, no user-defined sums: counts suffice.
  bool is_counted() const { return is_plain() && weight.empty(); }
  /// The same with rows that count several times, as in a bootstrap.
  bool is_integer() const { return is_plain() && (weight.empty() || !times.empty()); }
  /// Sets `times` if all weights are integers below 256 and their sum is below 2^31: then counts
  /// suffice.
  void note_times();
  std::size_t n_all_classes() const {
    return std::accumulate(n_classes.begin(), n_classes.end(), std::size_t{0});
  }
  /// Adds what a row contributes: its weight to the sum of its class in each output, then the
  /// user-defined sums.
  void add_row(std::uint32_t row, std::span<double> sums) const {
    const double own_weight = weight_of(row);
    const std::size_t n = n_classes.size();
    std::size_t first = 0;
    for (std::size_t o = 0; o < n; ++o) {
      sums[first + classes[row * n + o]] += own_weight;
      first += static_cast<std::size_t>(n_classes[o]);
    }
    for (int j = 0; j < n_extra; ++j)
      sums[first + static_cast<std::size_t>(j)] +=
          own_weight * extra[std::size_t{row} * n_extra + static_cast<std::size_t>(j)];
  }
  /// The target of some rows, which weigh so many of the units `unit` each.
  Target some(std::span<const std::uint32_t> rows, std::vector<double> weights, double unit) const;
  double weight_of(std::uint32_t row) const { return weight.empty() ? 1 : weight[row]; }
  double total_weight() const {
    return weight.empty() ? n_rows : std::accumulate(weight.begin(), weight.end(), 0.0);
  }
};

/// The unit in which n weights, none above `largest`, are counted.
double exact_unit(double largest, std::size_t n);

/// Rounds weights to integer multiples of a unit. Returns the unit; a weight below half a unit
/// becomes 0.
double make_exact(std::span<double> weight);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Room `data`: what is in a column, and what is learnt? Values become ordered codes once; a table
// is its columns, a target the classes or numbers of the training rows with exact weights. Nothing
// here knows that trees exist.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "data/column.hpp"
#include "data/row_codes.hpp"
#include "data/row_values.hpp"
#include "data/sorted_rows.hpp"

namespace ramify {

struct Table {
  std::uint32_t n_rows = 0;
  std::vector<Column> columns;  // not changed once trees grow on them

  CodeRecords row_codes() const { return row_codes_->of(columns, n_rows); }
  ValueRecords row_values() const { return row_values_->of(columns, n_rows); }
  /// What the encoding knew of the order of all rows, if it was told to keep that; only once.
  SortedRows take_order() const { return order_ ? order_->take() : SortedRows(); }
  void keep_order(SortedRows rows) {
    order_ = std::make_shared<KeptOrder>();
    order_->keep(std::move(rows));
  }
  void forget_order() { order_.reset(); }

 private:
  std::shared_ptr<RowCodes> row_codes_ = std::make_shared<RowCodes>();
  std::shared_ptr<RowValues> row_values_ = std::make_shared<RowValues>();
  std::shared_ptr<KeptOrder> order_;
};

/// The classes of the training rows, one or several per row, and the weights of the rows.
///
/// Weights are kept as whole multiples of `unit`, a power of two chosen so that even the sum over
/// all rows is exact in a double. So sums do not depend on the order of rows, on threads or on
/// partitions, a difference of sums is exact too, and nothing drifts below zero.
struct Target {
  std::uint32_t n_rows = 0;
  std::vector<int> n_classes;          // of each output
  std::vector<std::uint32_t> classes;  // row-major: classes[row * n_outputs + output]
  std::vector<double> weight;          // in units; empty if every row weighs one unit
  double unit = 1;
  std::vector<std::uint8_t> times;  // the weights as bytes, where these hold them; see note_times
  std::vector<double> extra;        // row-major sums of the user's own, n_extra per row
  int n_extra = 0;
  // Row-major, if numbers are to be learnt and not classes: then each output has one "class".
  std::vector<double> values;

  bool is_numeric() const { return !values.empty(); }
  int n_outputs() const { return static_cast<int>(n_classes.size()); }
  bool is_plain() const { return n_outputs() == 1 && n_extra == 0 && !is_numeric(); }
  /// One output, rows that weigh one, nothing of the user's: counts say it all.
  bool is_counted() const { return is_plain() && weight.empty(); }
  /// The same for rows that count several times, as those of a bootstrap do.
  bool is_integer() const { return is_plain() && (weight.empty() || !times.empty()); }
  /// Sets `times`, if all weights are whole numbers below 256 and their sum is below 2^31: then
  /// counts will do.
  void note_times();
  std::size_t n_all_classes() const {
    return std::accumulate(n_classes.begin(), n_classes.end(), std::size_t{0});
  }
  /// Adds what a row contributes: its weight to the sum of its class in each output, then the
  /// user's sums.
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
  double weight_of(std::uint32_t row) const { return weight.empty() ? 1 : weight[row]; }
  double total_weight() const {
    return weight.empty() ? n_rows : std::accumulate(weight.begin(), weight.end(), 0.0);
  }
};

/// The unit in which n weights, none above `largest`, are counted.
double exact_unit(double largest, std::size_t n);

/// Turns weights into whole multiples of a unit. Returns the unit; a weight below half a unit
/// becomes 0.
double make_exact(std::span<double> weight);

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// Pearson's chi-square test of a contingency table.
#pragma once

#include <cstddef>
#include <vector>

#include "util/distributions.hpp"

namespace ramify {

struct ChiSquareTest {
  double statistic = 0;
  double degrees = 0;  // counting only the rows and columns that are not empty
  double log_p = 0;
};

/// `row(i)` returns the counts of row i as a span; `factor` turns weights into numbers of rows.
template <class Row>
ChiSquareTest chi_square(std::size_t n_rows, std::size_t n_columns, double factor, Row row) {
  std::vector<double> column_sum(n_columns);
  double total = 0;
  std::size_t n_filled = 0, n_columns_filled = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    double row_sum = 0;
    for (std::size_t k = 0; k < n_columns; ++k) {
      row_sum += row(i)[k];
      column_sum[k] += row(i)[k];
    }
    total += row_sum;
    n_filled += row_sum > 0;
  }
  for (const double sum : column_sum) n_columns_filled += sum > 0;
  ChiSquareTest test;
  if (n_filled < 2 || n_columns_filled < 2) return test;
  for (std::size_t i = 0; i < n_rows; ++i) {
    double row_sum = 0;
    for (std::size_t k = 0; k < n_columns; ++k) row_sum += row(i)[k];
    for (std::size_t k = 0; k < n_columns; ++k) {
      const double expected = row_sum * column_sum[k] / total;
      if (expected <= 0) continue;
      const double deviation = row(i)[k] - expected;
      test.statistic += deviation * deviation / expected;
    }
  }
  test.statistic *= factor;
  test.degrees = static_cast<double>((n_filled - 1) * (n_columns_filled - 1));
  test.log_p = log_chi2_tail(test.statistic, test.degrees);
  return test;
}

}  // namespace ramify

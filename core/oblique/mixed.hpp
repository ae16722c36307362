// SPDX-License-Identifier: BSD-3-Clause
// The rows of a node as a matrix in which columns can be mixed, and the way back to raw units.
#pragma once

#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "oblique/methods.hpp"
#include "plan/plan.hpp"
#include "tree/tree.hpp"
#include "util/parallel.hpp"

namespace ramify {

/// A column of the matrix of a node: how it comes from the table.
struct MixedColumn {
  std::uint32_t column = 0;
  bool is_categorical = false;
  std::vector<double> score;      // of each category, NaN for those that do not occur
  double mean = 0;                // of the rows that have a value; stands for the others
  double origin = 0, factor = 1;  // the matrix holds (value - origin) * factor
  double spread = 0;              // from the lowest to the highest, as the matrix holds them

  double scaled(double value) const { return ((value != value ? mean : value) - origin) * factor; }
};

/// The rows of a node.
struct MixedRows {
  std::vector<std::uint32_t> row;    // of the table
  std::vector<std::uint32_t> label;  // among the classes that occur
  std::vector<double> weight;        // empty if all weigh one
  std::vector<double> number;        // in regression: weight times number
  int n_classes = 0;                 // in regression one

  std::size_t size() const { return row.size(); }
  double weight_of(std::size_t i) const { return weight.empty() ? 1 : weight[i]; }
};

/// The lowest and the highest value of a column.
struct ValueRange {
  double low = 0, high = 0;
  double middle() const { return std::midpoint(low, high); }
  double half() const { return high / 2 - low / 2; }
};

/// The lowest and the highest number of a column in some rows, or score of its categories; the
/// wrong way round if there is none.
ValueRange range_of(const Column& column, std::span<const double> score,
                    std::span<const std::uint32_t> rows);

/// The columns that can be mixed in a node: those that vary there, with their scale.
std::optional<MixedColumn> mixed_column(const Table& table, const MixedRows& rows,
                                        std::uint32_t column, Oblique::Scale scale,
                                        const ValueRange& global);

/// The matrix of some columns.
std::vector<double> mixed_matrix(const Table& table, const MixedRows& rows,
                                 std::span<const MixedColumn> columns, bool by_column, Pool* pool);

/// A hyperplane in raw units: the sum of its terms is below the threshold where a direction says
/// left. No terms if the numbers do not bear it.
struct RawHyperplane {
  std::vector<Term> terms;
  double threshold = 0;
  int column = -1;  // of the largest share
};
RawHyperplane in_raw_units(std::span<const MixedColumn> columns, const Direction& direction);

/// Adds what a term gives each row.
void add_term(const Column& column, const Term& term, std::span<const std::uint32_t> rows,
              double* sums);

}  // namespace ramify

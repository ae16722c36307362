// SPDX-License-Identifier: BSD-3-Clause
// What a cell of a row means to an online tree: a byte, and its place in tables of sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ramify::online {

/// One column. The code of a number is the number of cuts below it, that of a category its place in
/// the order of appearance. A cell is the code plus one, or 0 if the value is missing.
struct Column {
  bool is_categorical = false;
  bool has_missing = false;          // whether a value was ever missing
  std::vector<double> cuts;          // ascending
  std::uint32_t n_categories = 0;    // that have appeared, "other" included
  std::uint32_t max_categories = 0;  // the code of all further ones: "other"

  std::uint32_t n_codes() const {
    return is_categorical ? n_categories : static_cast<std::uint32_t>(cuts.size()) + 1;
  }
};

/// How tables of all columns lie: cells first, one for "missing" and room for codes to come.
struct Cells {
  std::vector<std::uint32_t> first, capacity;  // by column
  std::uint32_t n_cells = 0;

  explicit Cells(std::span<const Column> columns);
  Cells() = default;
  bool operator==(const Cells&) const = default;
};

/// All columns of a model, and how rows are read.
struct Columns {
  std::vector<Column> all;
  std::vector<double> padded_cuts;         // of numeric columns, in stretches of 8
  std::vector<std::uint32_t> first_cut;    // of each column, in these, and the end
  std::vector<std::uint32_t> numeric;      // places of the numeric columns
  std::vector<std::uint32_t> categorical;  // of the others
  Cells cells;                             // of all columns
  Cells category_cells;                    // of the categorical ones

  std::size_t size() const { return all.size(); }
  /// Sets what follows from the columns.
  void arrange();
  /// Learns the cuts of numeric columns from some rows, row-major: at most `max_bins` bins.
  void learn_cuts(std::span<const double> rows, std::uint32_t max_bins);
  /// Whether a row has a category, or lacks a value, as none before it.
  bool is_new(const double* row) const;
  /// Notes the categories and missing values of a row. Returns whether cells must be rearranged.
  bool note(const double* row);
  /// The cells of a row.
  void encode(const double* row, std::uint8_t* cells) const;
};

}  // namespace ramify::online

// SPDX-License-Identifier: BSD-3-Clause
// What is minimised: the loss of the leaves of a tree, and a penalty for each of its splits. All
// that rows contribute are whole multiples of powers of two, so that sums are exact in any order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"

namespace ramify::optimal {

enum class Loss : std::uint8_t {
  two,      // two answers: errors or costs of two classes
  classes,  // errors of several classes
  costs,    // errors of several classes that cost differently
  numbers   // squared errors
};

/// A column as the search sees it: whole numbers, split by "at most". A column of the table with
/// missing values is two of them, with the missing ones behind and before all others; a way to
/// divide categories in two is a column of zeros and ones.
struct SearchColumn {
  std::uint32_t column = 0;  // of the table
  bool missing_first = false;
  bool is_categorical = false;
  std::vector<std::uint8_t> left_categories;  // by code; the last is of missing values
  std::vector<std::uint32_t> codes;           // of each row
};

struct Problem {
  Loss loss = Loss::two;
  int n_classes = 0;
  std::uint32_t n_rows = 0;
  std::vector<std::uint32_t> class_code;  // of each row; with costs, its line in `costs`
  std::vector<double> costs;              // [line][answer]: what each answer loses for a row
  std::vector<double> value;              // two: what the first answer loses, less the second;
                                          // classes: weight; numbers: weight times value
  std::vector<double> weight, square;     // numbers: weight, and weight times value squared
  // The most that a row can add to a leaf; empty if that is 1 for each. In regression it depends on
  // the set of rows, see RowSet.
  std::vector<double> height;
  double height_unit = 1;      // of numbers: heights are rounded up to its multiples
  double unit = 1;             // what a loss of 1 is worth
  double penalty = 0;          // of a split, in these units
  std::uint32_t min_rows = 1;  // of a leaf
  double tolerance = 0;        // what a better tree must save at least
  std::vector<SearchColumn> columns;
  std::vector<std::vector<std::uint32_t>> columns_of;  // search columns of each column of the table

  bool is_plain() const { return height.empty() && loss != Loss::numbers; }
};

/// The problem of a table and its target. `costs` is [class][answer], or empty.
Problem make_problem(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                     std::span<const double> costs, double penalty, std::uint32_t min_rows);

/// What the rows lose as one leaf, and its answer: a class, or the place of none in regression.
struct Leaf {
  double loss = 0;
  int answer = 0;
};
Leaf leaf_of(const Problem& problem, std::span<const std::uint32_t> rows);

/// Rows with codes up to this one of a search column go left.
struct Cut {
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  std::uint32_t column = none, code = 0;
};

/// The best tree of at most one test, found by looking at every cut that leaves enough rows on both
/// sides: the first of equals, and a leaf if no test saves its penalty.
struct Stump {
  double cost = 0;
  Cut cut;
};
Stump stump(const Problem& problem, std::span<const std::uint32_t> rows);

}  // namespace ramify::optimal

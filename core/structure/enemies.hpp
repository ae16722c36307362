// SPDX-License-Identifier: BSD-3-Clause
// How close rows of different classes are to each other in all columns: the Euclidean penalty of
// the between-node margin (Du, Chen 2023, eq. 6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "structure/segments.hpp"

namespace ramify {

/// The rows of a node in the unit cube, each with the squared distance to its nearest enemy: the
/// nearest row of another class.
struct Enemies {
  std::size_t n_columns = 0, n_classes = 0;
  std::vector<double> point;         // [row][column], for columns that vary
  std::vector<std::uint32_t> label;  // of each row
  std::vector<double> nearest;       // of each row; infinite if there is one class

  const double* at(std::size_t row) const { return point.data() + row * n_columns; }
};

/// More rows are rejected: the time grows with their square, and 10,000 rows of 30 columns take
/// seconds.
inline constexpr std::size_t max_enemy_rows = 50'000;

/// Finds the enemies of some rows of a matrix of values, [row][column]. Rows are visited in the
/// order of the widest column, outwards from each, as long as their distance in this column alone
/// is below that of the nearest enemy so far.
Enemies find_enemies(std::span<const double> values, int n_columns,
                     std::span<const std::uint32_t> rows, std::span<const std::uint32_t> label,
                     int n_classes);

/// The penalty of every cut along a column, by the number of rows on its left: for both sides the
/// mean over the classes of the squared distance between the class and its nearest enemy on the
/// same side, 0 for a side of one class.
///
/// Closest pairs only get closer as a side grows, and a row whose overall nearest enemy is no
/// closer than the current pairs is skipped: nearly all rows are.
std::vector<double> enemy_penalties(const Enemies& enemies, const CodedColumn& column,
                                    std::span<const double> place);

}  // namespace ramify

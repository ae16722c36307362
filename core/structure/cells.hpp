// SPDX-License-Identifier: BSD-3-Clause
// The rows of a node as class weights by code, where all columns are low-cardinality. Sums over
// these in the order of codes depend neither on the order of rows nor on where the rows are stored.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "data/table.hpp"
#include "rows/layout.hpp"
#include "scan/kernels.hpp"
#include "structure/space.hpp"

namespace ramify {

/// Whether all columns of a table are numeric and of such low cardinality that rows are counted by
/// code.
bool is_counted_by_code(const Table& table);

/// The codes that occur in each column, ascending, and the weight of each class.
struct ClassCells {
  int n_classes = 0;
  std::vector<std::size_t> first;  // cell of each column, and one behind the last
  std::vector<double> value;       // of each cell
  std::vector<double> weight;      // [cell][class]

  std::size_t n_columns() const { return first.size() - 1; }
  std::size_t at(std::size_t cell) const { return cell * static_cast<std::size_t>(n_classes); }
};

/// Some rows of a node in their unit cube, like NodeSpace but without a point for each row: the
/// points of a class are those of its codes.
struct CodeCube {
  /// `weight`: the weights of the rows, [cell][class], of all rows of the node or some.
  CodeCube(const ClassCells& node, std::span<const double> weight);

  /// Rounds points so that their weighted sums are exact in any order, and the lengths of the sums
  /// are the same wherever rows are stored. Returns whether points then have enough digits; else
  /// does nothing.
  bool make_exact();

  NodeSpace space;                                          // without points
  std::vector<std::pair<std::size_t, std::size_t>> varies;  // cells of columns that vary
  std::vector<double> point;                                // [cell][class]: centred and scaled
};

/// Class separation of cuts of some rows; see class_separation.
class SeparationByCode {
 public:
  SeparationByCode(const ClassCells& node, std::span<const double> weight)
      : node_(node), weight_(weight), cube_(node, weight) {}

  /// Class separation of a cut with these weights on its left.
  double of_cut(std::span<const double> left, CodeMatrix code) const;
  /// Scatter of all rows over the distance of their classes.
  double of_all(CodeMatrix code) const;

 private:
  std::pair<PointSums, PointSums> sums_beside(std::span<const double> left) const;

  const ClassCells& node_;
  std::span<const double> weight_;
  CodeCube cube_;
};

/// The same with each side of the cut in its own unit cube.
double separation_of_children(const ClassCells& node, std::span<const double> left,
                              CodeMatrix code);

/// The cells of a node whose rows are in memory.
class RowCells {
 public:
  /// `offsets`: where the code of each column is in a record; labels are below `n_classes`, and
  /// `weight` is empty if all rows weigh one.
  RowCells(const Table& table, const RecordView& records, std::vector<int> offsets,
           std::span<const std::uint32_t> label, std::span<const double> weight, int n_classes);

  const ClassCells& cells() const { return cells_; }
  /// The weights of the rows whose code in a column is at most the given one.
  std::vector<double> left_of(int column, std::uint32_t code) const;
  /// Fills in the points of all rows if their sums are exact; else leaves `space` unchanged and
  /// returns false.
  bool fill_exact(NodeSpace& space) const;

 private:
  template <class Takes>
  void add(Takes takes, std::vector<double>& weight) const;
  std::size_t code_of(std::size_t row, std::size_t column) const {
    return records_.codes[static_cast<std::int64_t>(row) * records_.stride + offsets_[column]];
  }

  RecordView records_;
  std::vector<int> offsets_;
  std::span<const std::uint32_t> label_;
  std::span<const double> weight_;
  ClassCells cells_;
  std::unique_ptr<std::uint32_t[]> cell_of_;  // [column][code], for codes that occur
};

}  // namespace ramify

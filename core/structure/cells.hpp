// SPDX-License-Identifier: BSD-3-Clause
// The rows of a node as class weights by code, where all columns have few codes. What is summed
// from these in the order of codes depends neither on the order of rows nor on where they lie.
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

/// Do the rows of a table have numbers of so few codes in all columns that they are counted?
bool is_counted_by_code(const Table& table);

/// The codes that occur in each column, ascending, and what the rows of each class weigh.
struct ClassCells {
  int n_classes = 0;
  std::vector<std::size_t> first;  // cell of each column, and one behind the last
  std::vector<double> value;       // of each cell
  std::vector<double> weight;      // [cell][class]

  std::size_t n_columns() const { return first.size() - 1; }
  std::size_t at(std::size_t cell) const { return cell * static_cast<std::size_t>(n_classes); }
};

/// Some rows of a node in their unit cube, as NodeSpace has them but without a point for each row:
/// the points of a class are those of its codes.
struct CodeCube {
  /// The rows have these weights, [cell][class], all of the node or some.
  CodeCube(const ClassCells& node, std::span<const double> weight);

  /// Rounds points, so that sums of so much weight are exact in any order, and lengths of them the
  /// same wherever rows are. Says whether points have digits enough then; else does nothing.
  bool make_exact();

  NodeSpace space;                                          // without points
  std::vector<std::pair<std::size_t, std::size_t>> varies;  // cells of columns that do
  std::vector<double> point;                                // [cell][class]: centred and scaled
};

/// Class separation of cuts of some rows; see class_separation.
class SeparationByCode {
 public:
  SeparationByCode(const ClassCells& node, std::span<const double> weight)
      : node_(node), weight_(weight), cube_(node, weight) {}

  /// Of a cut with these weights on its left.
  double of_cut(std::span<const double> left, CodeMatrix code) const;
  /// Scatter of all rows over the distance of their classes.
  double of_all(CodeMatrix code) const;

 private:
  std::pair<PointSums, PointSums> sums_beside(std::span<const double> left) const;

  const ClassCells& node_;
  std::span<const double> weight_;
  CodeCube cube_;
};

/// The same with each side of the cut in a unit cube of its own.
double separation_of_children(const ClassCells& node, std::span<const double> left,
                              CodeMatrix code);

/// The cells of a node whose rows are here.
class RowCells {
 public:
  /// `offsets` says where the code of a column is in a record; labels are below `n_classes`, and
  /// `weight` is empty if all rows weigh one.
  RowCells(const Table& table, const RecordView& records, std::vector<int> offsets,
           std::span<const std::uint32_t> label, std::span<const double> weight, int n_classes);

  const ClassCells& cells() const { return cells_; }
  /// What the rows weigh whose code in a column is not above the given one.
  std::vector<double> left_of(int column, std::uint32_t code) const;
  /// The points of all rows, if sums of them are exact; else leaves `space` as it is and says so.
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
  std::unique_ptr<std::uint32_t[]> cell_of_;  // [column][code], of codes that occur
};

}  // namespace ramify

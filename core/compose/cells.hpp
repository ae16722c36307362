// SPDX-License-Identifier: BSD-3-Clause
// The rows of a node as class weights by code, where all columns have few codes. What is summed
// from these in the order of codes depends neither on the order of rows nor on where they lie.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compose/space.hpp"
#include "data/table.hpp"
#include "rows/layout.hpp"
#include "scan/kernels.hpp"

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

/// Class separation of cuts of some rows, in their unit cube; see class_separation.
class SeparationByCode {
 public:
  /// The rows have these weights, [cell][class], all of the node or some.
  SeparationByCode(const ClassCells& node, std::span<const double> weight);

  /// Of a cut with these weights on its left.
  double of_cut(std::span<const double> left, CodeMatrix code) const;
  /// Scatter of all rows over the distance of their classes.
  double of_all(CodeMatrix code) const;

 private:
  std::pair<PointSums, PointSums> sums_beside(std::span<const double> left) const;

  const ClassCells& node_;
  std::span<const double> weight_;
  NodeSpace space_;                                          // without points
  std::vector<std::pair<std::size_t, std::size_t>> varies_;  // cells of columns that do
  std::vector<double> point_;                                // [cell][class]: centred and scaled
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
  std::vector<std::uint32_t> cell_of_;  // [column][code]
};

/// Cuts of a node whose rows are elsewhere, and what is on their left. What is not known yet is
/// noted down, to be asked for; then the node is looked at again.
class AskedCuts {
 public:
  struct Cut {
    int column;
    std::uint32_t code;
    bool operator==(const Cut&) const = default;
  };

  /// `sums` are those of the node, of which a whole is worth `unit`.
  AskedCuts(const Table& table, const NodeSums& sums, double unit);

  const ClassCells& cells() const { return cells_; }
  /// The weights on the left, [cell][class]; empty if they are to be asked for.
  const std::vector<double>& left_of(Cut cut);
  /// The cuts that are waited for.
  const std::vector<Cut>& wanted() const { return wanted_; }
  /// What is on the left of the first of these. Throws std::invalid_argument if that cannot be.
  void tell(const NodeSums& left);

 private:
  struct Known {
    Cut cut;
    std::vector<double> left;
  };
  double unit_;
  ClassCells cells_;
  std::vector<std::uint32_t> code_;  // of each cell
  std::vector<Known> known_;
  std::vector<Cut> wanted_;
};

}  // namespace ramify

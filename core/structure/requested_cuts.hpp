// SPDX-License-Identifier: BSD-3-Clause
// Cuts of a node whose rows are elsewhere: what is known of them from sums by code, from sums of
// points, and from a closer look at some.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/plan.hpp"
#include "rows/block.hpp"
#include "structure/cells.hpp"
#include "structure/margins.hpp"

namespace ramify {

/// What is not known yet is noted down, to be asked for; then the node is looked at again.
class RequestedCuts {
 public:
  struct Cut {
    int column;
    std::uint32_t code;  // the highest on the left
    bool operator==(const Cut&) const = default;
  };

  /// What a plan wants to know.
  struct Wish {
    bool margins, separation;
    bool present_only;  // classes that do not occur are left out
    bool threshold_is_value;
  };
  static Wish wish_of(const Plan& plan);

  /// `sums` are those of the node, of which a whole is worth `unit`.
  RequestedCuts(const Table& table, const NodeSums& sums, double unit, Wish wish);

  const ClassCells& cells() const { return cells_; }
  /// The weights on the left, [cell][class]; empty if they are to be asked for.
  const std::vector<double>& left_of(Cut cut);
  /// The cuts that are waited for.
  const std::vector<Cut>& wanted() const { return wanted_; }
  /// What is on the left of the first of these. Throws std::invalid_argument if that cannot be.
  void respond(const NodeSums& left);

  /// The columns whose margins are known: the first of them. All if none are wanted.
  std::uint32_t n_columns_known() const { return n_columns_known_; }
  /// The points of all codes and classes of a layout, [cell][class], of which sums are wanted;
  /// those of codes that do not occur are nothing.
  void write_points(const Layout& layout, std::span<double> points) const;
  /// The sums of the points of the rows with each code, of the columns that follow those known up
  /// to `end`: [cell][class][column]. Throws std::invalid_argument if that cannot be.
  void respond_points(const Layout& layout, std::uint32_t end, std::span<const double> sums);
  /// The margins of all cuts of a column that occur in the node; none if it does not vary.
  std::vector<double> margins(const ExpressionStep& step, int column) const;
  double margin_of(const ExpressionStep& step, Cut cut) const;

 private:
  struct Known {
    Cut cut;
    std::vector<double> left;
  };
  void make_cube();

  const Table& table_;
  double unit_;
  Wish wish_;
  std::vector<std::size_t> classes_;  // that have weights in the cells
  ClassCells cells_;
  std::vector<std::uint32_t> code_;  // of each cell
  std::optional<CodeCube> cube_;     // of exact points, if margins are wanted
  std::vector<std::size_t> varies_;  // columns that do, then
  std::vector<double> rest_;         // [class][column that varies]: what all points add up to
  std::vector<double> length_;       // [cell][class]: of the sum of points up to the code, squared
  std::uint32_t n_columns_known_ = 0;
  std::vector<Known> known_;
  std::vector<Cut> wanted_;
};

}  // namespace ramify

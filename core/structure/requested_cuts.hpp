// SPDX-License-Identifier: BSD-3-Clause
// Cuts of a node whose rows are stored elsewhere: what is known of them from histograms, from sums
// of points, and from further requests for some cuts.
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

/// Records what is not known yet, to be requested; then the node is searched again.
class RequestedCuts {
 public:
  struct Cut {
    int column;
    std::uint32_t code;  // the highest on the left
    bool operator==(const Cut&) const = default;
  };

  /// What a plan needs to know.
  struct Wish {
    bool margins, separation;
    bool present_only;  // classes that do not occur are left out
    bool threshold_is_value;
  };
  static Wish wish_of(const Plan& plan);

  /// `sums` are those of the node, in units of `unit`.
  RequestedCuts(const Table& table, const NodeSums& sums, double unit, Wish wish);

  const ClassCells& cells() const { return cells_; }
  /// The weights on the left, [cell][class]; empty if they must be requested.
  const std::vector<double>& left_of(Cut cut);
  /// The cuts whose response is outstanding.
  const std::vector<Cut>& wanted() const { return wanted_; }
  /// Supplies the sums on the left of the first of these. Throws std::invalid_argument if they are
  /// impossible.
  void respond(const NodeSums& left);

  /// Number of leading columns whose margins are known. All if none are needed.
  std::uint32_t n_columns_known() const { return n_columns_known_; }
  /// Writes the points of all codes and classes of a layout, [cell][class], whose sums are needed;
  /// codes that do not occur have zeros.
  void write_points(const Layout& layout, std::span<double> points) const;
  /// Supplies the sums of the points of the rows with each code, for the columns after the known
  /// ones, up to `end`: [cell][class][column]. Throws std::invalid_argument if they are impossible.
  void respond_points(const Layout& layout, std::uint32_t end, std::span<const double> sums);
  /// The margins of all cuts of a column that occur in the node; none if it is constant.
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
  std::optional<CodeCube> cube_;     // of exact points, if margins are needed
  std::vector<std::size_t> varies_;  // columns that vary, if margins are needed
  std::vector<double> rest_;         // [class][column that varies]: the sum of all points
  std::vector<double> length_;       // [cell][class]: squared length of the sum up to the code
  std::uint32_t n_columns_known_ = 0;
  std::vector<Known> known_;
  std::vector<Cut> wanted_;
};

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The five models that PILOT compares in a node (Raymaekers, Rousseeuw, Verdonck, Yao 2024): their
// sums of squares follow from sums over the values of a column.
#pragma once

#include <cstdint>

#include "model_trees/rules.hpp"
#include "model_trees/runs.hpp"

namespace ramify {

/// From simple to complex; of models that are equally good the first wins.
enum class PilotModel { con, lin, pcon, blin, plin };

/// A line in a column: height + slope (x - centre), for the rows of a side.
struct PilotLine {
  double height = 0, slope = 0, centre = 0;
  double low = 0, high = 0;  // the values that it was made for

  double at(double x) const { return height + slope * ((x != x ? centre : x) - centre); }
};

/// A model of one column, and what it leaves of the sum of squares.
struct PilotFit {
  PilotModel model = PilotModel::con;
  std::uint32_t column = 0;
  double rss = 0, bic = 0;
  Division division{};
  PilotLine left{}, right{};  // of all rows if they are not parted; no slope without a line
};

/// The best models of columns in one node. Heights are above the mean of the node.
class PilotSearch {
 public:
  /// `squares` is the sum of squares about the mean, of rows that weigh `weight`; sums of squares
  /// below `floor` are as good as zero.
  PilotSearch(const ModelTreeRules& rules, double weight, double squares, double floor);

  /// Looks at a column of numbers or of categories. Returns whether it admits any model.
  bool consider_numbers(const Runs& runs, std::uint32_t column);
  bool consider_categories(Runs& runs, std::uint32_t column, std::uint32_t n_categories);
  const PilotFit& best() const { return best_; }
  double bic(double rss, PilotModel model) const;

 private:
  struct Cut {
    double gain = -1;
    std::size_t last = 0;  // of the runs on the left
    bool missing_left = false;
  };
  bool has_room(double left_weight) const {
    return left_weight >= rules_.min_leaf && weight_ - left_weight >= rules_.min_leaf;
  }
  void keep(Cut& best, double gain, std::size_t last, bool missing_left) const;
  bool is_better(double gain, PilotModel model, double& rss, double& score) const;

  const ModelTreeRules& rules_;
  double weight_, squares_, floor_;
  PilotFit best_;
};

}  // namespace ramify

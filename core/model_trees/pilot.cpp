// SPDX-License-Identifier: BSD-3-Clause
// PILOT: every node takes the model of one column with the least BIC from its residuals; lines stay
// in the node, the others part it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "model_trees/grow.hpp"
#include "model_trees/pilot_models.hpp"

namespace ramify {
namespace {

struct WaitingNode {
  GrownNode node;
  int n_models = 0;  // on the way here
  std::uint64_t key = 0;
};

class Pilot {
 public:
  Pilot(LineSample& sample, const ModelTreeRules& rules)
      : sample_(sample), rules_(rules), residual_(sample.y) {
    const double range = sample.y_high - sample.y_low;
    floor_ = 1e-14 * range * range;  // per row
  }

  std::vector<GrownNode> grow() {
    WaitingNode root{.node = {}, .key = rules_.seed};
    root.node.rows = sample_.all();
    std::vector<WaitingNode> stack{root};
    while (!stack.empty()) {
      if (rules_.pause) rules_.pause();
      WaitingNode next = std::move(stack.back());
      stack.pop_back();
      visit(std::move(next), stack);
    }
    return std::move(nodes_);
  }

 private:
  void visit(WaitingNode here, std::vector<WaitingNode>& stack) {
    GrownNode& node = here.node;
    parts_.read(sample_, node.rows, sample_.y);
    node.mean = parts_.mean;
    for (;; ++here.n_models) {
      parts_.read(sample_, node.rows, residual_);
      node.weight = parts_.weight;
      const double mean = parts_.mean, squares = parts_.squares;
      node.impurity = squares / node.weight;
      const double floor = floor_ * node.weight;
      const bool ends = node.depth >= rules_.max_depth || node.weight < rules_.min_split ||
                        here.n_models >= rules_.max_models || squares <= floor;
      const PilotFit fit = ends ? PilotFit{} : best(node, floor, here);
      if (fit.model == PilotModel::con) {
        node.line.intercept += mean;
        nodes_.push_back(std::move(node));
        return;
      }
      const double gain = (squares - fit.rss) / node.weight;
      if (fit.model == PilotModel::lin) {
        const double before = squares + node.weight * mean * mean;
        take(node, fit.left, mean, fit.column, gain);
        if (!(squares - fit.rss < rules_.rel_tol * before)) continue;
        parts_.read(sample_, node.rows, residual_);
        node.impurity = parts_.squares / node.weight;
        node.line.intercept += parts_.mean;
        nodes_.push_back(std::move(node));
        return;
      }
      part(std::move(here), fit, mean, gain, stack);
      return;
    }
  }

  PilotFit best(const GrownNode& node, double floor, const WaitingNode& here) {
    PilotSearch search(rules_, parts_.weight, parts_.squares, floor);
    const auto step = static_cast<std::uint64_t>(here.n_models);
    DrawnColumns drawn(sample_.n_columns(), rules_.max_columns, mix(here.key) + step);
    bool admits = false;
    for (auto columns = drawn.next(); !columns.empty() && !admits; columns = drawn.next())
      for (const std::uint32_t column : columns) {
        runs_.read(sample_, column, node.rows, parts_, false);
        admits |= sample_.is_categorical(column)
                      ? search.consider_categories(runs_, column, sample_.n_categories[column])
                      : search.consider_numbers(runs_, column);
      }
    return search.best();
  }

  /// Takes a line off the residuals of a node's rows, and adds it to what the node answers.
  void take(GrownNode& node, const PilotLine& line, double mean, std::uint32_t column,
            double gain) {
    const std::vector<double>& x = sample_.x[column];
    for (const std::uint32_t row : sample_.rows(node.rows))
      residual_[row] -= mean + line.at(x[row]);
    node.line.intercept += mean + line.height;
    if (line.slope == 0) return;
    node.line.intercept -= line.slope * line.centre;
    node.line.add({.column = column,
                   .slope = line.slope,
                   .low = line.low,
                   .high = line.high,
                   .fill = line.centre,
                   .gain = gain});
  }

  void part(WaitingNode here, const PilotFit& fit, double mean, double gain,
            std::vector<WaitingNode>& stack) {
    GrownNode& node = here.node;
    const std::uint32_t middle = sample_.divide(node.rows, fit.division);
    const Segment sides[] = {{node.rows.begin, middle}, {middle, node.rows.end}};
    const int id = static_cast<int>(nodes_.size());
    for (const bool is_first : {false, true}) {  // the first is taken first
      WaitingNode child{
          .node = {}, .n_models = here.n_models + 1, .key = mix(here.key + (is_first ? 1 : 2))};
      child.node.parent = id;
      child.node.depth = node.depth + 1;
      child.node.is_first = is_first;
      child.node.rows = sides[is_first ? 0 : 1];
      child.node.line = node.line;
      take(child.node, is_first ? fit.left : fit.right, mean, fit.column, 0);
      stack.push_back(std::move(child));
    }
    node.is_leaf = false;
    node.gain = gain;
    node.left_weight = sample_.weight_of(sides[0]);
    node.division = fit.division;
    node.line.intercept += mean;
    nodes_.push_back(std::move(node));
  }

  LineSample& sample_;
  const ModelTreeRules& rules_;
  std::vector<double> residual_;
  double floor_ = 0;
  NodeParts parts_;
  Runs runs_;
  std::vector<GrownNode> nodes_;
};

}  // namespace

std::vector<GrownNode> grow_pilot(LineSample& sample, const ModelTreeRules& rules) {
  return Pilot(sample, rules).grow();
}

}  // namespace ramify

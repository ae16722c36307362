// SPDX-License-Identifier: BSD-3-Clause
// M5' (Quinlan 1992; Wang, Witten 1997): a tree that lowers the fifth root of the variance, a line
// in every node, cut back where a line is as good as the subtree, and smoothed along the way to the
// root.
#include <algorithm>
#include <cmath>
#include <vector>

#include "model_trees/fifth_root.hpp"
#include "model_trees/grow.hpp"
#include "model_trees/ridge_line.hpp"

namespace ramify {
namespace {

struct Waiting {
  GrownNode node;
  std::uint64_t key = 0;
};

class M5 {
 public:
  M5(LineSample& sample, const ModelTreeRules& rules)
      : sample_(sample), rules_(rules), answer_(sample.n_rows()) {}

  std::vector<GrownNode> grow() {
    grow_nodes();
    fit_lines();
    std::vector<GrownNode> kept = without_cut();
    if (rules_.smoothing > 0) smooth(kept);
    for (GrownNode& node : kept)
      node.impurity = mean_squared_residual(node.line, sample_, sample_.rows(node.rows),
                                            rules_.y_low, rules_.y_high);
    return kept;
  }

 private:
  // --- growing -----------------------------------------------------------------------------------

  void grow_nodes() {
    Waiting root{.node = {}, .key = rules_.seed};
    root.node.rows = sample_.all();
    std::vector<Waiting> stack{root};
    while (!stack.empty()) {
      if (rules_.pause) rules_.pause();
      Waiting here = std::move(stack.back());
      stack.pop_back();
      visit(std::move(here), stack);
    }
  }

  void visit(Waiting here, std::vector<Waiting>& stack) {
    GrownNode& node = here.node;
    parts_.read(sample_, node.rows, sample_.y);
    node.weight = parts_.weight;
    const double deviation = std::sqrt(parts_.squares / node.weight);
    if (nodes_.empty()) root_deviation_ = deviation;
    node.mean = node.line.intercept = parts_.mean;
    if (node.depth < rules_.max_depth && node.weight >= rules_.min_split && deviation > 0 &&
        deviation >= rules_.stop * root_deviation_) {
      FifthRootSearch search(rules_, node.weight, parts_.squares);
      look(node, here.key, search);
      if (search.best()) {
        part(std::move(here), *search.best(), parts_.squares, stack);
        return;
      }
    }
    nodes_.push_back(std::move(node));
  }

  void look(const GrownNode& node, std::uint64_t key, FifthRootSearch& search) {
    DrawnColumns drawn(sample_.n_columns(), rules_.max_columns, key);
    bool admits = false;
    for (auto columns = drawn.next(); !columns.empty() && !admits; columns = drawn.next())
      for (const std::uint32_t column : columns) {
        runs_.read(sample_, column, node.rows, parts_, true);
        admits |= sample_.is_categorical(column)
                      ? search.consider_categories(runs_, column, sample_.n_categories[column])
                      : search.consider_numbers(runs_, column);
      }
  }

  void part(Waiting here, const FifthRootCut& cut, double squares, std::vector<Waiting>& stack) {
    GrownNode& node = here.node;
    const std::uint32_t middle = sample_.divide(node.rows, cut.division);
    const Segment sides[] = {{node.rows.begin, middle}, {middle, node.rows.end}};
    const int id = static_cast<int>(nodes_.size());
    for (const bool is_first : {false, true}) {  // the first is taken first
      Waiting child{.node = {}, .key = mix(here.key + (is_first ? 1 : 2))};
      child.node.parent = id;
      child.node.depth = node.depth + 1;
      child.node.is_first = is_first;
      child.node.rows = sides[is_first ? 0 : 1];
      stack.push_back(std::move(child));
    }
    node.is_leaf = false;
    node.gain = (squares - cut.left.variance() * cut.left.weight -
                 cut.right.variance() * cut.right.weight) /
                node.weight;
    node.left_weight = cut.left.weight;
    node.division = cut.division;
    nodes_.push_back(std::move(node));
  }

  // --- lines, and cutting back -------------------------------------------------------------------

  /// From the leaves up: the children of a node come after it.
  void fit_lines() {
    std::vector<std::vector<std::uint32_t>> tested(nodes_.size());
    std::vector<double> n_parameters(nodes_.size(), 1);
    std::vector<double> below(nodes_.size(), 0);  // parameters of the children
    for (std::size_t id = nodes_.size(); id-- > 0;) {
      GrownNode& node = nodes_[id];
      const std::span<const std::uint32_t> rows = sample_.rows(node.rows);
      if (node.is_leaf) {
        for (const std::uint32_t row : rows) answer_[row] = node.line.intercept;
      } else {
        n_parameters[id] = below[id] + 1;
        if (!node.division.by_category) tested[id].push_back(node.division.column);
        std::ranges::sort(tested[id]);
        const auto repeated = std::ranges::unique(tested[id]);
        tested[id].erase(repeated.begin(), repeated.end());
        node.line = ridge_line(sample_, rows, tested[id], rules_, true);
        if (rules_.prune && is_as_good(node, rows, n_parameters[id])) {
          node.is_leaf = true;
          n_parameters[id] = static_cast<double>(node.line.terms.size()) + 1;
          for (const std::uint32_t row : rows) answer_[row] = node.line.at(sample_, row);
        }
      }
      if (node.parent < 0) continue;
      const auto parent = static_cast<std::size_t>(node.parent);
      below[parent] += n_parameters[id];
      tested[parent].insert(tested[parent].end(), tested[id].begin(), tested[id].end());
      tested[id].clear();
      tested[id].shrink_to_fit();
    }
  }

  /// Whether the line of a node is as good as the subtree below it.
  bool is_as_good(const GrownNode& node, std::span<const std::uint32_t> rows,
                  double n_parameters) const {
    double by_line = 0, by_subtree = 0;
    for (const std::uint32_t row : rows) {
      const double line = sample_.y[row] - node.line.at(sample_, row),
                   subtree = sample_.y[row] - answer_[row];
      by_line += sample_.weight[row] * line * line;
      by_subtree += sample_.weight[row] * subtree * subtree;
    }
    const auto error = [&](double squares, double parameters) {
      return adjusted_error(std::sqrt(squares / node.weight), node.weight, parameters,
                            rules_.factor);
    };
    const double own = error(by_line, static_cast<double>(node.line.terms.size()) + 1);
    return own <= error(by_subtree, n_parameters) || own < 1e-5 * root_deviation_;
  }

  std::vector<GrownNode> without_cut() const {
    std::vector<GrownNode> kept;
    std::vector<int> number(nodes_.size(), -1);
    for (std::size_t id = 0; id < nodes_.size(); ++id) {
      const GrownNode& node = nodes_[id];
      if (node.parent >= 0) {
        const auto parent = static_cast<std::size_t>(node.parent);
        if (number[parent] < 0 || nodes_[parent].is_leaf) continue;
      }
      number[id] = static_cast<int>(kept.size());
      kept.push_back(node);
      if (node.parent >= 0) kept.back().parent = number[static_cast<std::size_t>(node.parent)];
    }
    return kept;
  }

  // --- smoothing ---------------------------------------------------------------------------------

  /// Mixes the line of every node with those above it: p <- (n p + k q) / (n + k), from the node
  /// up.
  void smooth(std::vector<GrownNode>& nodes) const {
    std::vector<NodeLine> smoothed;
    for (const GrownNode& node : nodes) {
      std::vector<std::pair<const GrownNode*, double>> parts;  // from the node to the root
      std::vector<double> kept;                                // by the step above each
      const GrownNode* at = &node;
      for (; at->parent >= 0; at = &nodes[static_cast<std::size_t>(at->parent)]) {
        kept.push_back(at->weight / (at->weight + rules_.smoothing));
        parts.emplace_back(at, 0);
      }
      parts.emplace_back(at, 0);
      double left = 1;  // what the steps above keep
      for (std::size_t i = parts.size(); i-- > 0;) {
        parts[i].second = i == 0 ? left : left * (1 - kept[i - 1]);
        if (i > 0) left *= kept[i - 1];
      }
      NodeLine line;
      for (const auto& [from, times] : parts) {
        line.intercept += times * from->line.intercept;
        for (LineTerm term : from->line.terms) {
          if (from != &node) term.gain = 0;
          line.add(term, times);
        }
      }
      smoothed.push_back(std::move(line));
    }
    for (std::size_t id = 0; id < nodes.size(); ++id) nodes[id].line = std::move(smoothed[id]);
  }

  LineSample& sample_;
  const ModelTreeRules& rules_;
  std::vector<double> answer_;  // of the subtree so far, by row
  double root_deviation_ = 0;
  NodeParts parts_;
  Runs runs_;
  std::vector<GrownNode> nodes_;
};

}  // namespace

std::vector<GrownNode> grow_m5(LineSample& sample, const ModelTreeRules& rules) {
  return M5(sample, rules).grow();
}

}  // namespace ramify

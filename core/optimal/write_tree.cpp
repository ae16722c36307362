// SPDX-License-Identifier: BSD-3-Clause
#include "optimal/write_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "optimal/columns.hpp"
#include "util/exact_sum.hpp"

namespace ramify::optimal {
namespace {

/// A node with its rows, numbered as in the problem.
struct Node {
  std::vector<std::uint32_t> rows;
  Leaf leaf;
  double cost = 0;  // of the subtree, with the penalties of its splits
  Cut cut;
  std::unique_ptr<Node> left, right;

  bool is_leaf() const { return !left; }
};

std::unique_ptr<Node> grow(const Problem& problem, std::vector<std::uint32_t> rows,
                           const Found* found, int depth) {
  auto node = std::make_unique<Node>();
  node->rows = std::move(rows);
  node->leaf = leaf_of(problem, node->rows);
  node->cost = node->leaf.loss;
  if (found) depth = found->depth;
  node->cut = found ? found->cut : Cut{};
  if (node->cut.column == Cut::none) {
    if (depth == 0) return node;
    node->cut = stump(problem, node->rows).cut;
    depth = 1;
  }
  if (node->cut.column == Cut::none) return node;
  std::vector<std::uint32_t> sides[2];
  const auto& codes = problem.columns[node->cut.column].codes;
  for (const std::uint32_t row : node->rows) sides[codes[row] > node->cut.code].push_back(row);
  for (const bool is_left : {true, false})  // a tree of other rows may have a test without use here
    if (found && found->left && sides[is_left ? 0 : 1].empty())
      return grow(problem, std::move(sides[is_left ? 1 : 0]),
                  (is_left ? found->right : found->left).get(), 0);
  node->left = grow(problem, std::move(sides[0]), found ? found->left.get() : nullptr, depth - 1);
  node->right = grow(problem, std::move(sides[1]), found ? found->right.get() : nullptr, depth - 1);
  const double cost = node->left->cost + node->right->cost + problem.penalty;
  const bool same_answer = problem.loss != Loss::numbers && node->left->is_leaf() &&
                           node->right->is_leaf() &&
                           node->left->leaf.answer == node->right->leaf.answer;
  if (same_answer || !(cost < node->leaf.loss - problem.tolerance)) {
    node->left.reset();
    node->right.reset();
  } else {
    node->cost = cost;
  }
  return node;
}

class Writer {
 public:
  explicit Writer(const TreeSource& source) : source_(source) {
    tree_.n_outputs = 1;
    tree_.max_classes = source.target.n_classes[0];
  }

  std::int64_t add(const Node& node) {
    const auto id = static_cast<std::int64_t>(tree_.size());
    add_statistics(node);
    if (node.is_leaf()) {
      loss_ += node.leaf.loss;
      add_leaf();
      return id;
    }
    const auto& column = source_.problem.columns[node.cut.column];
    // The missing values against all others: in the library these are on the right.
    const bool turned = column.missing_first && node.cut.code == 0;
    const Node& first = turned ? *node.right : *node.left;
    const Node& second = turned ? *node.left : *node.right;
    add_split(node, column, first, second);
    const auto at = static_cast<std::size_t>(id);
    tree_.children_left[at] = add(first);
    tree_.children_right[at] = add(second);
    tree_.next_sibling[static_cast<std::size_t>(tree_.children_left[at])] =
        tree_.children_right[at];
    return id;
  }
  WrittenTree take() { return {std::move(tree_), loss_}; }

 private:
  void add_leaf() {
    tree_.feature.push_back(Tree::no_feature);
    tree_.threshold.push_back(-2);
    tree_.gain.push_back(std::numeric_limits<double>::quiet_NaN());
    tree_.kind.push_back(static_cast<std::uint8_t>(SplitKind::threshold));
    tree_.optimal.push_back(0);
    tree_.missing_branch.push_back(0);
    tree_.default_branch.push_back(0);
    end_lists();
  }

  void add_split(const Node& node, const SearchColumn& search, const Node& first,
                 const Node& second) {
    const Problem& problem = source_.problem;
    const Column& column = source_.table.columns[search.column];
    const std::uint32_t missing = column.n_codes();
    const double weights[2] = {weight_of(first), weight_of(second)};
    const std::uint32_t none = missing + 1;
    std::uint32_t highest = none, lowest = missing;  // on the left, on the right
    std::int64_t missing_branch = -1;
    std::vector<std::int64_t> branch_of(missing + 1, -1);
    for (const std::int64_t branch : {0, 1})
      for (const std::uint32_t row : (branch == 0 ? first : second).rows) {
        const std::uint32_t code = code_of(column, row);
        branch_of[code] = branch;
        if (code == missing)
          missing_branch = branch;
        else if (branch == 0)
          highest = highest == none ? code : std::max(highest, code);
        else
          lowest = std::min(lowest, code);
      }
    tree_.feature.push_back(search.column);
    tree_.gain.push_back((node.leaf.loss - first.leaf.loss - second.leaf.loss) * problem.unit /
                         (weight_of(node) * source_.target.unit));
    tree_.default_branch.push_back(weights[1] > weights[0]);
    if (search.is_categorical) {
      tree_.kind.push_back(static_cast<std::uint8_t>(SplitKind::categories));
      tree_.threshold.push_back(0);
      for (std::uint32_t code = 0; code < missing; ++code)
        if (branch_of[code] >= 0) {
          tree_.split_value.push_back(code);
          tree_.split_branch.push_back(branch_of[code]);
        }
      if (missing_branch < 0) missing_branch = weights[1] > weights[0];
    } else {
      tree_.kind.push_back(static_cast<std::uint8_t>(SplitKind::threshold));
      tree_.threshold.push_back(column.midpoint(highest, lowest));
      if (missing_branch < 0) missing_branch = weights[1] >= weights[0];
    }
    tree_.missing_branch.push_back(missing_branch);
    const auto& own = problem.columns_of[search.column];
    tree_.optimal.push_back(!search.is_categorical ||
                            own.size() < (std::size_t{1} << (max_subset_categories - 1)));
    end_lists();
  }

  void end_lists() {
    tree_.children_left.push_back(Tree::no_child);
    tree_.children_right.push_back(Tree::no_child);
    tree_.next_sibling.push_back(Tree::no_child);
    tree_.split_begin.push_back(static_cast<std::int64_t>(tree_.split_value.size()));
    tree_.term_begin.push_back(0);
  }

  void add_statistics(const Node& node) {
    tree_.n_node_samples.push_back(static_cast<std::int64_t>(node.rows.size()));
    const double weight = weight_of(node);
    tree_.weighted_n_node_samples.push_back(weight * source_.target.unit);
    source_.target.is_numeric() ? add_mean(node, weight) : add_shares(node, weight);
  }
  void add_shares(const Node& node, double weight) {
    std::vector<double> share(static_cast<std::size_t>(tree_.max_classes));
    for (const std::uint32_t row : node.rows)
      share[source_.target.classes[row]] += source_.target.weight_of(row);
    for (double& each : share) each /= weight;
    tree_.value.insert(tree_.value.end(), share.begin(), share.end());
    const double top = *std::ranges::max_element(share);
    double sum = 0;
    if (top < 1 && source_.impurity == LeafImpurity::gini) {
      for (const double p : share) sum += p * p;
      sum = 1 - sum;
    } else if (top < 1 && source_.impurity == LeafImpurity::entropy) {
      for (const double p : share)
        if (p > 0) sum -= p * std::log2(p);
    } else {
      sum = 1 - top;
    }
    tree_.impurity.push_back(sum);
  }
  void add_mean(const Node& node, double weight) {
    std::vector<double> numbers, weights;
    for (const std::uint32_t row : node.rows) {
      numbers.push_back(source_.target.values[row]);
      if (!source_.target.weight.empty()) weights.push_back(source_.target.weight[row]);
    }
    const double mean = exact_sum(numbers, weights) / weight;
    for (double& y : numbers) y = (y - mean) * (y - mean);
    tree_.value.push_back(mean);
    tree_.impurity.push_back(exact_sum(numbers, weights) / weight);
  }

  double weight_of(const Node& node) const {
    double sum = 0;
    for (const std::uint32_t row : node.rows) sum += source_.target.weight_of(row);
    return sum;
  }
  std::uint32_t code_of(const Column& column, std::uint32_t row) const {
    const std::uint32_t place = source_.rows[row];
    return std::visit([place](const auto& codes) -> std::uint32_t { return codes[place]; },
                      column.codes);
  }

  const TreeSource& source_;
  Tree tree_;
  double loss_ = 0;
};

/// Reads the tests of a tree as cuts of search columns.
class Reader {
 public:
  Reader(const TreeSource& source, const TreeView& tree) : source_(source), tree_(tree) {}

  std::unique_ptr<Found> read(std::size_t node) {
    auto found = std::make_unique<Found>();
    if (tree_.children_left[node] < 0) return found;
    bool turned = false;
    found->cut = cut_of(node, turned);
    const auto left = static_cast<std::size_t>(tree_.children_left[node]);
    const auto right = static_cast<std::size_t>(tree_.children_right[node]);
    found->left = read(turned ? right : left);
    found->right = read(turned ? left : right);
    found->depth = 1 + std::max(found->left->depth, found->right->depth);
    is_known_ = is_known_ && found->cut.column != Cut::none &&
                tree_.next_sibling[left] == tree_.children_right[node];
    return found;
  }
  bool is_known() const { return is_known_; }

 private:
  Cut cut_of(std::size_t node, bool& turned) const {
    const auto j = static_cast<std::size_t>(tree_.feature[node]);
    const Column& column = source_.table.columns[j];
    const auto& own = source_.problem.columns_of[j];
    if (tree_.kind_of(node) == SplitKind::threshold && !column.is_categorical) {
      const double threshold = tree_.threshold[node];
      if (!(column.lower(0) <= threshold)) return {};
      const std::uint32_t last = column.last_up_to(threshold, 0, column.n_codes() - 1);
      const bool left_missing = own.size() > 1 && tree_.missing_branch[node] == 0;
      // Search columns that are alike are kept once, perhaps under another column.
      if (source_.problem.columns[own[left_missing]].column != j) return {};
      return {own[left_missing], last + left_missing};
    }
    if (tree_.kind_of(node) != SplitKind::categories) return {};
    for (const std::uint32_t each : own) {
      const SearchColumn& search = source_.problem.columns[each];
      if (search.column != j) continue;
      bool is_same = true, is_opposite = true;
      const auto look = [&](std::size_t code, std::int64_t branch) {
        is_same = is_same && search.left_categories[code] == (branch == 0);
        is_opposite = is_opposite && search.left_categories[code] == (branch == 1);
      };
      for (std::int64_t i = tree_.split_begin[node]; i < tree_.split_begin[node + 1]; ++i)
        look(static_cast<std::size_t>(tree_.split_value[static_cast<std::size_t>(i)]),
             tree_.split_branch[static_cast<std::size_t>(i)]);
      if (!is_same && !is_opposite) continue;
      turned = is_opposite && !is_same;
      return {each, 0};
    }
    return {};
  }

  const TreeSource& source_;
  const TreeView& tree_;
  bool is_known_ = true;
};

bool has_enough_rows(const Node& node, std::uint32_t least) {
  if (node.is_leaf()) return node.rows.size() >= least;
  return has_enough_rows(*node.left, least) && has_enough_rows(*node.right, least);
}

/// What was found, as it is after splits that save nothing were left out.
Found found_of(const Node& node) {
  Found found;
  found.cost = node.cost;
  if (node.is_leaf()) return found;
  found.cut = node.cut;
  found.left = std::make_unique<Found>(found_of(*node.left));
  found.right = std::make_unique<Found>(found_of(*node.right));
  found.depth = 1 + std::max(found.left->depth, found.right->depth);
  return found;
}

std::unique_ptr<Node> grow_all(const Problem& problem, const Found& found) {
  std::vector<std::uint32_t> rows(problem.n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  return grow(problem, std::move(rows), &found, 0);
}

}  // namespace

WrittenTree write_tree(const TreeSource& source, const Found& found) {
  Writer writer(source);
  writer.add(*grow_all(source.problem, found));
  return writer.take();
}

std::int64_t n_leaves(const Found& found) {
  return found.left ? n_leaves(*found.left) + n_leaves(*found.right) : 1;
}

std::optional<Found> known_tree(const TreeSource& source, const TreeView& tree) {
  Reader reader(source, tree);
  const std::unique_ptr<Found> found = reader.read(0);
  if (!reader.is_known()) return {};
  const std::unique_ptr<Node> node = grow_all(source.problem, *found);
  if (!has_enough_rows(*node, source.problem.min_rows)) return {};
  return found_of(*node);
}

}  // namespace ramify::optimal

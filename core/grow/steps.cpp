// SPDX-License-Identifier: BSD-3-Clause
#include "grow/steps.hpp"

#include <algorithm>
#include <limits>

namespace ramify {

bool Progress::must_stop() {
  const auto now = std::chrono::steady_clock::now();
  if (!plan.should_stop || now < next_question) return false;
  next_question = now + std::chrono::milliseconds(50);
  return plan.should_stop(std::min(1.0, static_cast<double>(rows_done) / plan.n_training_rows));
}

namespace {

/// Whatever is learnt.
bool is_small(const Plan& plan, const Target& target, int depth, std::uint32_t n_rows,
              bool has_columns, std::span<const double> sums) {
  if (depth >= plan.max_depth || n_rows < plan.min_split_rows || !has_columns) return true;
  if (plan.gives_up ? n_rows <= plan.min_leaf_rows : n_rows / 2 < plan.min_leaf_rows) return true;
  const double weight = weight_of(target, sums) * target.unit;
  return weight + 1e-6 < 2 * plan.c45.min_branch ||
         weight < 2 * plan.min_leaf_share * plan.training_weight;
}

}  // namespace

bool is_leaf(const Plan& plan, const Target& target, int depth, std::uint32_t n_rows,
             bool has_columns, std::span<const double> sums) {
  return is_small(plan, target, depth, n_rows, has_columns, sums) || is_pure(target, sums);
}

bool is_leaf(const Plan& plan, const Target& target, const Node& node) {
  if (!target.is_numeric())
    return is_leaf(plan, target, node.depth, node.n_rows(), !node.live.empty(), node.sums);
  return node.numbers.is_constant() ||
         is_small(plan, target, node.depth, node.n_rows(), !node.live.empty(), node.sums);
}

bool gains_enough(const Plan& plan, double gain, double weight) {
  return plan.min_decrease <= 0 ||
         weight / plan.training_weight * gain + 1e-12 >= plan.min_decrease;
}

std::vector<Node> children_of(const Node& node, std::uint32_t n) {
  std::vector<Node> children(n);
  for (std::size_t i = 0; i < children.size(); ++i) {
    Node& child = children[i];
    child.sums.resize(node.sums.size());
    child.depth = node.depth + 1;
    child.key = child_key(node.key, i);
    child.live = node.live;
    child.lower = node.lower;
    child.upper = node.upper;
  }
  return children;
}

int Recorder::record(Fragment& fragment, int place, const Split& split,
                     std::span<const Node> children) const {
  std::vector<double> weight;
  for (const Node& child : children) weight.push_back(weight_of(target, child.sums));
  return record(fragment, place, split, children, weight);
}

int Recorder::record(Fragment& fragment, int place, const Split& split,
                     std::span<const Node> children, std::span<const double> weight) const {
  const auto first_place = static_cast<int>(fragment.nodes.size());
  for (const Node& child : children) fragment.add(child, target.n_all_classes());
  write(fragment, place, split, first_place, std::ranges::max_element(weight) - weight.begin());
  return first_place;
}

void Recorder::write(Fragment& fragment, int place, const Split& split, int first_place,
                     std::int64_t heaviest) const {
  Fragment::Grown& grown = fragment.nodes[place];
  grown.first_child = first_place;
  grown.n_children = static_cast<int>(split.n_branches);
  grown.column = split.column;
  grown.threshold = split.threshold;
  grown.gain = split.score;
  grown.kind = split.kind;
  grown.is_optimal = split.is_optimal;
  grown.default_branch = heaviest;
  list(fragment, grown, split);
  grown.term_begin = fragment.terms.size();
  fragment.terms.insert(fragment.terms.end(), split.terms.begin(), split.terms.end());
  grown.term_end = fragment.terms.size();
  grown.missing_branch = missing_branch(split, heaviest);
}

std::int64_t Recorder::missing_branch(const Split& split, std::int64_t heaviest) const {
  if (split.kind == SplitKind::hyperplane) return heaviest;  // its terms know what to fill in
  if (missing == Missing::fractional) return Tree::every_branch;
  const std::uint32_t n_codes = table.columns[split.column].n_codes();
  if (!split.codes.empty() && split.codes.back() == n_codes) return split.branches.back();
  if (missing == Missing::left) return 0;
  if (missing == Missing::right) return static_cast<std::int64_t>(split.n_branches) - 1;
  // Where no row was missing there is nothing to learn: follow the crowd.
  return split.saw_missing ? (split.missing_left ? 0 : 1) : heaviest;
}

/// Writes down the codes or the upper bounds of a split that lists them.
void Recorder::list(Fragment& fragment, Fragment::Grown& grown, const Split& split) const {
  const Column& column = table.columns[split.column];
  grown.list_begin = fragment.listed.size();
  std::size_t n = split.codes.size();
  if (n > 0 && split.codes.back() == column.n_codes()) --n;  // missing has a place of its own
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_last = i + 1 == n;
    if (split.kind == SplitKind::intervals) {
      if (!is_last && split.branches[i] == split.branches[i + 1]) continue;
      fragment.listed.push_back(is_last ? std::numeric_limits<double>::infinity()
                                        : column.midpoint(split.codes[i], split.codes[i + 1]));
    } else {
      fragment.listed.push_back(split.codes[i]);
    }
    fragment.branches.push_back(split.branches[i]);
  }
  grown.list_end = fragment.listed.size();
}

}  // namespace ramify

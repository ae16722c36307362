// SPDX-License-Identifier: BSD-3-Clause
#include "grow/asked.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace ramify {
namespace {

void check_plan(const Table& table, const Plan& plan) {
  const auto refuse = [](const char* what) {
    throw std::invalid_argument(std::string(what) +
                                " needs rows, and not only sums; grow the tree in memory");
  };
  if (reads_rows(plan)) refuse("a criterion of structure");
  if (plan.oblique) refuse("an oblique tree");
  if (plan.dgmml) refuse("dGMML");
  if (plan.max_leaves > 0) refuse("best-first growth");
  if (plan.criterion.numeric) refuse("a criterion of numbers");
  for (const Column& column : table.columns) {
    if (!column.is_narrow()) refuse("a column of more than 255 codes");
    if (plan.missing == Missing::fractional && column.n_missing > 0)
      refuse("missing='fractional' with gaps");
  }
}

}  // namespace

AskedGrower::AskedGrower(Table table, int n_classes, double unit, const Plan& plan,
                         std::uint32_t n_rows, double training_weight)
    : table_(std::move(table)), plan_(plan), recorder_{table_, target_, plan.missing} {
  check_plan(table_, plan);
  target_.n_classes = {n_classes};
  target_.unit = unit;
  // One row that weighs all: sums are not counts of rows (see sum_columns), and a table of
  // logarithms has room for them.
  target_.weight = {training_weight / unit};
  plan_.n_training_rows = n_rows;
  plan_.training_weight = training_weight;
  plan_.min_leaf_weight = plan_.min_leaf_share * training_weight / unit;
  plan_.n_threads = 1;
  for (const Column& column : table_.columns) {
    first_cell_.push_back(n_cells_);
    n_cells_ += column.n_codes() + std::size_t{1};
  }
  search_ = std::make_unique<Search>(table_, std::span<const std::uint32_t>(), target_, plan_,
                                     store_, pool_);
  Node root;
  root.key = mix(plan_.seed);
  root.end = n_rows;
  root.live.resize(table_.columns.size());
  std::iota(root.live.begin(), root.live.end(), 0u);
  open_.push_back({std::move(root), 0});
  fragments_[0].unit = unit;
  fragments_[0].n_facts = static_cast<std::size_t>(n_classes);
}

std::vector<int> AskedGrower::ask() const {
  std::vector<int> places;
  for (const Open& open : open_) places.push_back(open.place);
  return places;
}

NodeContext AskedGrower::context(int node) const {
  const auto open = std::ranges::find(open_, node, &Open::place);
  if (open == open_.end())
    throw std::invalid_argument("node " + std::to_string(node) + " is not asked for");
  return {open->node.key,        open->node.depth, target_.unit,     plan_.training_weight,
          plan_.n_training_rows, open->node.lower, open->node.upper, open->node.live};
}

void AskedGrower::tell(int node, Part part) {
  const auto open = std::ranges::find(open_, node, &Open::place);
  if (open == open_.end())
    throw std::invalid_argument("node " + std::to_string(node) + " is not asked for");
  const auto first = static_cast<int>(fragments_.size());
  for (Fragment& fragment : part.fragments) {
    for (Fragment::Grown& grown : fragment.nodes)
      if (grown.continued_in >= 0) grown.continued_in += first;
    fragments_.push_back(std::move(fragment));
  }
  if (!is_root_known_) fragments_[0].add(0, std::vector<double>(fragments_[0].n_facts), {});
  is_root_known_ = true;
  fragments_[0].nodes[static_cast<std::size_t>(node)].continued_in = first;
  open_.erase(open);
}

void AskedGrower::tell(std::span<const std::int64_t> sums) {
  const auto n_classes = static_cast<std::size_t>(target_.n_classes[0]);
  const std::size_t per_slot = n_cells_ * (n_classes + 1);
  if (sums.size() != per_slot * open_.size())
    throw std::invalid_argument("sums of " + std::to_string(open_.size()) + " nodes are " +
                                std::to_string(per_slot * open_.size()) + " numbers, not " +
                                std::to_string(sums.size()));
  routes_.clear();
  std::vector<Open> told = std::exchange(open_, {}), next;
  for (std::size_t slot = 0; slot < told.size(); ++slot) {
    const NodeSums of_node{sums.data() + slot * per_slot, first_cell_.data(), n_classes};
    if (!is_root_known_) sum_root(told[slot], of_node);
    split(told[slot], of_node, next);
  }
  open_ = std::move(next);
  std::ranges::sort(routes_, {}, &Route::node);
}

/// The sums over all rows, from any column.
void AskedGrower::sum_root(Open& root, const NodeSums& sums) const {
  root.node.sums.assign(sums.n_classes, 0);
  for (std::size_t code = 0; !table_.columns.empty() && code <= table_.columns[0].n_codes(); ++code)
    for (std::size_t k = 0; k < sums.n_classes; ++k)
      root.node.sums[k] += static_cast<double>(sums.cell(0, code)[k]);
}

/// The children of a node with their sums, from those of the column that is split.
std::vector<Node> AskedGrower::children_of(const Node& node, const Split& split,
                                           const NodeSums& sums,
                                           std::span<const std::uint32_t> branch) const {
  std::vector<Node> children(split.n_branches);
  for (std::size_t i = 0; i < children.size(); ++i) {
    Node& child = children[i];
    child.sums.assign(node.sums.size(), 0);
    child.depth = node.depth + 1;
    child.key = child_key(node.key, i);
    child.live = node.live;
    child.lower = node.lower;
    child.upper = node.upper;
  }
  for (std::size_t code = 0; code < branch.size(); ++code) {
    const std::int64_t* cell = sums.cell(static_cast<std::size_t>(split.column), code);
    Node& child = children[branch[code]];
    child.end += static_cast<std::uint32_t>(cell[sums.n_classes]);
    for (std::size_t k = 0; k < sums.n_classes; ++k) child.sums[k] += static_cast<double>(cell[k]);
  }
  return children;
}

void AskedGrower::split(Open& open, const NodeSums& sums, std::vector<Open>& next) {
  Node& node = open.node;
  Fragment& fragment = fragments_[0];
  if (!is_root_known_) {
    is_root_known_ = true;
    fragment.add(node.n_rows(), node.sums, {node.lower, node.upper});
    if (is_leaf(plan_, target_, node)) return;
  }
  scratch_[0].codes.given = &sums;
  Split split = search_->best(node, scratch_);
  const auto write_ledger = [&](bool is_split) {
    if (plan_.n_recorded == 0) return;
    for (Recorded& candidate : scratch_[0].recorded) candidate.split.is_chosen &= is_split;
    fragment.ledger.push_back({open.place, std::exchange(scratch_[0].recorded, {})});
  };
  if (!pays(plan_, target_, split, 1, weight_of(target_, node.sums))) return write_ledger(false);
  const std::vector<std::uint32_t> branch =
      branch_of_codes(split, table_.columns[static_cast<std::size_t>(split.column)].n_codes());
  std::vector<Node> children = children_of(node, split, sums, branch);
  const LeafLimits limits = leaf_limits(plan_);
  const bool is_split = !plan_.gives_up || std::ranges::all_of(children, [&](const Node& child) {
    return limits.allows(child.n_rows(), weight_of(target_, child.sums));
  });
  write_ledger(is_split);
  if (!is_split) return;
  const auto share = [&](const Node& child) {
    return child.sums[1] / weight_of(target_, child.sums);
  };
  if (children.size() == 2 && !plan_.monotonic.empty())
    set_bounds(plan_.monotonic[static_cast<std::size_t>(split.column)], share(children[0]),
               share(children[1]), children[0], children[1]);
  const auto first_child = static_cast<int>(fragment.nodes.size());
  std::vector<double> weight;
  for (const Node& child : children) {
    fragment.add(child.n_rows(), child.sums, {child.lower, child.upper});
    weight.push_back(weight_of(target_, child.sums));
  }
  recorder_.write(fragment, open.place, split, first_child,
                  std::ranges::max_element(weight) - weight.begin());
  routes_.push_back({open.place, split.column, first_child, branch});
  for (std::size_t i = 0; i < children.size(); ++i)
    if (!is_leaf(plan_, target_, children[i]))
      next.push_back({std::move(children[i]), first_child + static_cast<int>(i)});
}

Tree AskedGrower::tree() const {
  if (!open_.empty())
    throw std::invalid_argument("the tree is not grown: " + std::to_string(open_.size()) +
                                " nodes are asked for");
  return assemble(fragments_, target_, plan_.impurity);
}

}  // namespace ramify

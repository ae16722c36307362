// SPDX-License-Identifier: BSD-3-Clause
// What LevelGrower makes of the sums: splits, children, and which of them come next.
#include <algorithm>
#include <utility>

#include "distributed/level_grower.hpp"
#include "grow/checks.hpp"

namespace ramify {
namespace {

/// In best-first growth: nodes that are split in advance, so that a pass over the rows serves many.
constexpr std::size_t splits_in_advance = 32;

}  // namespace

bool LevelGrower::waits(const Item& item) const {
  return !item.is_decided && !item.is_aside && !item.is_leaf;
}

/// The children of a node with their sums, from those of the split column.
std::vector<Outcome::Child> LevelGrower::children_of(const Split& split,
                                                     const NodeSums& sums) const {
  const auto column = static_cast<std::size_t>(split.column);
  const std::vector<std::uint32_t> branch = branch_of_codes(split, layout_.n_codes[column]);
  std::vector<Outcome::Child> children(split.n_branches);
  for (Outcome::Child& child : children) child.sums.resize(sums.n_classes);
  for (std::size_t code = 0; code < branch.size(); ++code) {
    const std::int64_t* cell = sums.cell(column, code);
    Outcome::Child& child = children[branch[code]];
    child.n_rows += static_cast<std::uint64_t>(sums.rows(cell));
    const std::size_t n = is_numeric() ? 1 : sums.n_classes;  // in regression the weight
    for (std::size_t k = 0; k < n; ++k) child.sums[k] += static_cast<double>(cell[k]);
  }
  return children;
}

Outcome LevelGrower::decide(int id, std::span<const std::int64_t> sums, RequestedCuts* cuts) {
  const Node& node = item(id).node;
  const std::vector<double> units = units_of(item(id));
  const NodeSums of_node = node_sums(layout_, sums, units);
  FoundSplit found = scorer_ ? std::move(found_.at(id)) : search_.best(node, of_node, cuts);
  Outcome outcome;
  outcome.split = std::move(found.split);
  outcome.recorded = std::move(found.recorded);
  outcome.non_constant = std::move(found.non_constant);
  if (!pays(plan_, target_, outcome.split, gain_unit(node), weight_of(target_, node.sums))) {
    outcome.split = {};
    return outcome;
  }
  outcome.split.score *= gain_unit(node);
  outcome.children = children_of(outcome.split, of_node);
  const LeafLimits limits = leaf_limits(plan_);
  if (plan_.gives_up && !std::ranges::all_of(outcome.children, [&](const Outcome::Child& child) {
        return limits.allows(child.n_rows, weight_of(target_, child.sums));
      }))
    outcome.children.clear();
  return outcome;
}

void LevelGrower::settle(int id, std::vector<std::int64_t> sums) {
  if (!reads_rows(plan_)) {
    settle(id, decide(id, sums, nullptr));
    return keep_sums(id, std::move(sums));
  }
  RequestedCuts cuts(table_, node_sums(layout_, sums), target_.unit, RequestedCuts::wish_of(plan_));
  undecided_.add({id, std::move(sums), std::move(cuts)});
}

/// Decides a node if all is known of the cuts that matter. If not, the result of the search is
/// discarded, but it has recorded which cuts these are; they do not depend on their responses.
bool LevelGrower::look_closer(UndecidedNodes::Undecided& undecided) {
  if (undecided.cuts.n_columns_known() < layout_.n_codes.size()) return false;
  Outcome outcome = decide(undecided.id, undecided.sums, &undecided.cuts);
  if (!undecided.cuts.wanted().empty()) return false;
  settle(undecided.id, std::move(outcome));
  keep_sums(undecided.id, std::move(undecided.sums));
  return true;
}

/// Keeps the sums of a settled node, as long as those of its children may be derived from them.
void LevelGrower::keep_sums(int id, std::vector<std::int64_t> sums) {
  if (is_numeric()) return;  // children have their own fixed-point scales: nothing can be derived
  const std::size_t bytes = sums.size() * sizeof(std::int64_t);
  const Item& settled = item(id);
  bool has_use = is_best_first() && settled.outcome.split.exists();
  for (int i = 0; i < settled.n_children; ++i)
    has_use = has_use || waits(item(settled.first_child + i));
  if (!has_use || n_kept_ + bytes > budget_) return;
  n_kept_ += bytes;
  item(id).sums = std::move(sums);
}

void LevelGrower::drop_sums(int id) {
  n_kept_ -= item(id).sums.size() * sizeof(std::int64_t);
  item(id).sums = {};
}

void LevelGrower::settle(int id, Outcome outcome) {
  Item& settled = item(id);
  settled.is_decided = true;
  settled.node.non_constant = outcome.non_constant;
  settled.outcome = std::move(outcome);
  log_.push_back(id);
  if (is_best_first()) {
    if (settled.place >= 0) offer(id);
    return;
  }
  expand(id);
  if (!is_numeric() || item(id).n_children == 0) commit(id);  // else see end_family
  for (int i = 0; i < item(id).n_children; ++i)
    if (waits(item(item(id).first_child + i))) open_.push_back(item(id).first_child + i);
}

/// Makes the children of a node, if it has any.
void LevelGrower::expand(int id) {
  const Outcome& outcome = item(id).outcome;
  if (item(id).n_children > 0 || outcome.children.empty()) return;
  const Node node = item(id).node;
  item(id).first_child = static_cast<int>(items_.size());
  item(id).n_children = static_cast<int>(outcome.children.size());
  std::vector<Node> children(outcome.children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    Node& child = children[i];
    child.n_elsewhere = outcome.children[i].n_rows;
    child.sums = outcome.children[i].sums;
    child.depth = node.depth + 1;
    child.key = child_key(node.key, i);
    child.non_constant = node.non_constant;
    child.lower = node.lower;
    child.upper = node.upper;
  }
  const auto share = [&](const Node& child) {
    return child.sums[1] / weight_of(target_, child.sums);
  };
  if (children.size() == 2 && !plan_.monotonic.empty() && !is_numeric())
    set_bounds(plan_.monotonic[outcome.split.column], share(children[0]), share(children[1]),
               children[0], children[1]);
  add_way(id);
  for (Node& child : children) {
    Item& made = items_.emplace_back();
    made.parent = id;
    made.is_leaf = !is_numeric() && is_leaf(plan_, target_, child);
    made.node = std::move(child);
  }
  ways_.of_node.resize(items_.size());
}

void LevelGrower::add_way(int id) {
  const Split& split = item(id).outcome.split;
  Way& way = ways_.of_node[id];
  way.column = split.column;
  way.first_child = item(id).first_child;
  if (split.kind == SplitKind::threshold && split.codes.empty()) {
    way.highest = split.code;
    way.missing = missing_side(split.missing_left, split.n_branches);
    return;
  }
  const auto branch = branch_of_codes(split, layout_.n_codes[split.column]);
  way.begin = static_cast<std::int64_t>(ways_.branches.size());
  ways_.branches.insert(ways_.branches.end(), branch.begin(), branch.end());
}

/// Writes the result of a node: its split and its children, which are then in the tree.
void LevelGrower::commit(int id) {
  Item& settled = item(id);
  settled.is_committed = true;
  Fragment& fragment = fragments_[0];
  const bool is_split = settled.n_children > 0;
  if (plan_.n_recorded > 0) {
    for (Recorded& candidate : settled.outcome.recorded) candidate.split.is_chosen &= is_split;
    fragment.ledger.push_back({settled.place, settled.outcome.recorded});
  }
  if (!is_split) {
    rows_done_ += static_cast<double>(settled.node.n_rows());
    return;
  }
  const auto first_place = static_cast<int>(fragment.nodes.size());
  MajorityChild heaviest;
  for (int i = 0; i < settled.n_children; ++i) {
    Item& child = item(settled.first_child + i);
    child.place = fragment.add(child.node.n_rows(), statistics_of(child.node),
                               {child.node.lower, child.node.upper});
    heaviest.add(i, weight_of(target_, child.node.sums));
    if (child.is_leaf) rows_done_ += static_cast<double>(child.node.n_rows());
  }
  recorder_.write(fragment, settled.place, settled.outcome.split, first_place, heaviest);
}

Tree LevelGrower::tree() const {
  const auto is_unfinished = [&](const Item& each) { return each.is_aside; };
  if (!open_.empty() || !undecided_.empty() || std::ranges::any_of(items_, is_unfinished))
    throw std::invalid_argument("the tree is not complete: some nodes are open or set aside");
  return assemble(fragments_, target_, plan_);
}

bool LevelGrower::is_worse(int a, int b) const {
  const auto improvement = [&](int id) {
    const Node& node = item(id).node;
    return item(id).outcome.split.score * weight_of(target_, node.sums);
  };
  if (improvement(a) != improvement(b)) return improvement(a) < improvement(b);
  return item(a).place > item(b).place;
}

/// Adds a decided node of the tree to the candidates for the next split.
void LevelGrower::offer(int id) {
  if (item(id).is_leaf) return;
  if (!item(id).outcome.split.exists()) return commit(id);
  frontier_.push_back(id);
  std::ranges::push_heap(frontier_, [&](int a, int b) { return is_worse(a, b); });
}

/// Splits nodes in their order until one has children that are not decided; these are requested,
/// along with those of the next best.
void LevelGrower::go_on() {
  if (!is_best_first()) return;
  log_.push_back(-1);
  open_.clear();
  const auto worse = [&](int a, int b) { return is_worse(a, b); };
  const auto is_too_wide = [&](int id) {
    return n_leaves_ + item(id).outcome.split.n_branches - 1 > plan_.max_leaves;
  };
  const auto has_waiting = [&](int id) {
    expand(id);
    for (int i = 0; i < item(id).n_children; ++i)
      if (waits(item(item(id).first_child + i))) return true;
    return false;
  };
  while (!frontier_.empty() && n_leaves_ < plan_.max_leaves) {
    const int best = frontier_.front();
    if (!is_too_wide(best) && has_waiting(best)) break;
    std::ranges::pop_heap(frontier_, worse);
    frontier_.pop_back();
    drop_sums(best);
    if (is_too_wide(best)) continue;
    commit(best);
    if (item(best).n_children == 0) continue;
    n_leaves_ += static_cast<std::uint32_t>(item(best).n_children) - 1;
    for (int i = 0; i < item(best).n_children; ++i) offer(item(best).first_child + i);
  }
  if (frontier_.empty() || n_leaves_ >= plan_.max_leaves) return;
  std::vector<int> next = frontier_;
  const std::size_t n = std::min(next.size(), splits_in_advance);
  std::partial_sort(next.begin(), next.begin() + n, next.end(),
                    [&](int a, int b) { return is_worse(b, a); });
  next.resize(n);
  for (const int id : next)
    if (!is_too_wide(id) && has_waiting(id))
      for (int i = 0; i < item(id).n_children; ++i)
        if (waits(item(item(id).first_child + i))) open_.push_back(item(id).first_child + i);
}

}  // namespace ramify

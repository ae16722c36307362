// SPDX-License-Identifier: BSD-3-Clause
#include "grow/asked.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "grow/checks.hpp"
#include "util/bytes.hpp"

namespace ramify {
namespace {

/// Best first: nodes that are split in advance, so that a pass over the rows serves many.
constexpr std::size_t nodes_in_advance = 32;

void refuse_what_sums_cannot_tell(const Table& table, const Plan& plan) {
  const auto refuse = [](const char* what) {
    throw std::invalid_argument(std::string(what) +
                                " needs rows, and not only sums; grow the tree in memory");
  };
  if (reads_rows(plan)) refuse("a criterion of structure");
  if (plan.oblique) refuse("an oblique tree");
  if (plan.dgmml) refuse("dGMML");
  if (is_cut_by_criterion(plan.by_test)) refuse("a test that counts rows");
  if (plan.criterion.is_ordered()) refuse("a loss that looks at the order of numbers");
  for (const Column& column : table.columns) {
    if (!column.is_categorical && !column.is_narrow())
      refuse("a column of more than 255 codes of numbers");
    if (plan.missing == Missing::fractional && column.n_missing > 0)
      refuse("missing='fractional' with gaps");
  }
}

}  // namespace

AskedGrower::AskedGrower(Table table, Layout layout, double unit, const Plan& plan,
                         std::uint64_t n_rows, std::size_t budget)
    : table_(std::move(table)),
      layout_(std::move(layout)),
      plan_(plan),
      budget_(budget),
      recorder_{table_, target_, plan.missing} {
  refuse_what_sums_cannot_tell(table_, plan);
  constexpr std::uint64_t most = std::uint64_t{1} << 53;  // a double counts to that
  if (n_rows == 0 || n_rows > most)
    throw std::invalid_argument("a tree is grown on 1 to " + std::to_string(most) +
                                " rows, not on " + std::to_string(n_rows));
  target_.n_classes = layout_.n_classes;
  target_.unit = unit;
  if (is_numeric()) target_.numbers = {0};  // there are some, elsewhere
  check_plan(table_, {}, target_, plan);
  plan_.n_training_rows = n_rows;
  plan_.n_threads = 1;
  items_.emplace_back();
  Node& root = items_[0].node;
  root.key = mix(plan_.seed);
  root.n_elsewhere = n_rows;
  root.live.resize(table_.columns.size());
  std::iota(root.live.begin(), root.live.end(), 0u);
  root.sums.resize(layout_.n_classes_all);
  Fragment& fragment = fragments_[0];
  fragment.unit = unit;
  fragment.n_facts = n_facts();
  if (is_numeric()) {
    root.lower = -std::numeric_limits<double>::infinity();
    root.upper = std::numeric_limits<double>::infinity();
    if (!layout_.is_weighted) root.sums[0] = static_cast<double>(n_rows);
    learner_ = std::make_unique<NumberLearner>(plan_, layout_.n_classes.size());
  }
  items_[0].place =
      fragment.add(root.n_rows(), std::vector<double>(fragment.n_facts), {root.lower, root.upper});
  ways_.of_node.resize(1);
  open_.push_back(0);
}

NodeSums AskedGrower::view(std::span<const std::int64_t> sums,
                           std::span<const double> units) const {
  return {sums.data(),           layout_.first_cell.data(),
          layout_.n_classes_all, static_cast<std::size_t>(layout_.n_classes[0]),
          layout_.is_weighted,   units.empty() ? nullptr : units.data()};
}

/// What a leaf would predict from; zeros of a node whose numbers are learnt elsewhere.
std::vector<double> AskedGrower::facts_of(const Node& node) const {
  if (is_numeric() && node.numbers.outputs.empty()) return std::vector<double>(n_facts());
  return ramify::facts_of(target_, node);
}

/// Criteria of numbers give the share of the impurity.
double AskedGrower::gain_unit(const Node& node) const {
  return plan_.criterion.numeric ? node.numbers.impurity : 1;
}

// --- numbers ------------------------------------------------------------------------------------

MarkSteps AskedGrower::steps_of(const Item& item) const {
  return {item.node.sums[0], static_cast<double>(item.node.n_rows()), item.heaviest};
}

/// What a step of each channel is worth; empty if classes are learnt.
std::vector<double> AskedGrower::units_of(const Item& item) const {
  if (!is_numeric()) return {};
  std::vector<double> units(layout_.n_classes_all, steps_of(item).down);
  for (std::size_t k = 0; k < units.size(); k += static_cast<std::size_t>(layout_.n_stats))
    units[k] = 1;  // weights
  return units;
}

std::vector<NumberScale> AskedGrower::scales() const {
  std::vector<NumberScale> scales;
  for (const int id : slots_)
    for (const NodeNumbers::Output& output : item(id).node.numbers.outputs)
      scales.push_back({output.ruler.centre, 1 / output.ruler.scale, steps_of(item(id))});
  return is_numeric() ? scales : std::vector<NumberScale>();
}

const std::vector<int>& AskedGrower::to_learn() {
  if (!is_numeric() || !learning_.empty()) return learning_;
  std::vector<NumberLearner::Subject> subjects;
  for (const int id : open_) {
    if (item(id).is_learnt) continue;
    learning_.push_back(id);
    const Node& node = item(id).node;
    subjects.push_back({id, static_cast<double>(node.n_rows()), node.sums[0]});
  }
  learner_->start(std::move(subjects));
  return learning_;
}

template <class Number>
void AskedGrower::tell_numbers(std::span<const Number> answer) {
  const NumberQuestion asked = learner_->question();
  const bool is_largest = std::is_same_v<Number, double>;
  if (learning_.empty() || asked.is_of_largest() != is_largest ||
      answer.size() != asked.n_slots * asked.width())
    throw std::invalid_argument("the answer is not one to the question about numbers");
  for (NumberLearner::Subject& learnt : learner_->tell(answer)) {
    if (learnt.node == 0) item(0).node.sums[0] = learnt.weight;
    learn(learnt.node, std::move(learnt.numbers), learnt.heaviest);
  }
  if (learner_->is_asking()) return;
  learning_.clear();
  if (open_.empty()) go_on();
}

template void AskedGrower::tell_numbers(std::span<const double>);
template void AskedGrower::tell_numbers(std::span<const std::int64_t>);

/// Takes what was learnt of a node, of which only the weight was known.
void AskedGrower::learn(int id, NodeNumbers numbers, double heaviest) {
  Item& learnt = item(id);
  learnt.is_learnt = true;
  learnt.heaviest = heaviest;
  learnt.node.numbers = std::move(numbers);
  for (std::size_t k = 0; k < learnt.node.sums.size(); ++k)
    learnt.node.sums[k] = k % static_cast<std::size_t>(layout_.n_stats) ? 0 : learnt.node.sums[0];
  log_.push_back(-2 - id);
  if (id == 0) learn_root(learnt.node.sums);
  learnt.is_leaf = is_leaf(plan_, target_, learnt.node);
  if (learnt.is_leaf) std::erase(open_, id);
  if (id == 0) {
    if (learnt.is_leaf) rows_done_ += static_cast<double>(learnt.node.n_rows());
  } else {
    end_family(learnt.parent);
  }
}

/// If numbers are learnt: when all children of a node are known, they may not cross the middle of
/// what they predict; and are in the tree, if it is not the best that comes first.
void AskedGrower::end_family(int parent) {
  Item& split = item(parent);
  for (int i = 0; i < split.n_children; ++i) {
    const Item& child = item(split.first_child + i);
    if (!child.is_learnt && !child.is_aside && !child.is_decided) return;
  }
  Item &left = item(split.first_child), &right = item(split.first_child + 1);
  if (left.is_learnt && right.is_learnt && !plan_.monotonic.empty())
    set_bounds(plan_.monotonic[static_cast<std::size_t>(split.outcome.split.column)],
               left.node.numbers.outputs[0].value, right.node.numbers.outputs[0].value, left.node,
               right.node);
  if (!is_best_first() && !split.is_committed) commit(parent);
}

/// The sums of a node whose numbers are measured.
void AskedGrower::take_totals(Item& item, std::span<const double> totals) const {
  const std::vector<double> units = units_of(item);
  for (std::size_t k = 0; k < units.size(); ++k) item.node.sums[k] = totals[k] * units[k];
}

// --- what is wanted -----------------------------------------------------------------------------

std::vector<AskedGrower::Open> AskedGrower::open() const {
  std::vector<Open> all;
  for (const int id : open_) {
    const Node& node = items_[static_cast<std::size_t>(id)].node;
    all.push_back({id, node.depth, node.n_rows()});
  }
  return all;
}

NodeContext AskedGrower::set_aside(int node) {
  const auto found = std::ranges::find(open_, node);
  if (found == open_.end())
    throw std::invalid_argument("node " + std::to_string(node) + " is not open");
  if (is_best_first() && node != 0)
    throw std::invalid_argument("best-first growth leaves no node but the root to others");
  if (is_numeric() && node != 0 && !plan_.monotonic.empty() &&
      !items_[static_cast<std::size_t>(node)].is_learnt)
    throw std::invalid_argument("node " + std::to_string(node) + " is not learnt: its bounds are " +
                                "not known");
  open_.erase(found);
  families_.clear();
  slots_.clear();
  n_asked_ = 0;
  Item& item = items_[static_cast<std::size_t>(node)];
  item.is_aside = true;
  rows_done_ += static_cast<double>(item.node.n_rows());
  learning_.clear();
  if (is_numeric() && node != 0) end_family(item.parent);
  return {item.node.key,         item.node.depth,       target_.unit,
          plan_.training_weight, plan_.n_training_rows, item.node.lower,
          item.node.upper,       item.node.live,        item.node.n_rows()};
}

const std::vector<int>& AskedGrower::ask(std::size_t max_slots) {
  if (!to_learn().empty())
    throw std::invalid_argument("numbers are to be learnt before sums are asked for");
  families_.clear();
  slots_.clear();
  std::size_t begin = 0;
  while (begin < open_.size() && slots_.size() < std::max<std::size_t>(max_slots, 1)) {
    const int parent = items_[static_cast<std::size_t>(open_[begin])].parent;
    std::size_t end = begin;
    while (end < open_.size() && items_[static_cast<std::size_t>(open_[end])].parent == parent)
      ++end;
    Family family = family_of(parent, {open_.begin() + static_cast<std::ptrdiff_t>(begin),
                                       open_.begin() + static_cast<std::ptrdiff_t>(end)});
    const std::size_t room = std::max<std::size_t>(max_slots, 1) - slots_.size();
    if (family.counted.size() > room) {
      if (!slots_.empty()) break;
      end = begin + room;  // some of them by themselves; the others later
      family = {-1,
                {open_.begin() + static_cast<std::ptrdiff_t>(begin),
                 open_.begin() + static_cast<std::ptrdiff_t>(end)},
                -1};
    }
    slots_.insert(slots_.end(), family.counted.begin(), family.counted.end());
    families_.push_back(std::move(family));
    begin = end;
  }
  n_asked_ = begin;
  return slots_;
}

/// Which children of a node are counted: those that wait; or all but the largest of them, if that
/// takes fewer rows and the sums of the parent are at hand.
AskedGrower::Family AskedGrower::family_of(int parent, std::vector<int> waiting) const {
  const auto rows = [&](int id) { return items_[static_cast<std::size_t>(id)].node.n_rows(); };
  Family family{parent, std::move(waiting), -1};
  if (parent < 0 || items_[static_cast<std::size_t>(parent)].sums.empty()) return family;
  const Item& item = items_[static_cast<std::size_t>(parent)];
  const int largest = *std::ranges::max_element(family.counted, {}, rows);
  std::uint64_t alone = 0, others = 0;
  for (const int id : family.counted) alone += rows(id);
  for (int i = 0; i < item.n_children; ++i)
    if (item.first_child + i != largest) others += rows(item.first_child + i);
  if (others >= alone) return family;
  family.derived = largest;
  family.counted.clear();
  for (int i = 0; i < item.n_children; ++i)
    if (item.first_child + i != largest) family.counted.push_back(item.first_child + i);
  return family;
}

bool AskedGrower::is_narrow() const {
  return !is_numeric() && std::ranges::all_of(slots_, [&](int id) {
    const Item& item = items_[static_cast<std::size_t>(id)];
    if (id == 0 && !search_)  // what it weighs is not known yet
      return !layout_.is_weighted && item.node.n_rows() < 0x1p32;
    return weight_of(target_, item.node.sums) < 0x1p32;
  });
}

double AskedGrower::progress() const {
  return rows_done_ / static_cast<double>(plan_.n_training_rows);
}

// --- what is told -------------------------------------------------------------------------------

/// The sums of a slot over all codes of the first column, as doubles; then the number of rows.
template <class Sum>
std::vector<double> AskedGrower::totals(std::span<const Sum> slot) const {
  const std::size_t channels = layout_.n_channels();
  std::vector<std::int64_t> all(channels);
  for (std::size_t i = 0; i < (layout_.n_codes[0] + std::size_t{1}) * channels; ++i)
    all[i % channels] += static_cast<std::int64_t>(slot[i]);
  if (!layout_.is_weighted)
    all.push_back(
        std::accumulate(all.begin(), all.begin() + layout_.n_classes[0], std::int64_t{0}));
  return {all.begin(), all.end()};
}

template <class Sum>
void AskedGrower::tell(std::span<const Sum> told) {
  const std::size_t size = layout_.slot_size();
  if (told.size() != size * slots_.size())
    throw std::invalid_argument("sums of " + std::to_string(slots_.size()) + " nodes are " +
                                std::to_string(size * slots_.size()) + " numbers, not " +
                                std::to_string(told.size()));
  for (std::size_t slot = 0; slot < slots_.size(); ++slot)  // before anything is changed
    check(slots_[slot], totals(told.subspan(slot * size, size)));
  if (!search_) learn_root(totals(told.first(size)));
  for (std::size_t slot = 0; slot < slots_.size() && is_numeric(); ++slot)
    take_totals(item(slots_[slot]), totals(told.subspan(slot * size, size)));
  const std::vector<Family> families = std::exchange(families_, {});
  open_.erase(open_.begin(),
              open_.begin() + static_cast<std::ptrdiff_t>(std::exchange(n_asked_, 0)));
  slots_.clear();
  std::size_t slot = 0;
  for (const Family& family : families) {
    std::vector<std::int64_t> rest;
    if (family.derived >= 0) rest = item(family.parent).sums;
    for (const int id : family.counted) {
      const auto of_slot = told.subspan(slot++ * size, size);
      std::vector<std::int64_t> sums(of_slot.begin(), of_slot.end());
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= sums[i];
      if (waits(item(id))) settle(id, std::move(sums));
    }
    if (family.derived >= 0) settle(family.derived, std::move(rest));
    if (family.parent >= 0) drop_sums(family.parent);
  }
  go_on();
}

template void AskedGrower::tell(std::span<const std::uint32_t>);
template void AskedGrower::tell(std::span<const std::int64_t>);

/// A lost or doubled part of the sums cannot pass.
void AskedGrower::check(int id, std::span<const double> totals) const {
  const Node& node = item(id).node;
  bool is_right = totals.back() == static_cast<double>(node.n_rows());
  const std::size_t n_known = is_numeric() ? 1 : node.sums.size();  // of numbers the weight
  for (std::size_t k = 0; k < n_known && search_; ++k)
    is_right = is_right && totals[k] == node.sums[k];
  if (!is_right)
    throw std::invalid_argument("the sums of node " + std::to_string(id) + " are of " +
                                std::to_string(static_cast<std::uint64_t>(totals.back())) +
                                " rows, and the node has " + std::to_string(node.n_rows()) +
                                ": a part was lost or counted twice");
}

/// What depends on the weight of all rows.
void AskedGrower::learn_root(std::span<const double> totals) {
  Item& root = items_[0];
  std::ranges::copy(totals.first(layout_.n_classes_all), root.node.sums.begin());
  const std::vector<double> facts = facts_of(root.node);
  std::ranges::copy(facts, fragments_[0].sums.begin());
  const double weight = weight_of(target_, root.node.sums);
  // One row that weighs all: sums are not counts of rows (see sum_columns), and a table of
  // logarithms has room for them.
  target_.weight = {weight};
  plan_.training_weight = weight * target_.unit;
  plan_.min_leaf_weight = plan_.min_leaf_share * plan_.training_weight / target_.unit;
  if (is_numeric()) numbers_ = std::make_unique<Numbers>(target_, plan_);
  search_ = std::make_unique<Search>(table_, std::span<const std::uint32_t>(), target_, plan_,
                                     store_, pool_, numbers_.get());
  if (is_numeric()) return;  // see learn
  root.is_leaf = is_leaf(plan_, target_, root.node);
  if (root.is_leaf) rows_done_ += static_cast<double>(root.node.n_rows());
}

void AskedGrower::tell(int node, Part part) {
  if (node < 0 || static_cast<std::size_t>(node) >= items_.size() || !item(node).is_aside ||
      part.fragments.empty())
    throw std::invalid_argument("node " + std::to_string(node) + " was not set aside");
  const auto first = static_cast<int>(fragments_.size());
  for (Fragment& fragment : part.fragments) {
    for (Fragment::Grown& grown : fragment.nodes)
      if (grown.continued_in >= 0) grown.continued_in += first;
    fragments_.push_back(std::move(fragment));
  }
  fragments_[0].nodes[static_cast<std::size_t>(item(node).place)].continued_in = first;
  item(node).is_aside = false;
  item(node).is_decided = true;
}

// --- what follows -------------------------------------------------------------------------------

bool AskedGrower::waits(const Item& item) const {
  return !item.is_decided && !item.is_aside && !item.is_leaf;
}

/// The children of a node with their sums, from those of the column that is split.
std::vector<Outcome::Child> AskedGrower::children_of(const Split& split,
                                                     const NodeSums& sums) const {
  const auto column = static_cast<std::size_t>(split.column);
  const std::vector<std::uint32_t> branch = branch_of_codes(split, layout_.n_codes[column]);
  std::vector<Outcome::Child> children(split.n_branches);
  for (Outcome::Child& child : children) child.sums.resize(sums.n_classes);
  for (std::size_t code = 0; code < branch.size(); ++code) {
    const std::int64_t* cell = sums.cell(column, code);
    Outcome::Child& child = children[branch[code]];
    child.n_rows += static_cast<std::uint64_t>(sums.rows(cell));
    const std::size_t n = is_numeric() ? 1 : sums.n_classes;  // of numbers the weight
    for (std::size_t k = 0; k < n; ++k) child.sums[k] += static_cast<double>(cell[k]);
  }
  return children;
}

Outcome AskedGrower::decide(Item& item, std::span<const std::int64_t> sums) {
  Node& node = item.node;
  const std::vector<double> units = units_of(item);
  const NodeSums of_node = view(sums, units);
  scratch_[0].codes.given = &of_node;
  Outcome outcome;
  outcome.split = search_->best(node, scratch_);
  outcome.recorded = std::exchange(scratch_[0].recorded, {});
  outcome.live = node.live;
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

void AskedGrower::settle(int id, std::vector<std::int64_t> sums) {
  settle(id, decide(item(id), sums));
  if (is_numeric()) return;  // children have rulers of their own, so that nothing follows for them
  const std::size_t bytes = sums.size() * sizeof(std::int64_t);
  const Item& settled = item(id);
  bool has_use = is_best_first() && settled.outcome.split.exists();
  for (int i = 0; i < settled.n_children; ++i)
    has_use = has_use || waits(item(settled.first_child + i));
  if (!has_use || n_kept_ + bytes > budget_) return;
  n_kept_ += bytes;
  item(id).sums = std::move(sums);
}

void AskedGrower::drop_sums(int id) {
  n_kept_ -= item(id).sums.size() * sizeof(std::int64_t);
  item(id).sums = {};
}

void AskedGrower::settle(int id, Outcome outcome) {
  Item& settled = item(id);
  settled.is_decided = true;
  settled.node.live = outcome.live;
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
void AskedGrower::expand(int id) {
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
    child.live = node.live;
    child.lower = node.lower;
    child.upper = node.upper;
  }
  const auto share = [&](const Node& child) {
    return child.sums[1] / weight_of(target_, child.sums);
  };
  if (children.size() == 2 && !plan_.monotonic.empty() && !is_numeric())
    set_bounds(plan_.monotonic[static_cast<std::size_t>(outcome.split.column)], share(children[0]),
               share(children[1]), children[0], children[1]);
  add_way(id);
  for (Node& child : children) {
    Item& made = items_.emplace_back();
    made.parent = id;
    made.is_leaf = !is_numeric() && is_leaf(plan_, target_, child);
    made.node = std::move(child);
  }
  ways_.of_node.resize(items_.size());
}

void AskedGrower::add_way(int id) {
  const Split& split = item(id).outcome.split;
  Way& way = ways_.of_node[static_cast<std::size_t>(id)];
  way.column = split.column;
  way.first_child = item(id).first_child;
  if (split.kind == SplitKind::threshold && split.codes.empty()) {
    way.highest = split.code;
    way.missing = missing_side(split.missing_left, split.n_branches);
    return;
  }
  const auto branch =
      branch_of_codes(split, layout_.n_codes[static_cast<std::size_t>(split.column)]);
  way.begin = static_cast<std::int64_t>(ways_.branches.size());
  ways_.branches.insert(ways_.branches.end(), branch.begin(), branch.end());
}

/// Writes down what became of a node: its split and its children, which are in the tree then.
void AskedGrower::commit(int id) {
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
  Crowd heaviest;
  for (int i = 0; i < settled.n_children; ++i) {
    Item& child = item(settled.first_child + i);
    child.place = fragment.add(child.node.n_rows(), facts_of(child.node),
                               {child.node.lower, child.node.upper});
    heaviest.add(i, weight_of(target_, child.node.sums));
    if (child.is_leaf) rows_done_ += static_cast<double>(child.node.n_rows());
  }
  recorder_.write(fragment, settled.place, settled.outcome.split, first_place, heaviest);
}

Tree AskedGrower::tree() const {
  const auto is_unfinished = [&](const Item& each) { return each.is_aside; };
  if (!open_.empty() || std::ranges::any_of(items_, is_unfinished))
    throw std::invalid_argument("the tree is not grown: some nodes are open or set aside");
  return assemble(fragments_, target_, plan_.impurity);
}

// --- best first ---------------------------------------------------------------------------------

bool AskedGrower::is_worse(int a, int b) const {
  const auto improvement = [&](int id) {
    const Node& node = item(id).node;
    return item(id).outcome.split.score * weight_of(target_, node.sums);
  };
  if (improvement(a) != improvement(b)) return improvement(a) < improvement(b);
  return item(a).place > item(b).place;
}

/// A node of the tree that is decided may be the next to be split.
void AskedGrower::offer(int id) {
  if (item(id).is_leaf) return;
  if (!item(id).outcome.split.exists()) return commit(id);
  frontier_.push_back(id);
  std::ranges::push_heap(frontier_, [&](int a, int b) { return is_worse(a, b); });
}

/// Splits nodes in their order until one has children that are not decided; these are asked for,
/// and those of the next best besides.
void AskedGrower::go_on() {
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
  const std::size_t n = std::min(next.size(), nodes_in_advance);
  std::partial_sort(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(n), next.end(),
                    [&](int a, int b) { return is_worse(b, a); });
  next.resize(n);
  for (const int id : next)
    if (!is_too_wide(id) && has_waiting(id))
      for (int i = 0; i < item(id).n_children; ++i)
        if (waits(item(item(id).first_child + i))) open_.push_back(item(id).first_child + i);
}

// --- to be taken up again -----------------------------------------------------------------------

namespace {

void need_state(bool is_true) {
  if (!is_true) throw std::invalid_argument("the state is not one of this tree");
}

void write_numbers(ByteWriter& to, const NodeNumbers& numbers) {
  for (const NodeNumbers::Output& output : numbers.outputs) {
    for (const double number : {output.ruler.centre, output.ruler.scale, output.value})
      to.add(number);
    to.add(static_cast<std::uint8_t>(output.is_varied));
  }
  to.add(numbers.impurity);
}

NodeNumbers read_numbers(ByteReader& from, std::size_t n_outputs) {
  NodeNumbers numbers;
  for (std::size_t o = 0; o < n_outputs; ++o) {
    NodeNumbers::Output& output = numbers.outputs.emplace_back();
    for (double* number : {&output.ruler.centre, &output.ruler.scale, &output.value}) {
      *number = from.next<double>();
      need_state(std::isfinite(*number));
    }
    need_state(output.ruler.scale > 0);
    output.is_varied = from.next<std::uint8_t>() != 0;
  }
  numbers.impurity = from.next<double>();
  need_state(numbers.impurity >= 0 && std::isfinite(numbers.impurity));
  return numbers;
}

}  // namespace

std::vector<std::uint8_t> AskedGrower::state() const {
  ByteWriter to;
  to.add(items_[0].node.sums);
  to.add(static_cast<std::uint8_t>(search_ != nullptr));
  to.add(static_cast<std::uint64_t>(log_.size()));
  for (const int id : log_) {
    to.add(id);
    if (id == -1) continue;
    if (id < -1) {
      write_numbers(to, item(-2 - id).node.numbers);
      to.add(item(-2 - id).heaviest);
      continue;
    }
    const Outcome& outcome = item(id).outcome;
    write(to, outcome.split);
    to.add(static_cast<std::uint64_t>(outcome.children.size()));
    for (const Outcome::Child& child : outcome.children) {
      to.add(child.n_rows);
      to.add(child.sums);
    }
    to.add(outcome.live);
    write(to, outcome.recorded);
  }
  return to.take();
}

Outcome AskedGrower::read_outcome(ByteReader& from, const Node& node) const {
  Outcome outcome;
  const std::size_t n_columns = layout_.n_codes.size();
  outcome.split = read_split(from, n_columns);
  outcome.children.resize(from.length(16));
  std::vector<double> sums(node.sums.size());
  std::vector<double> known = node.sums;
  if (is_numeric()) std::fill(known.begin() + 1, known.end(), 0.0);  // of children the weight
  std::uint64_t n_rows = 0;
  for (Outcome::Child& child : outcome.children) {
    child.n_rows = from.next<std::uint64_t>();
    child.sums = from.list<double>();
    need_state(child.sums.size() == sums.size() && child.n_rows > 0);
    n_rows += child.n_rows;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      need_state(child.sums[k] >= 0);
      sums[k] += child.sums[k];
    }
  }
  outcome.live = from.list<std::uint32_t>();
  outcome.recorded = read_candidates(from, n_columns);
  const Split& split = outcome.split;
  for (const std::uint32_t column : outcome.live) need_state(column < n_columns);
  if (split.column >= 0)
    for (const std::uint32_t code : split.codes)
      need_state(code <= layout_.n_codes[static_cast<std::size_t>(split.column)]);
  if (outcome.children.empty()) return outcome;
  need_state(split.exists() && split.n_branches == outcome.children.size() &&
             n_rows == node.n_rows() && sums == known);
  const std::uint32_t n_codes = layout_.n_codes[static_cast<std::size_t>(split.column)];
  if (split.kind == SplitKind::threshold)
    need_state(split.n_branches == 2 && split.code < n_codes + 1);
  return outcome;
}

void AskedGrower::restore(std::span<const std::uint8_t> state) {
  need_state(!search_ && log_.empty());
  ByteReader from(state);
  const std::vector<double> sums = from.list<double>();
  need_state(sums.size() == layout_.n_classes_all);
  const bool has_begun = from.next<std::uint8_t>() != 0;
  need_state(!has_begun || weight_of(target_, sums) > 0);
  if (is_numeric())
    items_[0].node.sums[0] = sums[0];
  else if (has_begun)
    learn_root(sums);
  const std::size_t n = from.length(4);
  for (std::size_t i = 0; i < n; ++i) {
    const int id = from.next<int>();
    if (id == -1) {
      go_on();
      continue;
    }
    if (id < -1) {
      const auto learnt = static_cast<std::size_t>(-2 - static_cast<std::int64_t>(id));
      need_state(is_numeric() && learnt < items_.size() && !items_[learnt].is_learnt);
      NodeNumbers numbers = read_numbers(from, layout_.n_classes.size());
      learn(static_cast<int>(learnt), std::move(numbers), from.next<double>());
      continue;
    }
    need_state(search_ && static_cast<std::size_t>(id) < items_.size() && waits(item(id)));
    settle(id, read_outcome(from, item(id).node));
    std::erase(open_, id);
  }
  need_state(from.is_at_end());
}

}  // namespace ramify

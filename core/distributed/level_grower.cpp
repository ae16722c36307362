// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/level_grower.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "grow/checks.hpp"

namespace ramify {
namespace {

/// Of the measures that need rows, two follow from sums: margins, and the class separation of a few
/// cuts.
template <class Refuse>
void refuse_rows_of_cuts(const Plan& plan, Refuse refuse) {
  const auto reads_more = [](const ExpressionStep& step) {
    return looks_at_rows(step) && step.measure != Measure::bnm;
  };
  const auto reads_order = [&](const ExpressionStep& step) {
    return reads_more(step) && step.measure != Measure::csn;
  };
  bool reads = false;
  each_expression(plan, [&](const Expression& expression) {
    reads = reads || has_step(expression, reads_order);
  });
  if (const auto& composed = plan.criterion.composed) {
    for (const Expression* of_all : {&composed->score, &composed->relative, &composed->tie})
      reads = reads || has_step(*of_all, reads_more);
    if (composed->top == ComposedCriterion::all)
      for (const auto& choice : composed->then) reads = reads || has_step(choice.by, reads_more);
  }
  if (reads) refuse("a structure criterion");
}

void refuse_what_sums_cannot_show(const Table& table, const Plan& plan) {
  const auto refuse = [](const char* what) {
    throw std::invalid_argument(std::string(what) + " needs rows, not only sums; fit in memory");
  };
  refuse_rows_of_cuts(plan, refuse);
  if (plan.oblique) refuse("an oblique tree");
  if (is_cut_by_criterion(plan.by_test)) refuse("a test that counts rows");
  if (plan.criterion.is_ordered()) refuse("a loss that depends on the order of the target");
  for (const Column& column : table.columns) {
    if (!column.is_categorical && !column.is_low_cardinality())
      refuse("a numeric column of more than 255 codes");
    if (reads_rows(plan) && column.n_missing > 0)
      throw std::invalid_argument(
          "column " + std::to_string(&column - table.columns.data()) +
          " has missing values; a structure criterion needs complete columns");
    if (plan.missing == Missing::fractional && column.n_missing > 0)
      refuse("missing='fractional' with missing values");
  }
}

}  // namespace

LevelGrower::LevelGrower(Table table, Layout layout, double unit, const Plan& plan,
                         std::uint64_t n_rows, std::size_t budget)
    : table_(std::move(table)),
      layout_(std::move(layout)),
      plan_(plan),
      budget_(budget),
      search_(table_, target_, plan_),
      undecided_(layout_, [this](auto& undecided) { return look_closer(undecided); }),
      recorder_{table_, target_, plan.missing} {
  refuse_what_sums_cannot_show(table_, plan);
  constexpr std::uint64_t max = std::uint64_t{1} << 53;  // the largest count in a double
  if (n_rows == 0 || n_rows > max)
    throw std::invalid_argument("a tree is grown on 1 to " + std::to_string(max) +
                                " rows, not on " + std::to_string(n_rows));
  target_.n_classes = layout_.n_classes;
  target_.unit = unit;
  if (unit != 1 && RequestedCuts::wish_of(plan).margins)
    throw std::invalid_argument(
        "'bnm' needs integer weights if rows are in partitions, since otherwise sums of points are "
        "not exact; round the weights, or fit in memory");
  if (is_numeric()) target_.values = {0};  // there are some, elsewhere
  if (plan_.dgmml) plan_.dgmml->by_code = true;
  check_plan(table_, {}, target_, plan);
  plan_.is_binned = true;
  plan_.n_training_rows = n_rows;
  plan_.n_threads = 1;
  items_.emplace_back();
  Node& root = items_[0].node;
  root.key = mix(plan_.seed);
  root.n_elsewhere = n_rows;
  root.non_constant.resize(table_.columns.size());
  std::iota(root.non_constant.begin(), root.non_constant.end(), 0u);
  root.sums.resize(layout_.n_classes_all);
  Fragment& fragment = fragments_[0];
  fragment.unit = unit;
  fragment.n_statistics = n_statistics();
  if (is_numeric()) {
    root.lower = -std::numeric_limits<double>::infinity();
    root.upper = std::numeric_limits<double>::infinity();
    if (!layout_.is_weighted) root.sums[0] = static_cast<double>(n_rows);
    learner_ = std::make_unique<RegressionLearner>(plan_, layout_.n_classes.size());
  }
  items_[0].place = fragment.add(root.n_rows(), std::vector<double>(fragment.n_statistics),
                                 {root.lower, root.upper});
  ways_.of_node.resize(1);
  open_.push_back(0);
}

/// What a leaf would predict from; zeros in regression before the node's statistics are known.
std::vector<double> LevelGrower::statistics_of(const Node& node) const {
  if (is_numeric() && node.regression.outputs.empty()) return std::vector<double>(n_statistics());
  return ramify::statistics_of(target_, node);
}

/// Regression criteria return a share of the impurity.
double LevelGrower::gain_unit(const Node& node) const {
  return plan_.criterion.numeric ? node.regression.impurity : 1;
}

// --- requests -----------------------------------------------------------------------------------

std::vector<LevelGrower::Open> LevelGrower::open() const {
  std::vector<Open> all;
  for (const int id : open_) {
    const Node& node = item(id).node;
    all.push_back({id, node.depth, node.n_rows()});
  }
  return all;
}

NodeContext LevelGrower::set_aside(int node) {
  const auto found = std::ranges::find(open_, node);
  if (found == open_.end())
    throw std::invalid_argument("node " + std::to_string(node) + " is not open");
  if (is_best_first() && node != 0)
    throw std::invalid_argument("with best-first growth only the root can be set aside");
  if (is_numeric() && node != 0 && !plan_.monotonic.empty() && !item(node).is_learnt)
    throw std::invalid_argument("node " + std::to_string(node) +
                                " has no target statistics yet: its bounds are " + "not known");
  open_.erase(found);
  families_.clear();
  slots_.clear();
  n_requested_ = 0;
  item(node).is_aside = true;
  const Node& own = item(node).node;
  rows_done_ += static_cast<double>(own.n_rows());
  learning_.clear();
  if (is_numeric() && node != 0) end_family(item(node).parent);
  return {.key = own.key,
          .depth = own.depth,
          .unit = target_.unit,
          .training_weight = plan_.training_weight,
          .n_training_rows = plan_.n_training_rows,
          .lower = own.lower,
          .upper = own.upper,
          .non_constant = own.non_constant,
          .n_rows = own.n_rows()};
}

const std::vector<int>& LevelGrower::request_nodes(std::size_t max_slots) {
  if (!to_learn().empty())
    throw std::invalid_argument("request the target statistics of the nodes before their sums");
  if (!undecided_.empty())
    throw std::invalid_argument("supply the requested cuts before further sums are requested");
  families_.clear();
  slots_.clear();
  std::size_t begin = 0;
  while (begin < open_.size() && slots_.size() < std::max<std::size_t>(max_slots, 1)) {
    const int parent = item(open_[begin]).parent;
    std::size_t end = begin;
    while (end < open_.size() && item(open_[end]).parent == parent) ++end;
    Family family = family_of(parent, {open_.begin() + begin, open_.begin() + end});
    const std::size_t n_free = std::max<std::size_t>(max_slots, 1) - slots_.size();
    if (family.counted.size() > n_free) {
      if (!slots_.empty()) break;
      end = begin + n_free;  // some of them alone; the others later
      family = {-1, {open_.begin() + begin, open_.begin() + end}, -1};
    }
    slots_.insert(slots_.end(), family.counted.begin(), family.counted.end());
    families_.push_back(std::move(family));
    begin = end;
  }
  n_requested_ = begin;
  return slots_;
}

/// Which children of a node are counted: those that wait; or all but the largest of them, if that
/// takes fewer rows and the sums of the parent are at hand.
LevelGrower::Family LevelGrower::family_of(int parent, std::vector<int> waiting) const {
  const auto rows = [&](int id) { return item(id).node.n_rows(); };
  Family family{parent, std::move(waiting), -1};
  if (parent < 0 || item(parent).sums.empty()) return family;
  const Item& above = item(parent);
  const int largest = *std::ranges::max_element(family.counted, {}, rows);
  std::uint64_t alone = 0, others = 0;
  for (const int id : family.counted) alone += rows(id);
  for (int i = 0; i < above.n_children; ++i)
    if (above.first_child + i != largest) others += rows(above.first_child + i);
  if (others >= alone) return family;
  family.derived = largest;
  family.counted.clear();
  for (int i = 0; i < above.n_children; ++i)
    if (above.first_child + i != largest) family.counted.push_back(above.first_child + i);
  return family;
}

bool LevelGrower::sums_are_small() const {
  return !is_numeric() && std::ranges::all_of(slots_, [&](int id) {
    const Node& node = item(id).node;
    if (id == 0 && !search_.has_started())  // its weight is not known yet
      return !layout_.is_weighted && node.n_rows() < 0x1p32;
    return weight_of(target_, node.sums) < 0x1p32;
  });
}

double LevelGrower::progress() const {
  return rows_done_ / static_cast<double>(plan_.n_training_rows);
}

// --- responses ----------------------------------------------------------------------------------

/// The sums of a slot over all codes of the first column, as doubles; then the number of rows.
template <class Sum>
std::vector<double> LevelGrower::totals(std::span<const Sum> slot) const {
  const std::size_t channels = layout_.n_channels();
  std::vector<std::int64_t> all(channels);
  for (std::size_t i = 0; i < (layout_.n_codes[0] + std::size_t{1}) * channels; ++i)
    all[i % channels] += static_cast<std::int64_t>(slot[i]);
  const auto begin =
      all.begin() + static_cast<std::ptrdiff_t>(layout_.is_weighted ? layout_.n_classes_all : 0);
  const auto n = layout_.is_weighted ? static_cast<std::ptrdiff_t>(layout_.n_counts())
                                     : std::ptrdiff_t{layout_.n_classes[0]};
  const std::int64_t n_rows = std::accumulate(begin, begin + n, std::int64_t{0});
  all.resize(layout_.n_classes_all);
  all.push_back(n_rows);
  return {all.begin(), all.end()};
}

template <class Sum>
void LevelGrower::respond(std::span<const Sum> supplied) {
  const std::size_t size = layout_.slot_size();
  if (supplied.size() != size * slots_.size())
    throw std::invalid_argument("the sums of " + std::to_string(slots_.size()) + " nodes must be " +
                                std::to_string(size * slots_.size()) + " values, not " +
                                std::to_string(supplied.size()));
  for (std::size_t slot = 0; slot < slots_.size(); ++slot)  // before anything is changed
    check(slots_[slot], totals(supplied.subspan(slot * size, size)));
  if (!search_.has_started()) learn_root(totals(supplied.first(size)));
  for (std::size_t slot = 0; slot < slots_.size() && is_numeric(); ++slot)
    take_totals(item(slots_[slot]), totals(supplied.subspan(slot * size, size)));
  const std::vector<Family> families = std::exchange(families_, {});
  open_.erase(open_.begin(),
              open_.begin() + static_cast<std::ptrdiff_t>(std::exchange(n_requested_, 0)));
  slots_.clear();
  if (scorer_) search_together(supplied, families);
  each_supplied(
      supplied, families,
      [&](int id, std::vector<std::int64_t> sums) { settle(id, std::move(sums)); },
      [&](const Family& family) {
        if (family.parent >= 0) drop_sums(family.parent);
      });
  found_.clear();
  if (undecided_.empty()) go_on();
}

template void LevelGrower::respond(std::span<const std::uint32_t>);
template void LevelGrower::respond(std::span<const std::int64_t>);

void LevelGrower::score_together(BatchScorer::Function function) {
  if (!plan_.criterion.interpreted)
    throw std::invalid_argument("the criterion must be a user's function");
  scorer_ = std::make_unique<BatchScorer>(std::move(function));
  plan_.criterion.interpreted = [this](CutBatch&& batch, double* scores) {
    scorer_->score(std::move(batch), scores);
  };
}

/// Searches the supplied nodes with few calls of the user's function.
template <class Sum>
void LevelGrower::search_together(std::span<const Sum> supplied, std::span<const Family> families) {
  const auto each = [&](const auto& visit) {
    each_supplied(supplied, families, visit, [](const Family&) {});
  };
  found_ = scorer_->search(search_, each, [&](int id, std::span<const std::int64_t> sums) {
    return search_.best(item(id).node, node_sums(layout_, sums, units_of(item(id))));
  });
}

void LevelGrower::respond_points(const PointWish& wish, std::span<const double> sums) {
  undecided_.respond_points(wish, sums);
  if (undecided_.empty()) go_on();
}

bool LevelGrower::trials_are_small() const {
  return std::ranges::all_of(undecided_.all(), [&](const UndecidedNodes::Undecided& each) {
    return weight_of(target_, item(each.id).node.sums) < 0x1p32;
  });
}

template <class Sum>
void LevelGrower::respond_trials(std::span<const Sum> sums) {
  undecided_.respond_trials(sums);
  if (undecided_.empty()) go_on();
}

template void LevelGrower::respond_trials(std::span<const std::uint32_t>);
template void LevelGrower::respond_trials(std::span<const std::int64_t>);

/// Detects partial sums that were lost or counted twice.
void LevelGrower::check(int id, std::span<const double> totals) const {
  const Node& node = item(id).node;
  bool is_right = totals.back() == static_cast<double>(node.n_rows());
  const std::size_t n_known = is_numeric() ? 1 : node.sums.size();  // in regression only the weight
  for (std::size_t k = 0; k < n_known && search_.has_started(); ++k)
    is_right = is_right && totals[k] == node.sums[k];
  if (!is_right)
    throw std::invalid_argument("the sums of node " + std::to_string(id) + " cover " +
                                std::to_string(static_cast<std::uint64_t>(totals.back())) +
                                " rows, but the node has " + std::to_string(node.n_rows()) +
                                ": a partition was lost or counted twice");
}

/// Sets what depends on the weight of all rows.
void LevelGrower::learn_root(std::span<const double> totals) {
  Item& root = items_[0];
  std::ranges::copy(totals.first(layout_.n_classes_all), root.node.sums.begin());
  const std::vector<double> statistics = statistics_of(root.node);
  std::ranges::copy(statistics, fragments_[0].sums.begin());
  const double weight = weight_of(target_, root.node.sums);
  // One row with the total weight: sums are not counts of rows (see sum_columns), and a table of
  // logarithms has space for them.
  target_.weight = {weight};
  plan_.training_weight = weight * target_.unit;
  plan_.min_leaf_weight = plan_.min_leaf_share * plan_.training_weight / target_.unit;
  search_.start();
  if (is_numeric()) return;  // see learn
  root.is_leaf = is_leaf(plan_, target_, root.node);
  if (root.is_leaf) rows_done_ += static_cast<double>(root.node.n_rows());
}

void LevelGrower::respond(int node, DetachedSubtree part) {
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

}  // namespace ramify

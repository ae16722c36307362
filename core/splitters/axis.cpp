// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/axis.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace ramify {
namespace {

bool may_have_many_branches(const Plan& plan) {
  return plan.categories == Categories::multiway || plan.by_test == ByTest::chaid;
}

}  // namespace

AxisSplitter::AxisSplitter(const Table& table, std::span<const std::uint32_t> rows,
                           const Target& target, const Plan& plan, Pool& pool)
    : table_(table),
      target_(target),
      plan_(plan),
      pool_(pool),
      store_(table, rows, target, pool, may_have_many_branches(plan),
             reads_rows(plan) || plan.oblique),
      regression_(target.is_numeric() ? std::make_unique<RegressionTarget>(target, plan) : nullptr),
      search_(table, rows, target, plan, store_, pool, regression_.get()),
      scratch_(static_cast<std::size_t>(pool.size())),
      statistics_(scratch_.size()),
      n_classes_(target.n_all_classes()) {
  if (plan.oblique) oblique_.emplace(search_, rows, pool, regression_.get());
}

AxisSplitter::Waiting AxisSplitter::root(Node node) {
  if (regression_) {
    std::vector<std::uint32_t> all(target_.n_rows);
    std::iota(all.begin(), all.end(), 0u);
    measure(node, all, scratch_[0].regression);
  }
  return {std::make_unique<Node>(std::move(node))};
}

std::size_t AxisSplitter::expected_nodes(std::uint32_t n_rows) const {
  // Of numbers there are often as many as rows.
  return regression_ ? std::min(std::size_t{2} * n_rows, std::size_t{1} << 18) : 0;
}

Split AxisSplitter::best(Waiting& waiting, std::span<const double>, Workers workers,
                         const std::function<bool()>& must_stop) {
  const std::span<Scratch> scratch = workers.of(scratch_);
  return oblique_ ? oblique_->best(*waiting.node, scratch, must_stop)
                  : search_.best(*waiting.node, scratch);
}

bool AxisSplitter::is_worth(const Waiting& waiting, std::span<const double>,
                            const Split& split) const {
  return pays(plan_, target_, split, gain_unit(waiting), weight_of(target_, waiting.node->sums));
}

/// Criteria of numbers give the share of the impurity; tests do not.
double AxisSplitter::gain_unit(const Waiting& waiting) const {
  const bool is_share = plan_.criterion.numeric && plan_.by_test == ByTest::none;
  return is_share ? waiting.node->regression.impurity : 1;
}

std::span<const double> AxisSplitter::statistics(const Waiting& waiting, std::size_t,
                                                 Workers workers) {
  const Node& node = *waiting.node;
  if (!regression_) return std::span(node.sums).first(n_classes_);
  return workers.of(statistics_)[0] = statistics_of(target_, node);
}

std::vector<Node> AxisSplitter::children_of(const Node& node, const Split& split) const {
  std::vector<Node> children(split.n_branches);
  for (std::size_t i = 0; i < children.size(); ++i) {
    Node& child = children[i];
    child.sums.resize(node.sums.size());
    child.depth = node.depth + 1;
    child.key = child_key(node.key, i);
    child.non_constant = node.non_constant;
    child.lower = node.lower;
    child.upper = node.upper;
  }
  return children;
}

/// Learns the numbers of a node, and makes it ready to be split unless it is a leaf.
void AxisSplitter::measure(Node& node, std::span<const std::uint32_t> rows,
                           RegressionBuffers& buffers) {
  regression_->learn(node, rows, buffers);
  if (!is_leaf(node)) regression_->quantise(node, rows, buffers);
}

/// Parts the rows of a node. The rows of a child that will not be split again are not kept in
/// order.
void AxisSplitter::partition(Waiting& waiting, std::span<const double>, Split& split,
                             Workers workers, std::vector<Waiting>& children) {
  const Node& node = *waiting.node;
  const std::span<Scratch> scratch = workers.of(scratch_);
  children.clear();
  for (Node& child : children_of(node, split))
    children.push_back({std::make_unique<Node>(std::move(child))});
  const bool is_binary = children.size() == 2;
  is_binary ? quantise_two(node, split, children, scratch[0].regression)
            : quantise_many(node, split, children);
  std::uint32_t begin = node.begin;
  for (const Waiting& child : children) {  // so far `end` is the number of rows
    child.node->begin = begin;
    child.node->end += begin;
    begin = child.node->end;
  }
  if (regression_) {
    RegressionBuffers& buffers = scratch[0].regression;
    regression_->partition(node, *children[0].node, *children[1].node, buffers);
    measure(*children[0].node, buffers.left, buffers);
    measure(*children[1].node, buffers.right, buffers);
  }
  const LeafLimits limits = leaf_limits(plan_);
  if (plan_.gives_up && std::ranges::any_of(children, [&](const Waiting& child) {
        return !limits.allows(child.n_rows(), weight_of(target_, child.node->sums));
      })) {
    children.clear();
    return;
  }
  if (is_binary) set_bounds(split, *children[0].node, *children[1].node);
  const auto is_kept = [&](const Waiting& child) { return !is_leaf(*child.node); };
  if (std::ranges::none_of(children, is_kept)) return;
  if (!is_binary) return scatter(node, children, scratch);
  const bool left = is_kept(children[0]), right = is_kept(children[1]);
  partition_columns(node, split,
                    left && right ? Keep::both
                    : left        ? Keep::left
                                  : Keep::right,
                    scratch);
}

/// Says for each row of the node whether it goes left, and sums and counts both sides.
void AxisSplitter::quantise_two(const Node& node, const Split& split, std::span<Waiting> children,
                                RegressionBuffers& buffers) {
  Node &left = *children[0].node, &right = *children[1].node;
  std::uint8_t* goes_left = store_.goes_left();
  const bool counted = target_.is_integer();
  const bool by_row = store_.has_lists() || split.kind == SplitKind::hyperplane;
  const std::uint8_t* times = target_.times.empty() ? nullptr : target_.times.data();
  std::vector<std::uint32_t> counts(counted ? n_classes_ : 0);
  if (regression_) {  // sums follow when both sides are known; see measure
    buffers.left.clear();
    buffers.right.clear();
    each_row(node, split, [&](std::uint32_t row, std::uint32_t, std::uint32_t branch, bool) {
      (branch == 0 ? buffers.left : buffers.right).push_back(row);
      if (by_row) goes_left[row] = static_cast<std::uint8_t>(1 - branch);
    });
    left.end = static_cast<std::uint32_t>(buffers.left.size());
    right.end = static_cast<std::uint32_t>(buffers.right.size());
    return;
  }
  each_row(node, split, [&](std::uint32_t row, std::uint32_t label, std::uint32_t branch, bool) {
    const std::uint32_t is_left = 1 - branch;
    left.end += is_left;
    if (counted)
      counts[label] += times ? times[row] & (0u - is_left) : is_left;
    else if (is_left)
      target_.add_row(row, left.sums);
    if (by_row) goes_left[row] = static_cast<std::uint8_t>(is_left);
  });
  for (std::size_t k = 0; k < counts.size(); ++k) left.sums[k] = counts[k];
  right.end = node.n_rows() - left.end;
  for (std::size_t k = 0; k < node.sums.size(); ++k) right.sums[k] = node.sums[k] - left.sums[k];
}

/// The same for any number of branches.
void AxisSplitter::quantise_many(const Node& node, const Split& split,
                                 std::span<Waiting> children) {
  std::uint32_t* branch_of = store_.branch();
  each_row(node, split, [&](std::uint32_t row, std::uint32_t, std::uint32_t branch, bool) {
    branch_of[row] = branch;
    ++children[branch].node->end;
    target_.add_row(row, children[branch].node->sums);
  });
}

/// Runs a task for the records (column -1) and each list of a node that has to be rearranged.
template <class Task>
void AxisSplitter::rearrange(const Node& node, std::span<Scratch> scratch, int column_in_order,
                             Task task) {
  std::vector<int> columns;
  bool has_low_cardinality = false;
  for (const std::uint32_t column : node.non_constant) {
    const bool is_low_cardinality = table_.columns[column].is_low_cardinality();
    has_low_cardinality = has_low_cardinality || is_low_cardinality;
    if (!is_low_cardinality && static_cast<int>(column) != column_in_order)
      columns.push_back(static_cast<int>(column));
  }
  if (has_low_cardinality || store_.keeps_rows()) columns.insert(columns.begin(), -1);
  const auto run = [&](int i, int worker) {
    task(columns[i], scratch[static_cast<std::size_t>(worker)]);
  };
  if (scratch.size() > 1)
    pool_.run(static_cast<int>(columns.size()), run);
  else
    for (int i = 0; i < static_cast<int>(columns.size()); ++i) run(i, 0);
}

void AxisSplitter::partition_columns(const Node& node, const Split& split, Keep keep,
                                     std::span<Scratch> scratch) {
  const Kernels& kernel = kernels();
  const bool in_order = split.kind == SplitKind::threshold && !split.missing_left;
  rearrange(node, scratch, in_order ? split.column : -1, [&](int column, Scratch& mine) {
    if (column < 0) return partition_records(node, split, keep, mine.record_spare);
    if (mine.list_spare.size() < node.n_rows()) mine.list_spare.resize(node.n_rows());
    kernel.partition_list(store_.list(column) + node.begin, node.n_rows(), store_.layout(),
                          store_.goes_left(), keep, mine.list_spare.data());
  });
}

void AxisSplitter::partition_records(const Node& node, const Split& split, Keep keep,
                                     std::vector<std::uint64_t>& spare) {
  const RecordView all = store_.records(0, target_.n_rows);
  if (split.kind != SplitKind::hyperplane && table_.columns[split.column].is_low_cardinality()) {
    const std::uint8_t* codes = all.codes + store_.record_offset(split.column);
    with_code_test(split, [&](auto branch_of) {
      store_.partition_records(node.begin, node.end, keep, spare, [&](std::uint32_t i) {
        return branch_of(codes[i * all.stride]) == 0;
      });
    });
  } else {
    const std::uint8_t* goes_left = store_.goes_left();
    store_.partition_records(node.begin, node.end, keep, spare,
                             [&](std::uint32_t i) { return goes_left[all.rows[i]] != 0; });
  }
}

void AxisSplitter::scatter(const Node& node, std::span<const Waiting> children,
                           std::span<Scratch> scratch) {
  std::vector<std::uint32_t> place;
  for (const Waiting& child : children) place.push_back(child.node->begin - node.begin);
  rearrange(node, scratch, -1, [&](int column, Scratch& mine) {
    if (column < 0)
      store_.scatter_records(node.begin, node.end, place, mine.record_spare);
    else
      store_.scatter_list(column, node.begin, node.end, place, mine.list_spare);
  });
}

void AxisSplitter::set_bounds(const Split& split, Node& left, Node& right) const {
  if (plan_.monotonic.empty()) return;
  const auto value = [&](const Node& child) {
    if (regression_) return child.regression.outputs[0].value;
    return child.sums[1] / weight_of(target_, child.sums);
  };
  ramify::set_bounds(plan_.monotonic[split.column], value(left), value(right), left, right);
}

}  // namespace ramify

// SPDX-License-Identifier: BSD-3-Clause
// The growing loop: take a node, ask for its best split, partition its rows, go on with the
// children.
#include "grow/grow.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "grow/dgmml.hpp"
#include "grow/drawn.hpp"
#include "grow/steps.hpp"
#include "split/hyperplane.hpp"

namespace ramify {
namespace {

/// Threads share the columns of nodes above this size; smaller nodes go, with all that grows from
/// them, to one thread.
constexpr std::uint32_t min_shared_rows = 2048;
constexpr std::uint32_t min_shared_oblique_rows = 64;  // a row is looked at many times

/// Rows from which a part of the tree is to grow on its own, since some of them have only a
/// fraction of their weight here.
struct Problem {
  std::vector<std::uint32_t> rows;  // of the table
  Target target;
  Node root;
  int fragment, place;  // the node of the tree that it continues
};

/// What all growers of a tree share.
struct Growth {
  const Table& table;
  const Plan& plan;
  Progress progress{plan};
  std::vector<Fragment> fragments{};
  std::vector<Problem> waiting{};
  std::mutex waiting_lock{};
};

/// Some rows of a target, with other weights. Behind the first n_known, those of which less than a
/// millionth of an average training row is left are left out, so that a row cannot be in ever more
/// leaves; or a hundredth if numbers are learnt, since such trees end only where rows are alone.
Target some_rows(const Plan& plan, const Target& whole, std::vector<std::uint32_t>& rows,
                 std::vector<double> weight, std::size_t n_known) {
  Target part;
  part.n_classes = whole.n_classes;
  part.n_extra = whole.n_extra;
  const bool is_numeric = whole.is_numeric();
  part.unit = make_exact(weight) * whole.unit;
  const double least =
      (is_numeric ? 1e-2 : 1e-6) * plan.training_weight / plan.n_training_rows / part.unit;
  std::vector<std::uint32_t> kept;
  const auto n_outputs = static_cast<std::size_t>(whole.n_outputs());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((i >= n_known && weight[i] < least) || weight[i] <= 0) continue;
    kept.push_back(rows[i]);
    part.weight.push_back(weight[i]);
    for (std::size_t o = 0; o < n_outputs; ++o)
      if (is_numeric)
        part.numbers.push_back(whole.numbers[rows[i] * n_outputs + o]);
      else
        part.classes.push_back(whole.classes[rows[i] * n_outputs + o]);
    for (int j = 0; j < whole.n_extra; ++j)
      part.extra.push_back(whole.extra[std::size_t{rows[i]} * whole.n_extra + j]);
  }
  rows = std::move(kept);
  part.n_rows = static_cast<std::uint32_t>(rows.size());
  return part;
}

/// The sums over all rows of a target, for a node that has them all.
void sum_all(const Target& target, const Plan& plan, Node& node) {
  if (!target.is_numeric()) {
    for (std::uint32_t row = 0; row < target.n_rows; ++row) target.add_row(row, node.sums);
    return;
  }
  std::vector<std::uint32_t> rows(target.n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  NumberBuffers buffers;
  Node all = node;  // the first rows of a store of its own
  all.begin = 0;
  all.end = target.n_rows;
  Numbers(target, plan).learn(all, rows, buffers);
  node.sums = std::move(all.sums);
  node.numbers = std::move(all.numbers);
}

bool may_have_many_branches(const Plan& plan) {
  return plan.categories == Categories::multiway || plan.by_test == ByTest::chaid;
}

/// Grows the fragments of one set of rows.
class Grower {
 public:
  Grower(Growth& growth, std::span<const std::uint32_t> rows, const Target& target)
      : growth_(growth),
        table_(growth.table),
        rows_(rows),
        target_(target),
        plan_(with_limits(growth, target)),
        pool_(plan_.criterion.calls_interpreter() ? 1 : std::max(1, plan_.n_threads)),
        store_(table_, rows, target, pool_, may_have_many_branches(plan_),
               reads_rows(plan_) || plan_.oblique),
        numbers_(target.is_numeric() ? std::make_unique<Numbers>(target, plan_) : nullptr),
        search_(table_, rows, target, plan_, store_, pool_, numbers_.get()),
        scratch_(static_cast<std::size_t>(pool_.size())),
        recorder_{table_, target, plan_.missing},
        n_classes_(target.n_all_classes()) {
    if (plan_.oblique) oblique_.emplace(search_, rows, pool_);
  }

  void grow(Node root) {
    if (numbers_) {
      std::vector<std::uint32_t> all(target_.n_rows);
      std::iota(all.begin(), all.end(), 0u);
      measure(root, all, scratch_[0].numbers);
    }
    const auto first = static_cast<int>(growth_.fragments.size());
    growth_.fragments.resize(growth_.fragments.size() + 1);
    if (plan_.max_leaves > 0)
      grow_best_first(std::move(root), growth_.fragments[first]);
    else
      grow_depth_first(std::move(root), first);
  }

 private:
  struct Pending {
    Node node;
    int place;  // in its fragment
  };

  static Plan with_limits(const Growth& growth, const Target& target) {
    Plan plan = growth.plan;
    plan.min_leaf_weight = plan.min_leaf_share * growth.plan.training_weight / target.unit;
    return plan;
  }

  void grow_depth_first(Node root, int first) {
    const std::uint32_t least = oblique_ ? min_shared_oblique_rows : min_shared_rows;
    const std::uint32_t shared =
        pool_.size() == 1
            ? 0
            : std::max(least, target_.n_rows / (8u * static_cast<unsigned>(pool_.size())));
    std::vector<Pending> subtrees;
    grow_fragment(first, std::move(root), shared, scratch_, 0, &subtrees);
    if (subtrees.empty()) return;
    // Big subtrees first, so that the threads finish together.
    std::ranges::stable_sort(subtrees, std::greater{},
                             [](const Pending& p) { return p.node.n_rows(); });
    auto& fragments = growth_.fragments;
    fragments.resize(fragments.size() + subtrees.size());
    for (std::size_t i = 0; i < subtrees.size(); ++i)
      fragments[first].nodes[subtrees[i].place].continued_in = first + static_cast<int>(i) + 1;
    pool_.run(static_cast<int>(subtrees.size()), [&](int i, int worker) {
      grow_fragment(first + i + 1, std::move(subtrees[i].node), 0,
                    std::span(scratch_).subspan(worker, 1), worker, nullptr);
    });
    if (stopped_) throw Stopped{};
  }

  /// Grows all that follows from a node. Nodes of fewer than `shared` rows are left to others.
  void grow_fragment(int fragment_index, Node first, std::uint32_t shared,
                     std::span<Scratch> scratch, int worker, std::vector<Pending>* subtrees) {
    Fragment fragment;
    fragment.unit = target_.unit;
    if (numbers_)  // often as many as rows
      fragment.nodes.reserve(std::min(std::size_t{2} * first.n_rows(), std::size_t{1} << 18));
    std::vector<Pending> stack;
    stack.push_back({std::move(first), 0});
    fragment.add(stack[0].node, n_classes_);
    while (!stack.empty()) {
      Pending pending = std::move(stack.back());
      stack.pop_back();
      if (must_stop(worker)) break;
      Node& node = pending.node;
      if (is_leaf(node)) {
        finish(node);
        continue;
      }
      if (subtrees && node.n_rows() < shared) {
        subtrees->push_back(std::move(pending));
        continue;
      }
      Split split = best_of(node, scratch, worker);
      if (!is_worth(node, split)) {
        write_ledger(fragment, pending.place, scratch[0].recorded, false);
        finish(node);
        continue;
      }
      split.score *= gain_unit(node);
      if (plan_.missing == Missing::fractional && split.saw_missing) {
        write_ledger(fragment, pending.place, scratch[0].recorded, true);
        part_by_fractions(node, split, fragment, fragment_index, pending.place);
        continue;
      }
      std::vector<Node> children = part(node, split, scratch);
      write_ledger(fragment, pending.place, scratch[0].recorded, !children.empty());
      if (children.empty()) {
        finish(node);
        continue;
      }
      const int first_place = recorder_.record(fragment, pending.place, split, children);
      for (std::size_t i = children.size(); i-- > 0;)
        stack.push_back({std::move(children[i]), first_place + static_cast<int>(i)});
    }
    if (stopped_) {
      if (worker == 0) throw Stopped{};
      return;
    }
    growth_.fragments[fragment_index] = std::move(fragment);
  }

  void grow_best_first(Node root, Fragment& fragment) {
    struct Candidate {
      Pending pending;
      Split split;
      double improvement;
      std::vector<Recorded> recorded;
    };
    const auto worse = [](const Candidate& a, const Candidate& b) {
      if (a.improvement != b.improvement) return a.improvement < b.improvement;
      return a.pending.place > b.pending.place;
    };
    fragment.unit = target_.unit;
    std::vector<Candidate> frontier;
    const auto offer = [&](Node node, int place) {
      if (must_stop(0)) throw Stopped{};
      if (is_leaf(node)) return finish(node);
      Split split = best_of(node, scratch_, 0);
      if (!is_worth(node, split)) {
        write_ledger(fragment, place, scratch_[0].recorded, false);
        return finish(node);
      }
      split.score *= gain_unit(node);
      const double improvement = split.score * weight_of(target_, node.sums);
      frontier.push_back(
          {{std::move(node), place}, split, improvement, std::move(scratch_[0].recorded)});
      std::ranges::push_heap(frontier, worse);
    };
    const int place = fragment.add(root, n_classes_);
    offer(std::move(root), place);
    std::uint32_t n_leaves = 1;
    while (!frontier.empty() && n_leaves < plan_.max_leaves) {
      std::ranges::pop_heap(frontier, worse);
      Candidate best = std::move(frontier.back());
      frontier.pop_back();
      if (n_leaves + best.split.n_branches - 1 > plan_.max_leaves) continue;  // too many branches
      std::vector<Node> children = part(best.pending.node, best.split, scratch_);
      write_ledger(fragment, best.pending.place, best.recorded, !children.empty());
      if (children.empty()) {
        finish(best.pending.node);
        continue;
      }
      const int first_place = recorder_.record(fragment, best.pending.place, best.split, children);
      n_leaves += best.split.n_branches - 1;
      for (std::size_t i = 0; i < children.size(); ++i)
        offer(std::move(children[i]), first_place + static_cast<int>(i));
    }
  }

  Split best_of(Node& node, std::span<Scratch> scratch, int worker) {
    if (!oblique_) return search_.best(node, scratch);
    return oblique_->best(node, scratch, [&] { return must_stop(worker); });
  }

  bool is_worth(const Node& node, const Split& split) const {
    if (!split.exists()) return false;
    if (plan_.by_test != ByTest::none) return true;  // the test has decided
    if (plan_.criterion.composed && !plan_.criterion.composed->gain_test) {
      // Nothing need be gained: structure may be worth a split that purity does not see.
    } else if (plan_.criterion.splits_on_ties ||
               (plan_.criterion.composed && !plan_.criterion.composed->tie.empty())) {
      if (split.score < -1e-12 || (split.score <= 1e-12 && split.tie_break <= 1e-12)) return false;
    } else if (split.score <= 1e-12) {
      return false;
    }
    return gains_enough(plan_, split.score * gain_unit(node),
                        weight_of(target_, node.sums) * target_.unit);
  }

  /// What a score of one is worth: criteria of numbers give the share of the impurity.
  double gain_unit(const Node& node) const {
    return plan_.criterion.numeric ? node.numbers.impurity : 1;
  }

  /// Learns the numbers of a node, and makes it ready to be split unless it is a leaf.
  void measure(Node& node, std::span<const std::uint32_t> rows, NumberBuffers& buffers) {
    numbers_->learn(node, rows, buffers);
    if (!is_leaf(node)) numbers_->mark(node, rows, buffers);
  }

  /// Parts the rows of a node. The rows of a child that will not be split again are not kept in
  /// order. No children if one would be too small and the node gives up then.
  std::vector<Node> part(const Node& node, const Split& split, std::span<Scratch> scratch) {
    std::vector<Node> children = children_of(node, split.n_branches);
    const bool is_binary = children.size() == 2;
    is_binary ? mark_two(node, split, children, scratch[0].numbers)
              : mark_many(node, split, children);
    std::uint32_t begin = node.begin;
    for (Node& child : children) {  // so far `end` is the number of rows
      child.begin = begin;
      child.end += begin;
      begin = child.end;
    }
    if (numbers_) {
      NumberBuffers& buffers = scratch[0].numbers;
      numbers_->part(node, children, buffers);
      measure(children[0], buffers.left, buffers);
      measure(children[1], buffers.right, buffers);
    }
    if (plan_.gives_up && std::ranges::any_of(children, [&](const Node& child) {
          return child.n_rows() < plan_.min_leaf_rows ||
                 weight_of(target_, child.sums) < plan_.min_leaf_weight;
        }))
      return {};
    if (is_binary) set_bounds(split, children[0], children[1]);

    std::vector<bool> keep;
    for (const Node& child : children) keep.push_back(!is_leaf(child));
    if (std::ranges::none_of(keep, std::identity{})) return children;
    if (is_binary)
      partition(node, split,
                keep[0] && keep[1] ? Keep::both
                : keep[0]          ? Keep::left
                                   : Keep::right,
                scratch);
    else
      scatter(node, children, scratch);
    return children;
  }

  static std::uint32_t missing_side(const Split& split) {
    return split.missing_left ? 0 : split.n_branches - 1;
  }

  /// Calls use(branch_of), where branch_of(code) is the branch of a code of a narrow column.
  template <class Use>
  void with_code_test(const Split& split, Use use) const {
    const std::uint32_t n_codes = table_.columns[split.column].n_codes();
    if (split.kind == SplitKind::threshold)
      return use(
          [=, highest = split.code, missing_right = !split.missing_left](std::uint32_t code) {
            return static_cast<std::uint32_t>(code == n_codes ? missing_right : code > highest);
          });
    std::uint32_t branch_of_code[CodeSums::max_codes];
    branch_of_code[n_codes] = missing_side(split);  // if it is not listed
    for (std::size_t i = 0; i < split.codes.size(); ++i)
      branch_of_code[split.codes[i]] = split.branches[i];
    use([&](std::uint32_t code) { return branch_of_code[code]; });
  }

  /// Calls visit(row, label, branch, is_missing) for the rows of a node.
  template <class Visit>
  void each_row(const Node& node, const Split& split, Visit visit) const {
    if (split.kind == SplitKind::hyperplane) {
      const RecordView records = store_.records(node.begin, node.end);
      const std::vector<double> sum = oblique_->project(node, split.terms);
      for (std::uint32_t i = 0; i < records.n; ++i)
        visit(records.rows[i], records.labels[i], sum[i] > split.threshold, false);
      return;
    }
    const Column& column = table_.columns[split.column];
    const std::uint32_t missing = missing_side(split);
    if (column.is_narrow()) {
      const RecordView records = store_.records(node.begin, node.end);
      const std::uint8_t* codes = records.codes + store_.record_offset(split.column);
      return with_code_test(split, [&](auto branch_of) {
        for (std::uint32_t i = 0; i < records.n; ++i) {
          const std::uint8_t code = codes[i * records.stride];
          visit(records.rows[i], records.labels[i], branch_of(code), code == column.n_codes());
        }
      });
    }
    const std::uint64_t* items = store_.list(split.column) + node.begin;
    const ItemLayout layout = store_.layout();
    std::size_t at = 0;  // in the codes of the split, which ascend as those of the list do
    for (std::uint32_t i = 0; i < node.n_rows(); ++i) {
      std::uint32_t branch = 0;
      const std::uint64_t item = items[i];
      if (split.kind == SplitKind::threshold) {
        const bool is_valued = i < split.rows_left || layout.code(item) != column.n_codes();
        branch = is_valued ? i >= split.rows_left : missing;
        visit(layout.row(item), layout.label(item), branch, !is_valued);
        continue;
      }
      const std::uint32_t code = layout.code(item);
      while (at < split.codes.size() && split.codes[at] < code) ++at;
      branch = at < split.codes.size() ? split.branches[at] : missing;
      visit(layout.row(item), layout.label(item), branch, code == column.n_codes());
    }
  }

  /// Says for each row of the node whether it goes left, and sums and counts both sides.
  void mark_two(const Node& node, const Split& split, std::vector<Node>& children,
                NumberBuffers& buffers) {
    Node &left = children[0], &right = children[1];
    std::uint8_t* goes_left = store_.goes_left();
    const bool counted = target_.is_whole();
    const bool by_row = store_.has_lists() || split.kind == SplitKind::hyperplane;
    const std::uint8_t* times = target_.times.empty() ? nullptr : target_.times.data();
    std::vector<std::uint32_t> counts(counted ? n_classes_ : 0);
    if (numbers_) {  // sums follow when both sides are known; see measure
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
  void mark_many(const Node& node, const Split& split, std::vector<Node>& children) {
    std::uint32_t* branch_of = store_.branch();
    each_row(node, split, [&](std::uint32_t row, std::uint32_t, std::uint32_t branch, bool) {
      branch_of[row] = branch;
      ++children[branch].end;
      target_.add_row(row, children[branch].sums);
    });
  }

  /// Runs a task for the records (column -1) and each list of a node that has to be rearranged.
  template <class Task>
  void rearrange(const Node& node, std::span<Scratch> scratch, int column_in_order, Task task) {
    std::vector<int> columns;
    bool has_narrow = false;
    for (const std::uint32_t column : node.live) {
      const bool is_narrow = table_.columns[column].is_narrow();
      has_narrow = has_narrow || is_narrow;
      if (!is_narrow && static_cast<int>(column) != column_in_order)
        columns.push_back(static_cast<int>(column));
    }
    if (has_narrow || store_.keeps_rows()) columns.insert(columns.begin(), -1);
    const auto run = [&](int i, int worker) {
      task(columns[i], scratch[static_cast<std::size_t>(worker)]);
    };
    if (scratch.size() > 1)
      pool_.run(static_cast<int>(columns.size()), run);
    else
      for (int i = 0; i < static_cast<int>(columns.size()); ++i) run(i, 0);
  }

  void partition(const Node& node, const Split& split, Keep keep, std::span<Scratch> scratch) {
    const Kernels& kernel = kernels();
    const bool in_order = split.kind == SplitKind::threshold && !split.missing_left;
    rearrange(node, scratch, in_order ? split.column : -1, [&](int column, Scratch& mine) {
      if (column < 0) return partition_records(node, split, keep, mine.record_spare);
      if (mine.list_spare.size() < node.n_rows()) mine.list_spare.resize(node.n_rows());
      kernel.partition_list(store_.list(column) + node.begin, node.n_rows(), store_.layout(),
                            store_.goes_left(), keep, mine.list_spare.data());
    });
  }

  void partition_records(const Node& node, const Split& split, Keep keep,
                         std::vector<std::uint64_t>& spare) {
    const RecordView all = store_.records(0, target_.n_rows);
    if (split.kind != SplitKind::hyperplane && table_.columns[split.column].is_narrow()) {
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

  void scatter(const Node& node, std::span<const Node> children, std::span<Scratch> scratch) {
    std::vector<std::uint32_t> place;
    for (const Node& child : children) place.push_back(child.begin - node.begin);
    rearrange(node, scratch, -1, [&](int column, Scratch& mine) {
      if (column < 0)
        store_.scatter_records(node.begin, node.end, place, mine.record_spare);
      else
        store_.scatter_list(column, node.begin, node.end, place, mine.list_spare);
    });
  }

  /// Parts a node whose rows without a value go down every branch, each with the branch's share of
  /// its weight. The children are grown from stores of their own, later.
  void part_by_fractions(const Node& node, const Split& split, Fragment& fragment,
                         int fragment_index, int place) {
    std::vector<Node> children = children_of(node, split.n_branches);
    std::vector<Problem> problems(children.size());
    std::vector<std::vector<std::uint32_t>> known(children.size());
    std::vector<std::uint32_t> missing;
    std::vector<double> share(children.size());
    double all = 0;
    each_row(node, split,
             [&](std::uint32_t row, std::uint32_t, std::uint32_t branch, bool is_missing) {
               if (is_missing) return missing.push_back(row);
               known[branch].push_back(row);
               share[branch] += target_.weight_of(row);
               all += target_.weight_of(row);
             });
    for (std::size_t i = 0; i < children.size(); ++i) {
      std::vector<double> weight;
      for (const std::uint32_t row : known[i]) weight.push_back(target_.weight_of(row));
      const std::size_t n_known = known[i].size();
      known[i].insert(known[i].end(), missing.begin(), missing.end());
      for (const std::uint32_t row : missing)
        weight.push_back(target_.weight_of(row) * (share[i] / all));
      problems[i].target = some_rows(plan_, target_, known[i], std::move(weight), n_known);
      for (const std::uint32_t row : known[i]) problems[i].rows.push_back(rows_[row]);
      children[i].end = problems[i].target.n_rows;
      sum_all(problems[i].target, plan_, children[i]);
    }
    if (children.size() == 2) set_bounds(split, children[0], children[1]);
    const int first_place = recorder_.record(fragment, place, split, children, share);
    for (std::size_t i = 0; i < children.size(); ++i) {
      problems[i].fragment = fragment_index;
      problems[i].place = first_place + static_cast<int>(i);
      problems[i].root = std::move(children[i]);
      const std::lock_guard lock(growth_.waiting_lock);
      growth_.waiting.push_back(std::move(problems[i]));
    }
  }

  /// Below a monotonic split neither child may cross the middle of the two.
  void set_bounds(const Split& split, Node& left, Node& right) const {
    if (plan_.monotonic.empty() || plan_.monotonic[split.column] == 0) return;
    const auto share = [&](const Node& child) {
      if (numbers_) return child.numbers.outputs[0].value;
      return child.sums[1] / weight_of(target_, child.sums);
    };
    const double middle = (share(left) + share(right)) / 2;
    (plan_.monotonic[split.column] > 0 ? left.upper : left.lower) = middle;
    (plan_.monotonic[split.column] > 0 ? right.lower : right.upper) = middle;
  }

  /// Writes down the candidate splits of a node, if they are recorded.
  void write_ledger(Fragment& fragment, int place, std::vector<Recorded>& recorded,
                    bool is_split) const {
    if (plan_.n_recorded == 0) return;
    for (Recorded& candidate : recorded) candidate.split.is_chosen &= is_split;
    fragment.ledger.push_back({place, std::move(recorded)});
    recorded.clear();
  }

  void finish(const Node& node) {
    growth_.progress.rows_done.fetch_add(node.n_rows(), std::memory_order_relaxed);
  }

  /// Only the caller's own thread asks the caller.
  bool must_stop(int worker) {
    if (stopped_.load(std::memory_order_relaxed)) return true;
    if (worker == 0 && growth_.progress.must_stop()) stopped_ = true;
    return stopped_;
  }

  bool is_leaf(const Node& node) const { return ramify::is_leaf(plan_, target_, node); }

  Growth& growth_;
  const Table& table_;
  std::span<const std::uint32_t> rows_;  // of the table
  const Target& target_;
  const Plan plan_;
  Pool pool_;
  Store store_;
  std::unique_ptr<Numbers> numbers_;  // null if classes are learnt
  Search search_;
  std::optional<ObliqueSearch> oblique_;
  std::vector<Scratch> scratch_;
  Recorder recorder_;
  std::size_t n_classes_;  // of all outputs
  std::atomic<bool> stopped_{false};
};

/// Measures that look at rows need numbers in every column, and no gaps.
void check_structure(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                     const Plan& plan) {
  if (!reads_rows(plan)) return;
  if (target.n_outputs() > 1)
    throw std::invalid_argument("a criterion of structure needs one output");
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const Column& column = table.columns[j];
    if (column.is_categorical)
      throw std::invalid_argument("column " + std::to_string(j) +
                                  " is categorical; a criterion of structure needs numbers");
    const bool has_gap =
        column.n_missing > 0 && std::visit(
                                    [&](const auto& codes) {
                                      return std::ranges::any_of(rows, [&](std::uint32_t row) {
                                        return codes[row] == column.n_codes();
                                      });
                                    },
                                    column.codes);
    if (has_gap)
      throw std::invalid_argument("column " + std::to_string(j) + " has missing values; a " +
                                  "criterion of structure needs all");
  }
}

/// Hyperplanes are judged by what lies on either side, nothing else.
void check_oblique(const Target& target, const Plan& plan) {
  if (!plan.oblique) return;
  if (target.n_outputs() > 1 || target.n_extra > 0)
    throw std::invalid_argument("an oblique tree needs one output and no sums of the user's");
  const auto& composed = plan.criterion.composed;
  const auto is_measure = [](const ExpressionStep& step) {
    return step.kind == ExpressionStep::Kind::measure;
  };
  if (plan.c45.any() || plan.n_recorded > 0 ||
      (composed && (composed->top != 0 || !composed->relative.empty() || !composed->tie.empty() ||
                    has_step(composed->score, is_measure))))
    throw std::invalid_argument(
        "an oblique tree needs a criterion that is a formula of the class weights on either side");
}

void check_branches(const Table& table, const Plan& plan) {
  const bool has_categories =
      std::ranges::any_of(table.columns, [](const Column& c) { return c.is_categorical; });
  if (plan.categories != Categories::multiway || !has_categories ||
      (plan.criterion.builtin && plan.criterion.builtin->score_branches))
    return;
  std::string able;
  for (const CriterionKernel& kernel : kernels().criteria)
    if (kernel.score_branches) able += (able.empty() ? "" : ", ") + std::string(kernel.info->name);
  const std::string name = plan.criterion.builtin    ? plan.criterion.builtin->info->name
                           : plan.criterion.composed ? "an expression"
                                                     : "a function";
  throw std::invalid_argument(
      "categories='multiway' needs a criterion that judges any number of "
      "branches (" +
      able + "), not " + name + "; use one of them, or categories='subset'");
}

}  // namespace

Tree grow(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
          const Plan& plan) {
  check_branches(table, plan);
  check_structure(table, rows, target, plan);
  check_oblique(target, plan);
  Plan mine = plan;
  mine.n_training_rows = target.n_rows;
  mine.training_weight = target.total_weight() * target.unit;
  Growth growth{.table = table, .plan = mine};
  Node root;
  root.end = target.n_rows;
  root.key = mix(plan.seed);
  root.live.resize(table.columns.size());
  std::iota(root.live.begin(), root.live.end(), 0u);
  root.sums.resize(target.n_all_classes() + static_cast<std::size_t>(target.n_extra));
  if (target.is_numeric()) {  // the grower looks at the numbers
    root.lower = -std::numeric_limits<double>::infinity();
    root.upper = std::numeric_limits<double>::infinity();
  } else {
    sum_all(target, mine, root);
  }
  if (looks_at_few(table, target, plan)) {
    grow_drawn({table, rows, target, mine}, std::move(root), growth.fragments);
    return assemble(growth.fragments, target, plan.impurity);
  }
  if (plan.dgmml) {
    grow_dgmml({table, rows, target, mine}, std::move(root), growth.fragments);
    return assemble(growth.fragments, target, plan.impurity);
  }
  Grower(growth, rows, target).grow(std::move(root));

  while (!growth.waiting.empty()) {  // rows that have only a part of their weight
    Problem problem = std::move(growth.waiting.back());
    growth.waiting.pop_back();
    growth.fragments[problem.fragment].nodes[problem.place].continued_in =
        static_cast<int>(growth.fragments.size());
    if (is_leaf(mine, problem.target, problem.root)) {
      growth.fragments.emplace_back().unit = problem.target.unit;
      growth.fragments.back().add(problem.root, target.n_all_classes());
    } else {
      Grower(growth, problem.rows, problem.target).grow(std::move(problem.root));
    }
  }
  return assemble(growth.fragments, target, plan.impurity);
}

}  // namespace ramify
